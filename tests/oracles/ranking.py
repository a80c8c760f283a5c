"""Candidates, their probabilities and how their signs are combined, slowly and obviously.

Signs are (log of the trees' mass, cosine, score) of a candidate; "none of these" has a logit of its
own. Nothing is shared with the package.
"""

import math

import numpy as np

from tests.oracles.label_lists import best_of
from tests.oracles.label_trees import draw

FROM_EACH, BUDGET = 32, 1024
LEAST_MASS, LEAST_VOTE, SMALLEST_MASS, LARGEST_LOGIT = 0.02, 0.7, 1e-3, 1e6
FIRST = [0.5, 8.0, 0.7, -3.0]
SPREAD = np.array([0.5, 10.0, 0.5, 2.0])
MEMORY, LARGEST_WEIGHT = 0.995, 1e6
TREE, LIST = 1, 2


def candidates(found, top, features=(), xs=(), known=None, lists=None):
    """{label: (signs, who found it)}, in their order, from [(label, mass)] and the lists."""
    most, masses = max(FROM_EACH, (top + 1) // 2), {}
    for label, mass in found:
        if label >= 0:
            masses[label] = masses.get(label, 0.0) + mass
    total = sum(masses.values())
    named = dict.fromkeys(best_of(masses, LEAST_MASS, most), TREE)
    if lists is not None:
        for label in best_of(lists.vote(features, xs, BUDGET), LEAST_VOTE, most):
            named[label] = named.get(label, 0) | LIST
    signs = {}
    for label, who in named.items():
        share = masses[label] / total if who & TREE and total > 0 else 0.0
        cosine = score = 0.0
        if known is not None:
            cosine, score = known.cosine(features, xs, label), known.score(features, xs, label)
            if not any(known.sums[label].values()) or not any(xs):
                score = 0.0
        signs[label] = (math.log(max(share, SMALLEST_MASS)), cosine, score), who
    return signs


def rank(signs, weights, top):
    """[(label, probability)] of the best, from {label: signs}; the last weight is none's logit."""
    logits = {}
    for label, row in signs.items():
        logit = sum(weight * sign for weight, sign in zip(weights, row, strict=False))
        logits[label] = max(-LARGEST_LOGIT, min(logit, LARGEST_LOGIT))
    largest = max([weights[3], *logits.values()])
    total = sum(math.exp(logit - largest) for logit in [weights[3], *logits.values()])
    best = sorted(logits, key=lambda label: -logits[label])[:top]
    return [(label, math.exp(logits[label] - largest) / total) for label in best]


class Combination:
    """The weights of a conditional logit, by a step of Newton's method an example. What is believed
    at first fades as older examples do, and is believed anew as much as it faded."""

    def __init__(self):
        self.weights = np.array(FIRST)
        self.curvature = np.diag(SPREAD**-2.0)

    def shares(self, signs):
        logits = self.matrix(signs) @ self.weights
        shares = np.exp(logits - logits.max())
        return shares / shares.sum()

    @staticmethod
    def matrix(signs):
        """A row a candidate, and one of none."""
        rows = [[*row, 0.0] for row in signs]
        return np.array([*rows, [0.0, 0.0, 0.0, 1.0]])

    def learn(self, signs, right):
        """`right` is a candidate's number, or that of none: how many there are."""
        rows, shares = self.matrix(signs), self.shares(signs)
        mean = shares @ rows
        second = (rows - mean).T @ np.diag(shares) @ (rows - mean)
        self.curvature = MEMORY * self.curvature + second + (1 - MEMORY) * np.diag(SPREAD**-2.0)
        step = np.linalg.solve(self.curvature, mean - rows[right])
        self.weights = np.clip(self.weights - step, -LARGEST_WEIGHT, LARGEST_WEIGHT)


def probed(stream, dense, learned=0):
    """The numbers of the examples to be ranked before they are learned."""
    numbers = []
    for number, one in enumerate(stream):
        if one.label < 0 or one.weight == 0:
            continue
        if draw(1, learned) / 2**64 * (learned + 1) < dense:
            numbers.append(number)
        learned += 1
    return numbers
