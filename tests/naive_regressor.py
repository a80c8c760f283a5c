"""A node's linear regressor and the scaling of features, slowly and obviously.

Sums run in the order of the features and in float32, so that the compiled regressor can be
expected to give the same bits. Nothing here is shared with the package.
"""

import math
from dataclasses import dataclass, field

import numpy as np

F = np.float32
LARGEST_COUNT = F(2**24)
LARGEST_VALUE = F(1e10)  # scaled
INFINITE = float(np.finfo(np.float32).max)
SMALLEST_SUM = F(1e-30)


@dataclass
class Rule:
    loss: str = "logistic"
    adaptive: bool = True
    rate: float = 4.0
    power: float = 0.5
    clip: float = 0.5
    sure: float = 0.05  # gradients up to this change nothing


def slope_of(loss: str, h: float, c: float) -> float:
    """The derivative of the loss by the score h, for the target c = -1 or +1."""
    if loss == "logistic":
        return -c / (1 + math.exp(min(h * c, 700)))  # Python's exp overflows with an error
    if loss == "absolute":
        return float(np.sign(h - c))
    return h - c


@dataclass
class Regressor:
    rule: Rule
    weight: dict = field(default_factory=dict)  # by feature
    squares: dict = field(default_factory=dict)  # by feature: the sum G of squared slopes

    def score(self, features, xs):
        h = F(0)
        for feature, x in zip(features, xs, strict=True):
            h += self.weight.get(feature, F(0)) * x
        return h

    def train(self, features, xs, c, importance, mean_square, trained):
        """Learn to answer c; returns the score after it, of which no second look is needed."""
        rule, w = self.rule, float(importance)
        h = self.score(features, xs)
        directions, gain = [], F(0)
        for feature, x in zip(features, xs, strict=True):
            directions.append(self._direction(feature, x))
            gain += directions[-1] * x
        slope = slope_of(rule.loss, float(h), c)
        if abs(slope) <= rule.sure or gain <= 0:  # sure enough, or nothing to move
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
        return h + signed_step * gain

    def _direction(self, feature, x):
        if not self.rule.adaptive:
            return x
        total = max(self.squares.get(feature, F(0)) + x * x, SMALLEST_SUM)
        if self.rule.power == 0.5:
            return x / np.sqrt(total)
        return F(float(x) * float(total) ** -self.rule.power)


@dataclass
class Scales:
    """How values are scaled: by what each feature had where it was written, and by the example."""

    kind: str = "l2"
    tf_idf: bool = False
    count: dict = field(default_factory=dict)  # by feature
    size: dict = field(default_factory=dict)  # by feature: largest or root mean square
    norms: float = 0.0  # sum over examples of their scaled squared norm
    examples: int = 0

    def learn(self, features, values):
        """Count an example's values; returns them scaled."""
        self.examples += 1
        for feature, value in zip(features, values, strict=True):
            count, size = self.count.get(feature, F(0)), self.size.get(feature, F(0))
            if self.kind == "max":
                self.size[feature] = max(size, abs(value))
            else:
                square = float(size) ** 2
                square += (float(value) ** 2 - square) / (float(count) + 1)
                self.size[feature] = F(math.sqrt(square))
            self.count[feature] = min(count + F(1), LARGEST_COUNT)
        xs = self.scaled(features, values)
        self.norms += self._square(xs) if self.kind != "l2" else float(any(xs))
        return xs

    def scaled(self, features, values):
        xs = [self._freed(*pair) for pair in zip(features, values, strict=True)]
        length = F(math.sqrt(self._square(xs)))
        if self.kind == "l2" and length > 0:
            xs = [x / length for x in xs]
        return xs

    def _freed(self, feature, value):
        """Of its feature's unit, and of how common it is."""
        count, size = self.count.get(feature, F(0)), self.size.get(feature, F(0))
        if self.kind != "none":
            value = value / size if size > 0 else F(0)
            value = min(max(value, -LARGEST_VALUE), LARGEST_VALUE)
        if self.tf_idf:
            examples = min(float(self.examples), float(LARGEST_COUNT))
            rarity = 1 + math.log((1 + examples) / (1 + float(count)))
            value = (
                F(min(max(float(value) * float(F(rarity)), -INFINITE), INFINITE)) if count else F(0)
            )
        return value

    def _square(self, xs):
        square = 0.0
        for x in xs:  # not sum(), which compensates for rounding since Python 3.12
            square += float(x) * float(x)
        return square

    def mean_square(self):
        return self.norms / self.examples if self.examples else 1.0
