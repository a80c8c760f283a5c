"""The random tree and the filter tree, slowly and obviously: every label has one leaf.

Nodes are objects; which leaf a new label splits follows from its number and the seed alone, so
that a tree that grows is the tree that was built in advance. Nothing is shared with the package.

A label is seen once it was learned. A score of 0 goes right; a walk never goes where no label was
seen, and a node does not learn to send examples to its only side with a seen label.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Optional

from tests.oracles.regressor import Regressor, Rule, Scales

NO_LABEL = -1
WORD = 2**64


def draw(seed, number):
    """A pseudo-random number of 64 bits."""
    z = (number * 0x9E3779B97F4A7C15 + seed * 0xD1342543DE82EF95 + 0x2545F4914F6CDD1D) % WORD
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def shuffle(x, bits, seed):
    """Where a pseudo-random permutation of 0, 1, ..., 2^bits - 1 puts x."""
    size = 2**bits
    for turn in range(4):
        key = draw(seed, 2**32 + 64 * bits + turn)
        x = (x ^ key) % size
        x = x * ((key >> 32) | 1) % size
        x ^= x >> ((bits + 1) // 2)
    return x


def split_label(i, seed):
    """The older label whose leaf label i >= 1 splits: each is split once before any is twice."""
    bits = i.bit_length() - 1
    return shuffle(i - 2**bits, bits, seed)


def goes_right(i, seed):
    return draw(seed, i) % 2 == 1


@dataclass(eq=False)
class Node:
    label: int = NO_LABEL  # of a leaf
    parent: Optional["Node"] = None
    left: Optional["Node"] = None  # None in a leaf
    right: Optional["Node"] = None
    h: Regressor | None = None  # None in a leaf
    trained: float = 0.0  # the importance that h was trained with

    @property
    def is_leaf(self):
        return self.left is None

    @property
    def depth(self):
        return 0 if self.parent is None else 1 + self.parent.depth

    def other(self, child):
        return self.left if child is self.right else self.right


class LabelTree:
    """What both trees share: where labels have their leaves, and how a walk finds one."""

    def __init__(self, rule: Rule, seed=0, classes=0, scales=None):
        self.rule = rule
        self.seed = seed
        self.scales = scales or Scales()
        self.root = Node(label=0)
        self.leaves = [self.root]  # by label
        self.seen = set()
        self.events = Counter()  # the rare things that happened
        self.rivals = []  # of each example that was learned: what it was taken for
        self._give_leaves(classes - 1)

    def predict(self, features, values):
        """The label of the leaf where an example ends, and that leaf's depth."""
        return self._walk(features, self.scales.scaled(features, values))

    def learn(self, features, values, y, w=1.0):
        """Learn one example; returns what a walk before its update predicted, and the depth of its
        label's leaf. The scales have counted its values by then: they know no label."""
        if y < 0 or w == 0:
            return self.predict(features, values)
        xs = self.scales.learn(features, values)
        prediction, _ = self._walk(features, xs)
        self.rivals.append(NO_LABEL if prediction == y else prediction)
        self._give_leaves(y)
        self.seen.add(y)
        self._train(features, xs, y, float(w))
        return prediction, self.leaves[y].depth

    def saw(self, v):
        """Whether a label below v, or v's own, was seen."""
        return v.label in self.seen if v.is_leaf else self.saw(v.left) or self.saw(v.right)

    def shape(self, v=None):
        """The tree as pairs: (left, right), or the label of a leaf."""
        v = v or self.root
        return v.label if v.is_leaf else (self.shape(v.left), self.shape(v.right))

    def weights(self, v=None, way=""):
        """{"lr...", the way to a node: {feature: its numbers in the regressor}}, without zeros."""
        v = v or self.root
        if v.is_leaf:
            return {}
        tables = (v.h.weight, v.h.squares) if self.rule.adaptive else (v.h.weight,)
        rows = {f: tuple(float(table[f]) for table in tables) for f in v.h.weight}
        here = {way: {f: row for f, row in rows.items() if any(row)}}
        return here | self.weights(v.left, way + "l") | self.weights(v.right, way + "r")

    def _walk(self, features, xs):
        if not self.seen:
            return NO_LABEL, 0
        v = self.root
        while not v.is_leaf:
            side = v.left if v.h.score(features, xs) < 0 else v.right
            if not self.saw(side):
                self.events["turned away from an unseen side"] += 1
                side = v.other(side)
            v = side
        return v.label, v.depth

    def _give_leaves(self, last):
        """A leaf to every label up to the last one."""
        for i in range(len(self.leaves), last + 1):
            old, new = self.leaves[split_label(i, self.seed)], Node(label=i)
            left, right = (old, new) if goes_right(i, self.seed) else (new, old)
            v = Node(parent=old.parent, left=left, right=right, h=Regressor(self.rule))
            if old is self.root:
                self.root = v
            elif old is v.parent.left:
                v.parent.left = v
            else:
                v.parent.right = v
            old.parent = new.parent = v
            self.leaves.append(new)
            self.events["split a leaf that was seen"] += old.label in self.seen
            self.events["passed a label by"] += i < last

    def _path(self, y):
        """[(node, child)] from the root to y's leaf."""
        steps, child = [], self.leaves[y]
        while child.parent is not None:
            steps.insert(0, (child.parent, child))
            child = child.parent
        return steps

    def _train_node(self, v, child, features, xs, w):
        """Train v towards one of its children; returns whether it goes there now."""
        c = 1 if child is v.right else -1
        score = v.h.train(features, xs, c, w, self.scales.mean_square(), v.trained)
        v.trained += w
        return (score >= 0) == (c == 1)


class RandomTree(LabelTree):
    """Every node on the way to a label's leaf learns to go there."""

    def _train(self, features, xs, y, w):
        for v, child in self._path(y):
            if self.saw(v.other(child)):
                self._train_node(v, child, features, xs, w)
            else:
                self.events["no opponent"] += 1


class FilterTree(LabelTree):
    """From its leaf upwards a label plays against the other side, until it loses."""

    def _train(self, features, xs, y, w):
        for v, child in reversed(self._path(y)):
            if not self.saw(v.other(child)):
                self.events["no opponent"] += 1
            elif not self._train_node(v, child, features, xs, w):
                self.events["lost below the root" if v.parent else "lost at the root"] += 1
                return
        self.events["won"] += 1
