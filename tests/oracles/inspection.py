"""What `inspect` tells of a tree, slowly and obviously: from dictionaries of counts."""

import math
from collections import Counter

from tests.generators.streams import nodes_of, statistics_of


class NaiveTree:
    """`counts` is {leaf: Counter of labels}; without it, what the statistics of the learner say."""

    def __init__(self, learner, counts=None):
        nodes = nodes_of(learner)
        self.root = int(learner.state.tree.counts[0]["root"])
        self.children = {
            v: (int(node["left"]), int(node["right"]))
            for v, node in enumerate(nodes)
            if node["left"] >= 0
        }
        self.prediction = {v: int(node["label"]) for v, node in enumerate(nodes)}
        self.depth = {}
        self._set_depths(self.root, 0)
        self.leaves = [v for v in self.order(self.root) if v not in self.children]
        if counts is None:
            known = statistics_of(learner)
            counts = {v: {y: row[2] for y, row in known[v].items()} for v in self.leaves}
        self.counts = {v: Counter(counts.get(v, {})) for v in self.leaves}

    def _set_depths(self, v, depth):
        self.depth[v] = depth
        for w in self.children.get(v, ()):
            self._set_depths(w, depth + 1)

    def order(self, v):
        """A node, then what is below it from left to right."""
        return [v, *(w for child in self.children.get(v, ()) for w in self.order(child))]

    def labels_at(self, v) -> Counter:
        if v in self.counts:
            return self.counts[v]
        left, right = self.children[v]
        return self.labels_at(left) + self.labels_at(right)

    def weight(self, v):
        return sum(self.labels_at(v).values())

    def entropy(self, v):
        total = self.weight(v)
        return -sum(c / total * math.log(c / total) for c in self.labels_at(v).values() if c)

    def split(self, v):
        """J, alpha and beta of a node that something came to."""
        every, right = self.labels_at(v), self.labels_at(self.children[v][1])
        total = sum(every.values())
        beta = sum(right.values()) / total
        share = {y: every[y] / total for y in every if every[y]}
        goes_right = {y: right[y] / every[y] for y in share}
        return {
            "J": 2 * sum(share[y] * abs(beta - goes_right[y]) for y in share),
            "alpha": sum(share[y] * min(goes_right[y], 1 - goes_right[y]) for y in share),
            "beta": beta,
        }

    def measures(self, v):
        """As in a row of the tree: None where there is nothing to measure."""
        if v in self.children and self.weight(v):
            return self.split(v) | {"entropy": self.entropy(v)}
        return {"J": None, "alpha": None, "beta": None, "entropy": self.entropy(v)}

    @property
    def G(self):
        total = self.weight(self.root)
        return sum(self.weight(v) / total * self.entropy(v) for v in self.leaves)

    def mean(self, name):
        """Over the splits, weighted by what came to them."""
        splits = [v for v in self.children if self.weight(v)]
        total = sum(self.weight(v) for v in splits)
        return sum(self.split(v)[name] * self.weight(v) for v in splits) / total
