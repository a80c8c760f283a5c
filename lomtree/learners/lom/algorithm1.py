"""Algorithm 1 of the paper: the LOMtree, grown and trained one example at a time.

The paper's names, for a node v and a label y:
    m_v(y), n_v(y), l_v(y)  see statistics.py; without (y): their sums over the labels
    e_v(y) = m_v(y)/n_v(y)  expected score of the label    E_v = m_v/n_v  expected score of all
    C_v    size of the smallest leaf below v               t, T  internal nodes now, and at most
    r      the root                                        R_S   swap resistance

    the paper's pseudo-code                                 here
    Input: T, R_S                                           Growth (state.py)
    SetNode(v)                                              set_node
    UpdateC(v)                                              update_C
    Swap(v)                                                 swap, add_nodes, split
    for each example (x, y): j = r, then, until a leaf:     learn_example
        l_j(y) += 1                                         reach
        if j is a leaf and has >= 2 labels: grow or swap    split
        c = -1 if E_j > e_j(y), else 1; train h_j on (x, c) train_node
        n_j(y) += 1; m_j(y) += h_j(x); e and E follow       train_node
        j = left child if h_j(x) < 0, else right child      child (tree/walk.py)
    in the leaf: C_j += 1                                   learn_example

Where the paper is silent:
  - t counts the internal nodes, from 0 on (the pseudo-code begins with 1, which would leave T = 1
    without a tree).
  - An example of importance w counts as w in m, n, l and C.
  - 0 goes right.
  - C is carried up after every example, since it is *defined* as a minimum (the pseudo-code raises
    it in the leaf only).
  - Swap where the victim's parent is the root: the victim's sibling becomes the root. Where the
    sibling is the splitting leaf, nothing special happens. If the splitting leaf itself is the
    smallest leaf (possible with R_S < 1 only), there is no swap.
  - A recycled node keeps its regressor's weights: they would fill the table if it took new ones
    each time, and fresh ones measured no better.
  - A leaf that never saw an example predicts the label its parent had when it split.

Where this differs from the paper (--paper leaves out all but the bound of the statistics and the
second: T is the user's):
  - A leaf splits only once its labels but the most frequent one make up a share of it, the minimum
    impurity. With 0, the paper's rule, every stray example in the leaf of a frequent label splits
    it, and gives all examples of that label one more level to go through, again and again: on a
    stream with labels as uneven as in real life the tree became twice as deep as log2(k).
  - Without --max-nodes, T follows the number of labels seen so far.
  - The regressors are trained on scaled values (features/scaling.py) by a clipped, by default
    adaptive step (linear/update.py). A gradient below the threshold changes no weight, although
    the example counts in n and m.
  - The score added to m is limited to [-1, 1], the range of the targets. The paper adds the score
    after the update; here that is blended with the score before it, which tells whether the node
    knew: with the share n_j(y) / (n_j(y) + settling). The score after it alone lets a node believe
    what it was just told, the score before it alone keeps the sides of rare labels from settling.
  - Where the statistics reach their bound, the least useful are evicted, and C, m, n and l decay
    (eviction.py). C is then no longer a count, and the paper's lemma on the number of swaps does
    not hold.
  - Of several trees, all but the first begin m of a label that is new to a node with a little
    tie-break noise, so that they become different trees.
"""

import numpy as np

from lomtree.core.constants import MOST_INTERNAL_NODES, NO_LABEL, NO_NODE, NO_SLOT
from lomtree.examples.batch import vector_of
from lomtree.hashing.counter_rng import draw, uniform
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.learners.lom.path_prefetch import (
    guessed_node,
    guessed_row,
    note_step,
)
from lomtree.learners.lom.statistics import find, home, is_row_of
from lomtree.learners.tree.leaf_labels import add_label, begin_leaf
from lomtree.learners.tree.nodes import take_slot
from lomtree.learners.tree.walk import (
    Router,
    child,
    fetch_child,
    look_ahead,
    walk_from,
)
from lomtree.linear.update import Target, score, update


@kernel
def set_node(tree, v):
    """SetNode: forget everything about v. Its label is the parent's until it has its own."""
    counts, node = tree.counts[0], tree.nodes[v]
    counts.generations += 1
    counts.living -= node.labels
    node.generation = counts.generations
    node.left = NO_NODE
    node.right = NO_NODE
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
    while nodes[s].left != NO_NODE:
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
    if grandparent == NO_NODE:
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
        tree.nodes[v].slot = NO_SLOT
    return left, right


@kernel
def split(state, growth, j):
    """Give the leaf j two children if it should and may have them; tells whether it did."""
    tree = state.tree
    nodes, counts = tree.nodes, tree.counts[0]
    if nodes[j].labels < 2 or nodes[j].n - nodes[j].l_max < growth.min_impurity * nodes[j].n:
        return False
    T = growth.max_nodes
    if T == 0:
        labels = max(growth.classes, counts.labels)
        T = max(1, int(growth.nodes_per_class * labels) - 1)
    T = min(T, MOST_INTERNAL_NODES)
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
    if nodes[j].slot == NO_SLOT:
        take_slot(tree, j)
    for v in (left, right):
        nodes[v].parent = j
        nodes[v].label = nodes[j].label
        begin_leaf(state.leaf_labels, v, nodes[j].label)
    nodes[left].C = np.floor(nodes[j].C / 2.0)
    nodes[right].C = nodes[j].C - nodes[left].C
    update_C(tree, left)
    return True


@kernel
def tie_break(growth, node, j, y):
    """A number in the range of the noise that depends on the seed, the node and its life, and y."""
    if growth.tie_break_noise == 0.0:
        return 0.0
    life = draw(growth.seed, (np.int64(j) << 32) + node.recycled)
    return growth.tie_break_noise * (2.0 * uniform(draw(life, y)) - 1.0)


@kernel
def reach(state, growth, j, y, importance, guess):
    """Count an example of label y in at node j; returns the row of its statistics, which may be
    `guess`."""
    node, statistics, counts = state.tree.nodes[j], state.statistics, state.tree.counts[0]
    row = guess
    if not is_row_of(statistics, guess, node.generation, y):
        row = find(statistics, node.generation, y)
    entry = statistics[row]
    if entry.generation == 0:
        entry.generation = node.generation
        entry.label = y
        entry.m = tie_break(growth, node, j, y)
        entry.n = 0.0
        entry.l = 0.0
        node.labels += 1
        counts.rows += 1
        counts.living += 1
    entry.l += importance
    if entry.l > node.l_max:
        node.l_max = entry.l
        node.label = y
    return row


@kernel
def look_ahead_to_learn(state, vector, j, row):
    """Ask for the statistics of both children of j, and for the weights where the label most often
    went before: asking for those of both children costs more than it saves."""
    nodes, entry = state.tree.nodes, state.statistics[row]
    look_ahead(nodes, j)
    for v in (nodes[j].left, nodes[j].right):
        prefetch(state.statistics, home(state.statistics, nodes[v].generation, entry.label))
    fetch_child(Router(state.tree, state.weights), vector, j, child(nodes, j, entry.m))


@kernel
def opinion(growth, before, after, heard):
    """The score that a node adds to m of a label that it has heard of so often."""
    own, most = heard / (heard + growth.settling), growth.largest_score
    told = min(max(np.float64(after), -most), most)
    return own * min(max(np.float64(before), -most), most) + (1.0 - own) * told


@kernel
def train_node(state, settings, direction, vector, j, row, importance, mean_square):
    """Train the regressor of j towards the side where its label is sent; returns the score before
    and the score after."""
    node, entry = state.tree.nodes[j], state.statistics[row]
    E = node.m / node.n if node.n > 0.0 else 0.0
    e = entry.m / entry.n if entry.n > 0.0 else entry.m
    c = -1.0 if E > e else 1.0
    before = score(state.weights, node.slot, vector)
    target = Target(c, importance, node.n, mean_square)
    after = update(state.weights, settings.rule, node.slot, vector, direction, before, target)
    points = importance * opinion(settings.growth, before, after, entry.n)
    entry.n += importance
    entry.m += points
    node.n += importance
    node.m += points
    return before, after


@kernel
def depth_of_node(nodes, j):
    depth = 0
    while nodes[j].parent != NO_NODE:
        j = nodes[j].parent
        depth += 1
    return depth


@kernel
def end_example(state, lesson, example, j, end):
    """Count an example in at its leaf j, and at the leaf where it would have ended before."""
    y, importance = lesson.batch.labels[example], lesson.batch.weights[example]
    state.tree.nodes[j].C += np.float64(importance)
    update_C(state.tree, j)
    add_label(state.leaf_labels, j, y, importance)
    if lesson.ranked and end != j and end != NO_NODE and state.tree.nodes[end].left == NO_NODE:
        add_label(state.leaf_labels, end, y, importance)


@kernel
def learn_example(state, settings, scratch, lesson, example):
    """One example through Algorithm 1. Returns what the tree would have predicted before it, if the
    lesson asks for that, the depth of the leaf the example was put in, and the other side of the
    node that was least sure of it.

    The walk before the update costs little: it is the walk of the update, until an update turns a
    score's sign and the old walk goes on by itself.
    """
    batch, paths = lesson.batch, scratch.paths
    nodes, counts, router = (
        state.tree.nodes,
        state.tree.counts[0],
        Router(state.tree, state.weights),
    )
    vector = vector_of(batch, example)
    y, importance = batch.labels[example], np.float64(batch.weights[example])
    counts.examples += 1
    counts.labels = max(counts.labels, y + 1)
    ended = not lesson.progressive
    prediction = np.int32(NO_LABEL)
    end = other = np.int64(NO_NODE)
    margin = np.inf
    depth = 0
    j = np.int64(counts.root)
    while True:
        if not ended and nodes[j].left == NO_NODE:
            end, prediction, ended = j, nodes[j].label, True
        row = reach(state, settings.growth, j, y, importance, guessed_row(paths, y, depth))
        note_step(paths, y, depth, j, row)
        if nodes[j].left == NO_NODE:
            nodes[j].n += importance
            swaps = counts.swaps
            is_leaf = not split(state, settings.growth, j)
            if counts.swaps != swaps:  # which may have taken an ancestor of j out of the tree
                depth = depth_of_node(nodes, j)
                if end == nodes[j].left or end == nodes[j].right:  # another leaf by now
                    end = np.int64(NO_NODE)
            if is_leaf:
                note_step(paths, y, depth + 1, NO_NODE, 0)
                end_example(state, lesson, example, j, end)
                counts.depth = max(counts.depth, depth)
                return prediction, depth, other
        if guessed_node(paths, y, depth + 1) not in (nodes[j].left, nodes[j].right):
            look_ahead_to_learn(state, vector, j, row)
        before, after = train_node(
            state, settings, scratch.direction, vector, j, row, importance,
            lesson.mean_squares[example],
        )  # fmt: skip
        if abs(before) < margin:
            margin = np.float64(abs(before))
            other = np.int64(nodes[j].left) + np.int64(nodes[j].right) - child(nodes, j, before)
        if not ended and child(nodes, j, before) != child(nodes, j, after):
            end, _steps = walk_from(router, vector, np.int64(child(nodes, j, before)))
            prediction, ended = nodes[end].label, True
        j = np.int64(child(nodes, j, after))
        depth += 1
