"""Exemplars of labels, slowly and obviously. Nothing is shared with the package but numbers that
were tuned.

Of the examples of a label those with the smallest lots are kept, as many as fit. When all labels
together have too much, each of them may have half as much.
"""

import math
from collections import Counter, defaultdict

import numpy as np

from lomtree.ranking.exemplars import LEAST, MOST, SAME
from tests.oracles.label_trees import draw


def size_of(exemplar):
    """One for the exemplar itself, and one for each feature."""
    return 1 + len(exemplar[1])


class Exemplars:
    def __init__(self, most_items=2**40):
        self.kept = defaultdict(list)  # by label: (lot, {feature: value}), smallest lot first
        self.most, self.most_items = MOST, most_items
        self.events = Counter()

    @property
    def items(self):
        return sum(size_of(one) for own in self.kept.values() for one in own)

    def add(self, features, xs, y, number):
        """Number tells how many examples were learned before."""
        length = math.sqrt(sum(float(x) ** 2 for x in xs))
        lot = np.float32(draw(3, number) / 2**64)
        size = 1 + len(features)
        while size <= self.most and self.most > LEAST and self.items + size > self.most_items:
            self.most //= 2
            self.events["halved"] += 1
            for label, own in self.kept.items():
                fit = [one for one in own if size_of(one) <= self.most]
                self.kept[label] = self._first_that_fit(fit)
        if size > self.most or self.items + size > self.most_items or length == 0:
            self.events["left out"] += 1
            return
        vector = {f: float(x) / length for f, x in zip(features, xs, strict=True)}
        everything = sorted([*self.kept[y], (lot, vector)], key=lambda one: one[0])
        self.kept[y] = self._first_that_fit(everything)
        self.events["gone"] += len(everything) - len(self.kept[y])

    def _first_that_fit(self, exemplars):
        kept, used = [], 0
        for one in exemplars:
            used += size_of(one)
            if used > self.most:
                break
            kept.append(one)
        return kept

    def forget(self, y):
        self.kept.pop(y, None)

    def closeness(self, features, xs, label):
        length = math.sqrt(sum(float(x) ** 2 for x in xs))
        if length == 0:
            return 0.0
        own = {f: float(x) / length for f, x in zip(features, xs, strict=True)}
        cosines = [
            sum(value * own.get(f, 0.0) for f, value in vector.items())
            for _, vector in self.kept.get(label, [])
        ]
        far = 1 - min(max([0.0, *cosines]), 1.0)
        return math.log(1 + SAME) - math.log(far + SAME)
