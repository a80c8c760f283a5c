"""What labels know of features, slowly and obviously: the sums of their centroids and the weights
of their regressors, in dictionaries. Nothing is shared with the package but a tuned number.

Numbers are kept as float32 and everything between is a Python float. A label has rows for its
features: 8, or twice that as long as they are more than three quarters of it. If the rows of all
labels would be too many, an example's new features are left out, all of them.
"""

import math
from collections import Counter, defaultdict

import numpy as np

from lomtree.ranking.contenders import SMOOTHING

F = np.float32
LARGEST = 1e30
TINY = F(1e-30)


def within(x, largest=LARGEST):
    return max(-largest, min(float(x), largest))


def rows_for(features):
    rows = 8 if features else 0
    while features > 0.75 * rows:
        rows *= 2
    return rows


class LabelFeatures:
    def __init__(self, most_rows=2**40):
        self.most_rows = most_rows
        self.examples = Counter()  # by label: how many it has had
        self.sums = defaultdict(dict)  # by label: {feature: float32}
        self.weights = defaultdict(dict)
        self.squares = defaultdict(dict)
        self.refused = 0  # how often there was no room

    @property
    def rows(self):
        """Of all labels."""
        return sum(rows_for(len(features)) for features in self.sums.values())

    def forget(self, y):
        for known in (self.examples, self.sums, self.weights, self.squares):
            del known[y]

    def add_example(self, features, xs, y, w):
        """Add an example to the centroid of its label."""
        self.examples[y] += 1
        sums = self.sums[y]
        new = [feature for feature in features if feature not in sums]
        rows = self.rows - rows_for(len(sums)) + rows_for(len(sums) + len(new))
        if new and rows > self.most_rows:
            self.refused += 1
            new = None
        for feature, x in zip(features, xs, strict=True):
            if feature not in sums:
                if new is None:
                    continue
                self.weights[y][feature] = self.squares[y][feature] = F(0)
            sums[feature] = F(within(float(sums.get(feature, F(0))) + float(w) * float(x)))

    def length(self, y):
        return math.sqrt(math.fsum(float(value) ** 2 for value in self.sums[y].values()))

    def cosine(self, features, xs, y):
        """Of the example and the label's centroid; 0 where one of them is nothing."""
        product = sum(
            float(self.sums[y].get(f, F(0))) * float(x) for f, x in zip(features, xs, strict=True)
        )
        length = math.sqrt(sum(float(x) ** 2 for x in xs)) * self.length(y)
        return within(product / length, 1.0) if length else 0.0

    def cosine_of_roots(self, features, xs, y):
        """The same with the roots of the sums, each with its sum's sign: a vector whose squared
        length is the total of the sums' sizes."""
        roots = {f: math.copysign(math.sqrt(abs(s)), s) for f, s in self.sums[y].items()}
        product = sum(roots.get(f, 0.0) * float(x) for f, x in zip(features, xs, strict=True))
        total = math.fsum(abs(float(value)) for value in self.sums[y].values())
        length = math.sqrt(sum(float(x) ** 2 for x in xs)) * math.sqrt(total)
        return within(product / length, 1.0) if length else 0.0

    def coverage(self, features, xs, y):
        """The share of the example's squared length in features that the label has."""
        squares = {f: float(x) ** 2 for f, x in zip(features, xs, strict=True)}
        total = sum(squares.values())
        mine = sum(square for f, square in squares.items() if f in self.sums[y])
        return min(mine / total, 1.0) if total else 0.0

    def signs(self, features, xs, y):
        """Cosine, cosine of roots, coverage and score; all 0 where nothing can be compared."""
        if not any(self.sums[y].values()) or not any(xs):
            return 0.0, 0.0, 0.0, 0.0
        ways = self.cosine, self.cosine_of_roots, self.coverage, self.score
        return tuple(way(features, xs, y) for way in ways)

    def parts_of_cosine(self, features, y):
        """{feature: what it weighs in the label's centroid of length 1}, of those it has."""
        length, sums = self.length(y), self.sums[y]
        return {
            f: F(within(float(sums[f]) / length, 1.0)) for f in features if f in sums and length
        }

    def score(self, features, xs, y):
        score = 0.0
        for feature, x in zip(features, xs, strict=True):
            score += float(self.weights[y].get(feature, F(0))) * float(x)
        return within(score)

    def train(self, features, xs, y, slope, w, mean_square):
        """Move the label's regressor against a slope: a step for each feature by the root of its
        squared slopes and a part of an example's squared length, of which the score moves by no
        more than the importance."""
        weights, squares = self.weights[y], self.squares[y]
        mine = [(f, x) for f, x in zip(features, xs, strict=True) if f in weights]
        with np.errstate(over="ignore", under="ignore"):
            more = F(within(SMOOTHING * mean_square))
            directions = [x / np.sqrt(max(squares[f] + x * x + more, TINY)) for f, x in mine]
            gain = 0.0
            for (_, x), direction in zip(mine, directions, strict=True):
                gain += float(direction) * float(x)
            if not TINY < gain < LARGEST:
                return
            step = min(w * abs(slope) / math.sqrt(mean_square), w / gain, LARGEST)
            step = F(-math.copysign(step, slope))
            for (f, x), direction in zip(mine, directions, strict=True):
                weights[f] = F(within(float(weights[f]) + float(step * direction)))
                squared = float(w) * slope * slope * float(x) * float(x)
                squares[f] = F(within(float(squares[f]) + squared))
