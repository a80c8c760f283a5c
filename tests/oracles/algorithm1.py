"""Algorithm 1, slowly: from the paper's pseudo-code, not from lomtree/learners/lom/algorithm1.py.

Nodes are objects with dictionaries by label; the names are the paper's. Only t begins with 0, not
with 1: T is the "max number of tree non-leaf nodes", and the first root is a leaf.

Where the paper is silent: an example of importance w counts w times; the score that m collects is
limited to [-1, 1]; a score of 0 goes right; the victim of a swap is looked for to the left first,
and there is no swap where the victim is the splitting leaf or the root. What happens where there
are too many (node, label) statistics is told in eviction.py. Beyond the paper: all labels of a
leaf but the most frequent one need a share of it (the minimum impurity) before it splits; m
collects a blend of the scores before and after the update, the more of the former the more often
the node has heard of the label. A leaf remembers the labels that most of its examples have, to
offer them to a search, and an example names a rival of its label; both serve a ranker.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Optional

import numpy as np

from tests.oracles.label_trees import draw
from tests.oracles.regressor import Regressor, Rule, Scales

NO_LABEL = -1
SETTLING = 3  # examples of a label, at which what a node thought before counts half
KEPT = 4  # labels that a leaf offers
LARGEST = np.float32(1e30)


@dataclass(eq=False)
class Node:
    number: int
    h: Regressor
    parent: Optional["Node"] = None
    left: Optional["Node"] = None
    right: Optional["Node"] = None
    m: dict = field(default_factory=dict)
    l: dict = field(default_factory=dict)  # noqa: E741
    n: dict = field(default_factory=dict)
    sum_m: float = 0.0  # footnote 10: both sums are stored
    sum_n: float = 0.0
    C: float = 0.0
    max_l: float = 0.0
    arrived: float = 0.0  # the importance of all examples that came to the leaf
    label: int = NO_LABEL  # the most frequent one
    recycled: int = 0
    offers: list = field(default_factory=list)  # of a leaf: [label, weight], in order of arrival

    @property
    def is_leaf(self):
        return self.left is None

    @property
    def E(self):
        return self.sum_m / self.sum_n if self.sum_n else 0.0

    def e(self, y):
        return self.m[y] / self.n[y] if self.n.get(y) else self.m.get(y, 0.0)


def _worth(v, y):
    return v.l[y] if v.is_leaf else v.n.get(y, 0.0)


class Lomtree:
    """With tie-break noise, chance prefers a side for a label that is new to a node."""

    def __init__(
        self,
        rule: Rule,
        swap_resistance=4.0,
        max_nodes=0,
        nodes_per_class=4.0,
        max_statistics=2**26,
        scales=None,
        tie_break_noise=0.0,
        seed=0,
        min_impurity=0.1,
        ranked=True,
    ):
        self.rule = rule
        self.R_S = swap_resistance
        self.min_impurity = min_impurity
        self.max_nodes = max_nodes
        self.nodes_per_class = nodes_per_class
        self.max_statistics = max_statistics
        self.scales = scales or Scales()
        self.tie_break_noise = tie_break_noise
        self.seed = seed
        self.ranked = ranked
        self.root = Node(0, Regressor(rule))
        self.nodes = [self.root]
        self.t = 0
        self.deepest = 0
        self.labels_seen = 0
        self.events = Counter()  # the rare things that happened
        self.rivals = []  # of each example

    @property
    def T(self):
        return self.max_nodes or max(1, int(self.nodes_per_class * self.labels_seen) - 1)

    def predict(self, features, values):
        """The label of the leaf where an example ends, and that leaf's depth."""
        leaf, depth = self._walk(features, self.scales.scaled(features, values), self.root)
        return leaf.label, depth

    def _walk(self, features, xs, j):
        depth = 0
        while not j.is_leaf:
            j = j.left if j.h.score(features, xs) < 0 else j.right
            depth += 1
        return j, depth

    def learn(self, features, values, y, w=1.0):
        """Learn one example; returns what a walk before its update predicted, and the depth of its
        leaf. The scales have counted its values by then: they know no label."""
        if y < 0 or w == 0:
            self.rivals.append(NO_LABEL)
            return self.predict(features, values)
        w = float(w)
        self._make_room()
        self.labels_seen = max(self.labels_seen, y + 1)
        xs = self.scales.learn(features, values)
        honest, _ = self._walk(features, xs, self.root)
        prediction, life = honest.label, honest.recycled
        least_sure, other = math.inf, None

        j = self.root
        while True:
            if y not in j.l:
                j.m[y] = self._tie_break(j, y)
            j.l[y] = j.l.get(y, 0.0) + w
            if j.l[y] > j.max_l:
                j.max_l = j.l[y]
                j.label = y
            if j.is_leaf:
                j.arrived += w
                others = j.arrived - j.max_l
                if len(j.l) >= 2 and others >= self.min_impurity * j.arrived:
                    self._split(j)
            if j.is_leaf:
                j.C += w
                self._update_C(j)
                depth = self._depth(j)  # a swap may have taken an ancestor away
                self.deepest = max(self.deepest, depth)
                self._offer(j, y, w)
                if self.ranked and honest is not j and honest.is_leaf:
                    self.events["the honest leaf is another one"] += 1
                    if honest.recycled == life:
                        self._offer(honest, y, w)
                    else:
                        self.events["the honest leaf is gone"] += 1
                self.rivals.append(self._rival(features, xs, y, prediction, other))
                return prediction, depth
            c = -1 if j.E > j.e(y) else 1
            before = j.h.score(features, xs)
            score = j.h.train(features, xs, c, w, self.scales.mean_square(), j.sum_n)
            heard = j.n.get(y, 0.0)
            own = heard / (heard + SETTLING)
            known, told = (float(np.clip(h, -1, 1)) for h in (before, score))
            gained = w * (own * known + (1 - own) * told)
            if abs(before) < least_sure:
                least_sure, other = abs(before), j.right if before < 0 else j.left
            j.n[y] = heard + w
            j.m[y] += gained
            j.sum_n += w
            j.sum_m += gained
            j = j.left if score < 0 else j.right

    def _offer(self, v, y, w):
        """An example of y belongs to the leaf v. A label for which there is no room takes from the
        one that has least, and its place when nothing is left of that."""
        w = np.float32(w)
        for one in v.offers:
            if one[0] == y:
                one[1] = min(one[1] + w, LARGEST)
                return
        if len(v.offers) < KEPT:
            v.offers.append([y, min(w, LARGEST)])
            return
        least = min(v.offers, key=lambda one: one[1])
        least[1] -= w
        self.events["took from another label"] += 1
        if least[1] <= 0:
            self.events["took the place of another label"] += 1
            least[:] = [y, min(w, LARGEST)]

    def _rival(self, features, xs, y, prediction, other):
        """The label predicted, if it was wrong; else the one that would have been, had the example
        gone the other way at the node that was least sure."""
        if not self.ranked:
            return NO_LABEL
        if prediction not in (y, NO_LABEL):
            return prediction
        if other is None:
            return NO_LABEL
        label = self._walk(features, xs, other)[0].label
        return NO_LABEL if label == y else label

    def _depth(self, j):
        return 0 if j is self.root else 1 + self._depth(j.parent)

    def _tie_break(self, j, y):
        life = draw(self.seed, j.number * 2**32 + j.recycled)
        return self.tie_break_noise * (2 * (draw(life, y) / 2**64) - 1)

    def _make_room(self):
        """Evict what is worth least, and let the rest decay, where there would be too much."""
        most = max(self.max_statistics, 4 * (self.deepest + 2))
        known = [(v, y) for v in self.nodes for y in v.l]
        if len(known) + self.deepest + 2 <= most:
            return
        self.events["eviction"] += 1
        known.sort(key=lambda row: (_worth(*row), row[1], row[0].number))
        keep = int(0.9 * most) - self.deepest - 2
        for v, y in known[: max(0, len(known) - keep)]:
            for values in (v.l, v.m, v.n):
                values.pop(y, None)
        for v in self.nodes:
            for values in (v.l, v.m, v.n):
                values.update({y: 0.9 * value for y, value in values.items()})
            for name in ("sum_m", "sum_n", "C", "max_l", "arrived"):
                setattr(v, name, 0.9 * getattr(v, name))
            for values in (v.h.weight, v.h.squares):
                values.update({at: np.float32(0.9) * value for at, value in values.items()})

    def _split(self, j):
        if self.t < self.T:
            self._adopt(j, self._new_node(), self._new_node())
            self.t += 1
        elif j.C - j.max_l > self.R_S * (self.root.C + 1):
            if not self._swap(j):
                return
        else:
            return
        j.left.C = float(math.floor(j.C / 2))
        j.right.C = j.C - j.left.C
        self._update_C(j.left)

    def _swap(self, j):
        s = self.root
        while not s.is_leaf:
            s = s.left if s.left.C == s.C else s.right
        if s is j or s is self.root:
            self.events["victim is the splitting leaf"] += 1
            return False
        pa = s.parent
        gpa = pa.parent
        sibling = pa.right if pa.left is s else pa.left
        self.events["swap"] += 1
        self.events["sibling is the splitting leaf"] += sibling is j
        self.events["victim's parent is the root"] += pa is self.root
        sibling.parent = gpa
        if pa is self.root:
            self.root = sibling
        elif gpa.left is pa:
            gpa.left = sibling
        else:
            gpa.right = sibling
        self._update_C(sibling)
        self._adopt(j, s, pa)
        s.recycled += 1
        pa.recycled += 1
        return True

    def _adopt(self, j, left, right):
        """SetNode both, and make them j's children; their regressors keep their weights."""
        for v in (left, right):
            v.parent, v.left, v.right = j, None, None
            v.m, v.l, v.n, v.sum_m, v.sum_n, v.C = {}, {}, {}, 0.0, 0.0, 0.0
            v.max_l = v.arrived = 0.0
            v.label = j.label
            v.offers = [[j.label, np.float32(0.5)]]
        j.left, j.right = left, right

    def _update_C(self, v):
        while v is not self.root and v.parent.C != v.C:
            v = v.parent
            v.C = min(v.left.C, v.right.C)

    def _new_node(self):
        node = Node(len(self.nodes), Regressor(self.rule))
        self.nodes.append(node)
        return node
