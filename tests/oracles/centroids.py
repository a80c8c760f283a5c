"""The centroids of labels, slowly and obviously. Nothing is shared with the package."""

import math
from collections import defaultdict

import numpy as np


class Centroids:
    def __init__(self):
        self.sums = defaultdict(lambda: defaultdict(lambda: np.float32(0)))  # by label and feature

    def learn(self, features, xs, y, w=1.0):
        """Add an example whose values are scaled."""
        if y < 0 or w == 0:
            return
        for feature, x in zip(features, xs, strict=True):
            self.sums[y][feature] = np.float32(float(self.sums[y][feature]) + float(w) * float(x))

    def cosine(self, features, xs, y):
        """The cosine of the example and the label's sums; 0 where one of them is nothing."""
        product = sum(
            float(self.sums[y][feature]) * float(x) for feature, x in zip(features, xs, strict=True)
        )
        length = math.sqrt(sum(float(x) ** 2 for x in xs))
        other = math.sqrt(sum(float(value) ** 2 for value in self.sums[y].values()))
        return max(-1.0, min(product / (length * other), 1.0)) if length and other else 0.0
