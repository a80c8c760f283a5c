"""A node's linear regressor and the scaling of features, slowly and obviously.

Sums run in float32, four side by side (or in order, as one-against-all has them), so that the
compiled regressor can be expected to give the same bits. Nothing here is shared with the package.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

F = np.float32
ZERO = F(0)
LARGEST_COUNT = F(2**24)
LARGEST = float(np.finfo(np.float32).max)
LARGEST_VALUE = F(1e10)  # scaled
RARE = 0.1  # c of auto
IDF_POWER = 1.0  # of auto
LEAST_VARIANCE = 1e-9  # of the square of the mean, for auto
SMALLEST_SUM = F(1e-30)


@dataclass
class Rule:
    loss: str = "logistic"
    adaptive: bool = True
    rate: float = 4.0
    power: float = 0.5
    clip: float = 0.5
    gradient_threshold: float = 0.05  # gradients up to this change nothing


def slope_of(loss: str, h: float, c: float) -> float:
    """The derivative of the loss by the score h, for the target c = -1 or +1."""
    if loss == "logistic":
        return -c / (1 + math.exp(min(h * c, 700)))  # Python's exp overflows with an error
    if loss == "absolute":
        return float(np.sign(h - c))
    return h - c


def dot(ws, xs, zero=ZERO):
    """The sum of the products: in turn they are added to four sums, the last few to the first."""
    sums = [zero] * 4
    fours = len(xs) - len(xs) % 4
    for place, (w, x) in enumerate(zip(ws, xs, strict=True)):
        sums[place % 4 if place < fours else 0] += w * x
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


def dot_in_order(ws, xs):
    total = F(0)
    for w, x in zip(ws, xs, strict=True):
        total += w * x
    return total


@dataclass
class Regressor:
    rule: Rule
    weight: dict = field(default_factory=dict)  # by feature
    squares: dict = field(default_factory=dict)  # by feature: the sum G of squared slopes
    dot: Callable = dot

    def score(self, features, xs):
        return self.dot([self.weight.get(feature, F(0)) for feature in features], xs)

    def train(self, features, xs, c, importance, mean_square, trained):
        """Learn to say c; returns the score after it.

        The score is computed again from the new weights. It must be the old one moved by the step,
        but for the last bits: the paper's comparison of E with e meets many ties, such as 0.5 and
        -0.5, which those bits would decide. So what is returned is the moved one.
        """
        rule, w = self.rule, float(importance)
        h = self.score(features, xs)
        directions = [self._direction(*pair) for pair in zip(features, xs, strict=True)]
        gain = self.dot(directions, xs)
        slope = slope_of(rule.loss, float(h), c)
        if abs(slope) <= rule.gradient_threshold or gain <= 0:  # too small, or nothing to move
            return h

        slope *= w
        if rule.adaptive:
            step = rule.rate * abs(slope) / math.sqrt(mean_square)
        else:
            step = rule.rate * abs(slope) / (1 + trained) ** rule.power
        move = rule.clip * (w if w < 1 else 1 + math.log(w))
        if rule.loss != "logistic":
            move = min(move, abs(c - float(h)))
        step = min(step, move / float(gain))
        signed_step = F(-math.copysign(step, slope))

        curvature = F(slope * slope / w)
        for feature, x, direction in zip(features, xs, directions, strict=True):
            self.weight[feature] = self.weight.get(feature, F(0)) + signed_step * direction
            if rule.adaptive:
                self.squares[feature] = self.squares.get(feature, F(0)) + curvature * x * x
        moved, again = h + signed_step * gain, self.score(features, xs)
        size = sum(abs(float(self.weight[f]) * float(x)) for f, x in zip(features, xs, strict=True))
        size += abs(float(h)) + abs(float(moved))  # what the rounding errors are relative to
        assert abs(float(moved) - float(again)) <= 1e-5 * size + 1e-30
        assert abs(float(moved) - float(h)) <= move * (1 + 1e-5) + 1e-6 * size
        return moved

    def _direction(self, feature, x):
        if not self.rule.adaptive:
            return x
        total = max(self.squares.get(feature, F(0)) + x * x, SMALLEST_SUM)
        if self.rule.power == 0.5:
            return x / np.sqrt(total)
        return F(float(x) * float(total) ** -self.rule.power)


def auto_weight(count, examples):
    """How much of a feature's own unit counts, if so many of the examples have it: w of auto."""
    d = count / examples
    return d * (1 + RARE) / (d + RARE)


def centre_of(seen, examples):
    """What is taken from a feature's values, if so many examples came with and without it: a part
    of their mean. What never changes, but for rounding, stays as it is."""
    mean = sum(seen) / len(seen)
    deviation = math.sqrt(sum((x - mean) ** 2 for x in seen) / len(seen))
    if deviation <= math.sqrt(LEAST_VARIANCE) * abs(mean):
        return 0.0
    return (len(seen) / examples) ** 32 * mean


@dataclass
class Scales:
    """How values are scaled: by what each feature had where it was written, and by the example."""

    kind: str = "auto"
    count: dict = field(default_factory=dict)  # by feature
    squares: dict = field(default_factory=dict)  # by feature, for auto: sum of squares
    total: dict = field(default_factory=dict)  # by feature, for auto: sum of values
    centre: dict = field(default_factory=dict)  # by feature: what is taken from its values
    size: dict = field(default_factory=dict)  # by feature: what its values are divided by
    rare: float = 0.0  # for auto: sum of 1 - w over all values seen
    rare_squares: float = 0.0  # for auto: sum of (1 - w) v^2
    norms: float = 0.0  # sum over examples of their scaled squared norm
    examples: int = 0

    def learn(self, features, values):
        """Count an example's values; returns them scaled."""
        self.examples += 1
        if self.kind == "auto":
            self._learn_auto(features, values)
        else:
            self._learn_sizes(features, values)
        xs = self.scaled(features, values)
        self.norms += float(any(xs)) if self.kind in ("l2", "auto") else self._square(xs)
        return xs

    def scaled(self, features, values):
        xs = [self._freed(*pair) for pair in zip(features, values, strict=True)]
        if self.kind in ("l2", "auto") and any(xs):
            length = F(math.sqrt(self._square(xs)))
            xs = [x / length for x in xs]
        return xs

    def mean_square(self):
        return self.norms / self.examples if self.examples else 1.0

    def _learn_sizes(self, features, values):
        """All values of an example are counted with what was known before it."""
        sizes = [self._new_size(*pair) for pair in zip(features, values, strict=True)]
        counts = [min(self.count.get(f, F(0)) + F(1), LARGEST_COUNT) for f in features]
        self.size |= dict(zip(features, sizes, strict=True))
        self.count |= dict(zip(features, counts, strict=True))

    def _new_size(self, feature, value):
        size = self.size.get(feature, F(0))
        if self.kind == "max":
            return max(size, abs(value))
        square = float(size) ** 2
        square += (float(value) ** 2 - square) / (float(self.count.get(feature, F(0))) + 1)
        return F(math.sqrt(square))

    def _learn_auto(self, features, values):
        """A size is kept while its feature comes often: it is new at the counts 1 to 8, 10, 12, 14,
        16, 20, 24, 28, 32, 40 ..., and with a value that has a quarter of all squares."""
        rare = rare_squares = 0.0
        for feature, value in zip(features, values, strict=True):
            count = self.count[feature] = self.count.get(feature, 0) + 1
            self.squares[feature] = self.squares.get(feature, 0.0) + float(value) ** 2
            self.total[feature] = self.total.get(feature, 0.0) + float(value)
            free = 1 - auto_weight(count, self.examples)
            rare += free
            rare_squares += free * float(value) ** 2
        self.rare += rare
        self.rare_squares += rare_squares
        for feature, value in zip(features, values, strict=True):
            count = self.count[feature]
            step = 2 ** max(count.bit_length() - 3, 0)
            if count % step == 0 or float(value) ** 2 > self.squares[feature] / 4:
                self.centre[feature] = self.auto_centre(feature)
                self.size[feature] = F(self.auto_size(feature))

    def auto_centre(self, feature):
        """As centre_of(), by sums: Algorithm 1 compares numbers that the last bits decide."""
        count, total = self.count[feature], self.total[feature]
        squared_deviation = self.squares[feature] * count - total * total
        if not squared_deviation > LEAST_VARIANCE * total * total:
            return 0.0
        share = min(count / self.examples, 1.0)
        for _ in range(5):
            share *= share
        return share * total / count

    def auto_size(self, feature):
        """By logarithms, for the same reason; tests/features/test_auto_size has powers."""
        count, examples, total = self.count[feature], self.examples, self.total[feature]
        centre = self.auto_centre(feature)
        squares = self.squares[feature]
        if centre:
            squares = max(squares - centre * (2 * total - centre * count), 0.0)
        if squares == 0:
            return 0.0
        free = max(RARE * (examples - count) / (count + RARE * examples), 0.0)
        log_common = 0.5 * math.log(self.rare_squares / self.rare) if self.rare > 0 else 0.0
        log_idf = math.log(1 + math.log((1 + examples) / (1 + count)))
        log_rms = 0.5 * math.log(squares / count)
        return math.exp((1 - free) * log_rms + free * log_common - IDF_POWER * log_idf)

    def auto_size_of_first(self, value):
        """Of a feature that was never seen, if an example with this value of it came now."""
        if value == 0:
            return 0.0
        w = auto_weight(1, self.examples + 1)
        common = math.sqrt(self.rare_squares / self.rare) if self.rare > 0 else 1
        idf = 1 + math.log((2 + self.examples) / 2)
        return abs(float(value)) ** w * common ** (1 - w) / idf**IDF_POWER

    def _freed(self, feature, value):
        """Of its feature's unit."""
        if self.kind == "none":
            return value
        size = self.size.get(feature, F(0))
        if self.kind == "auto" and size == 0:
            size = F(self.auto_size_of_first(value))
        own = float(value) - self.centre.get(feature, 0.0)  # may be more than a float32 holds
        own = F(min(max(own, -LARGEST), LARGEST))
        value = own / size if size > 0 else F(0)
        return min(max(value, -LARGEST_VALUE), LARGEST_VALUE)

    def _square(self, xs):
        return dot([float(x) for x in xs], [float(x) for x in xs], 0.0)
