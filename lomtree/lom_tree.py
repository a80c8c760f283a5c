"""Algorithm 1 of the paper: the LOMtree, grown and trained one example at a time.

The paper's names, for a node v and a label y:
    m_v(y), n_v(y), l_v(y)  see tallies.py; without (y): their sums over the labels
    e_v(y) = m_v(y)/n_v(y)  expected score of the label    E_v = m_v/n_v  expected score of all
    C_v    size of the smallest leaf below v               t, T  internal nodes now, and at most
    r      the root                                        R_S   swap resistance

Where the paper is silent:
  - t counts the internal nodes, from 0 on (the pseudo-code begins with 1, which would leave T = 1
    without a tree).
  - An example of importance w counts as w in m, n, l and C.
  - The score added to m is limited to [-1, 1], the range of the targets; 0 goes right.
  - C is carried up after every example, since it is *defined* as a minimum (the pseudo-code raises
    it in the leaf only).
  - Swap where the victim's parent is the root: the victim's sibling becomes the root. Where the
    sibling is the splitting leaf, nothing special happens. If the splitting leaf itself is the
    smallest leaf (possible with R_S < 1 only), there is no swap.
  - A recycled node keeps its regressor's weights: they would fill the table if it took new ones
    each time, and fresh ones measured no better.
  - A leaf that never saw an example answers with the label its parent had when it split.

Where this differs from the paper: a leaf splits only once its labels but the most frequent one make
up a share of it, the `minority`. With 0 every stray example in the leaf of a frequent label splits
it, and gives all examples of that label one more level to go through, again and again: on a stream
with labels as uneven as in real life the tree became twice as deep as log2(k).
"""

from typing import NamedTuple

import numpy as np

from lomtree.chance import draw, uniform
from lomtree.compiled import kernel
from lomtree.machine import prefetch
from lomtree.nodes import take_place
from lomtree.regressor import score, update
from lomtree.structure import NO_LABEL, NONE
from lomtree.tallies import find, has_room, home, is_row_of
from lomtree.trails import guessed_node, guessed_row, note_step, prepare
from lomtree.walk import answer_from, child, fetch_child, look_ahead
from lomtree.weights import make_room


class Growth(NamedTuple):
    """When the tree may grow."""

    max_nodes: int  # T; 0: it follows the labels
    nodes_per_class: float
    classes: int  # announced; there may come more
    swap_resistance: float  # R_S
    minority: float  # the share that all labels but the most frequent one must have in a leaf
    max_statistics: int  # rows of m, n and l; where they come close, learn() stops
    whim: float  # how strongly chance prefers a side for a label new to a node; 0: not at all
    seed: int  # of chance


class Scratch(NamedTuple):
    """What is no part of the tree: room for the direction of an example's update, and trails."""

    direction: np.ndarray  # float32[]
    trails: np.ndarray  # see trails.py


@kernel
def most_statistics(growth, more):
    """How many rows of tallies there may be, if one example takes up to `more` of them: forgetting
    the others must make room for it, however deep the tree is."""
    return max(growth.max_statistics, 4 * more)


@kernel
def set_node(tree, v):
    """SetNode: forget everything about v. Its label is the parent's until it has its own."""
    counts, node = tree.counts[0], tree.nodes[v]
    counts.generations += 1
    counts.living -= node.labels
    node.generation = counts.generations
    node.left = NONE
    node.right = NONE
    node.labels = 0
    node.C = 0.0
    node.m = 0.0
    node.n = 0.0
    node.l_max = 0.0


@kernel
def update_C(tree, v):
    """UpdateC: carry the size of the smallest leaf up from v."""
    nodes, root = tree.nodes, tree.counts[0].root
    while v != root and nodes[nodes[v].parent].C != nodes[v].C:
        v = nodes[v].parent
        nodes[v].C = min(nodes[nodes[v].left].C, nodes[nodes[v].right].C)


@kernel
def smallest_leaf(tree):
    """A leaf s with C_s = C_r; the leftmost one."""
    nodes, s = tree.nodes, np.int64(tree.counts[0].root)
    while nodes[s].left != NONE:
        left = nodes[s].left
        s = left if nodes[left].C == nodes[s].C else nodes[s].right
    return s


@kernel
def swap(tree, s):
    """Swap, first half: take the leaf s and its parent out of the tree; both are new nodes then."""
    nodes, counts = tree.nodes, tree.counts[0]
    parent = np.int64(nodes[s].parent)
    grandparent = nodes[parent].parent
    sibling = nodes[parent].right if nodes[parent].left == s else nodes[parent].left
    nodes[sibling].parent = grandparent
    if grandparent == NONE:
        counts.root = sibling
    elif nodes[grandparent].left == parent:
        nodes[grandparent].left = sibling
    else:
        nodes[grandparent].right = sibling
    update_C(tree, sibling)
    for v in (s, parent):
        set_node(tree, v)
        nodes[v].recycled += 1
    counts.swaps += 1
    return s, parent


@kernel
def add_nodes(tree):
    counts = tree.counts[0]
    left, right = counts.nodes, counts.nodes + 1
    counts.nodes += 2
    counts.t += 1
    for v in (left, right):
        set_node(tree, v)
        tree.nodes[v].recycled = 0
        tree.nodes[v].place = NONE
    return left, right


@kernel
def split(tree, growth, j):
    """Give the leaf j two children if it should and may have them; tells whether it did."""
    nodes, counts = tree.nodes, tree.counts[0]
    if nodes[j].labels < 2 or nodes[j].n - nodes[j].l_max < growth.minority * nodes[j].n:
        return False
    T = growth.max_nodes
    if T == 0:
        labels = max(growth.classes, counts.labels)
        T = max(1, int(growth.nodes_per_class * labels) - 1)
    if counts.t < T:
        left, right = add_nodes(tree)
    elif nodes[j].C - nodes[j].l_max > growth.swap_resistance * (nodes[counts.root].C + 1.0):
        s = smallest_leaf(tree)
        if s == j or s == counts.root:
            return False
        left, right = swap(tree, s)
    else:
        return False
    nodes[j].left = left
    nodes[j].right = right
    nodes[j].n = 0.0
    if nodes[j].place == NONE:
        take_place(tree, j)
    for v in (left, right):
        nodes[v].parent = j
        nodes[v].label = nodes[j].label
    nodes[left].C = np.floor(nodes[j].C / 2.0)
    nodes[right].C = nodes[j].C - nodes[left].C
    update_C(tree, left)
    return True


@kernel
def preference(growth, node, j, y):
    """A number from -whim to whim that depends on the seed, the node's place and life, and y."""
    if growth.whim == 0.0:
        return 0.0
    life = draw(growth.seed, (np.int64(j) << 32) + node.recycled)
    return growth.whim * (2.0 * uniform(draw(life, y)) - 1.0)


@kernel
def reach(tree, tallies, growth, j, y, importance, guess):
    """Count an example of label y in at node j; returns the row of its tally, which may be `guess`.

    m of a label that is new to the node begins with what chance prefers, where it does. So several
    trees of one stream become different ones.
    """
    node = tree.nodes[j]
    row = guess
    if not is_row_of(tallies, guess, node.generation, y):
        row = find(tallies, node.generation, y)
    tally = tallies[row]
    if tally.generation == 0:
        tally.generation = node.generation
        tally.label = y
        tally.m = preference(growth, node, j, y)
        tally.n = 0.0
        tally.l = 0.0
        node.labels += 1
        tree.counts[0].tallies += 1
        tree.counts[0].living += 1
    tally.l += importance
    if tally.l > node.l_max:
        node.l_max = tally.l
        node.label = y
    return row


@kernel
def look_ahead_to_learn(tree, tallies, weights, batch, begin, end, j, row):
    """Ask for the tallies of both children of j, and for the weights where the label most often
    went before: asking for those of both children costs more than it saves."""
    nodes, tally = tree.nodes, tallies[row]
    look_ahead(nodes, j)
    for v in (nodes[j].left, nodes[j].right):
        prefetch(tallies, home(tallies, nodes[v].generation, tally.label))
    fetch_child(nodes, weights, batch, begin, end, j, child(nodes, j, tally.m))


@kernel
def train_node(
    tree, tallies, weights, rule, scratch, batch, begin, end, j, row, importance, mean_square
):
    """Train the regressor of j towards the side where its label is sent; returns the score before
    and the score after."""
    node, tally = tree.nodes[j], tallies[row]
    E = node.m / node.n if node.n > 0.0 else 0.0
    e = tally.m / tally.n if tally.n > 0.0 else tally.m
    c = -1.0 if E > e else 1.0
    before = score(weights, node.place, batch.features, begin, end, batch.values)
    after = update(
        weights, rule, node.place, batch.features, begin, end, batch.values, scratch.direction,
        before, c, importance, node.n, mean_square,
    )  # fmt: skip
    points = importance * min(max(np.float64(after), -1.0), 1.0)
    tally.n += importance
    tally.m += points
    node.n += importance
    node.m += points
    return before, after


@kernel
def learn_example(
    tree, tallies, weights, growth, rule, scratch, batch, example, mean_square, asked
):  # fmt: skip
    """One example through Algorithm 1; returns what the tree would have answered before it, if
    `asked`, and the depth of the leaf the example was put in.

    The answer costs little: the walk before the update is the walk of the update, until an update
    turns a score's sign and the old walk goes on by itself.
    """
    nodes, counts, trails = tree.nodes, tree.counts[0], scratch.trails
    begin, end = batch.starts[example], batch.starts[example + 1]
    y, importance = batch.labels[example], np.float64(batch.weights[example])
    counts.examples += 1
    counts.labels = max(counts.labels, y + 1)
    answered = not asked
    answer = NO_LABEL
    depth = 0
    j = counts.root
    while True:
        if not answered and nodes[j].left == NONE:
            answer = nodes[j].label
            answered = True
        row = reach(tree, tallies, growth, j, y, importance, guessed_row(trails, y, depth))
        note_step(trails, y, depth, j, row)
        if nodes[j].left == NONE:
            nodes[j].n += importance
        if nodes[j].left == NONE and not split(tree, growth, j):
            note_step(trails, y, depth + 1, NONE, 0)
            nodes[j].C += importance
            update_C(tree, j)
            counts.depth = max(counts.depth, depth)
            return answer, depth
        if guessed_node(trails, y, depth + 1) not in (nodes[j].left, nodes[j].right):
            look_ahead_to_learn(tree, tallies, weights, batch, begin, end, j, row)
        before, after = train_node(
            tree,
            tallies,
            weights,
            rule,
            scratch,
            batch,
            begin,
            end,
            j,
            row,
            importance,
            mean_square,
        )
        if not answered and child(nodes, j, before) != child(nodes, j, after):
            answer, _ = answer_from(tree, weights, batch, example, child(nodes, j, before))
            answered = True
        j = child(nodes, j, after)
        depth += 1


@kernel
def learn(
    tree, tallies, weights, growth, rule, scratch, batch, mean_squares, first, last, asked, answers,
    depths,
):  # fmt: skip
    """Learn from the examples first:last; one without a label, or of importance 0, is not learned.

    Stops before an example for which there might not be room in `tree` or `tallies`; returns its
    number.
    """
    counts = tree.counts[0]
    for example in range(first, last):
        if batch.labels[example] < 0 or batch.weights[example] == 0.0:
            answers[example], depths[example] = answer_from(
                tree, weights, batch, example, counts.root
            )
            continue
        more = counts.depth + 2
        if (
            counts.nodes + 2 > len(tree.nodes)
            or batch.labels[example] >= len(scratch.trails)
            or not has_room(tallies, counts.tallies, more)
            or counts.living + more > most_statistics(growth, more)
        ):
            return example
        make_room(weights)
        prepare(tree, tallies, weights, scratch.trails, batch, example, last)
        answers[example], depths[example] = learn_example(
            tree, tallies, weights, growth, rule, scratch, batch, example, mean_squares[example],
            asked,
        )  # fmt: skip
    return last
