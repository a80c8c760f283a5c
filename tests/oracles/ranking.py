"""Candidates, their probabilities and how their signs are combined, slowly and obviously.

Signs are (log of the trees' mass, cosine, cosine of roots, coverage, score, closeness) of a
candidate; "none of these" has a logit of its own. Nothing is shared with the package but numbers
that were tuned.
"""

import math

import numpy as np

from lomtree.ranking.combination import FADED, FIRST, MEMORY, OUTLIERS, SPREAD
from lomtree.ranking.comparison import CLOSELY_COMPARED
from lomtree.ranking.probe import MOST_PROBED, MOST_RESERVED, RESERVED
from lomtree.ranking.ranking import (
    BUDGET,
    FROM_EACH,
    LEAST_MASS,
    SMALLEST_MASS,
)
from lomtree.ranking.shortlist import (
    FEWEST_VOTED,
    FIRST_COMPARED,
    LEAD,
    LEAST_VOTE,
    MOST_COMPARED,
    OUTVOTED,
)
from tests.oracles.label_lists import best_of
from tests.oracles.label_trees import draw

LARGEST_LOGIT = LARGEST_WEIGHT = 1e6
BELIEF = np.diag(np.array(SPREAD) ** -2.0)  # the curvature before anything has been seen
TREE, LIST = 1, 2


def candidates(found, top, features=(), xs=(), ranker=None, weights=None):
    """{label: (signs, who found it)}, in their order, from [(label, mass)] and a naive ranker, if
    there is one."""
    most, masses = max(FROM_EACH, (top + 1) // 2), {}
    for label, mass in found:
        if label >= 0:
            masses[label] = masses.get(label, 0.0) + mass
    total = sum(masses.values())
    named = dict.fromkeys(best_of(masses, LEAST_MASS, most), TREE)
    if ranker is not None:
        fewer = max(FEWEST_VOTED, MOST_COMPARED // max(len(features), 1))
        voted = min(fewer, most) if most == FROM_EACH else most
        for label in best_of(ranker.lists.vote(features, xs, BUDGET), LEAST_VOTE, voted):
            named[label] = named.get(label, 0) | LIST
    signs = {}
    for label, who in named.items():
        share = masses[label] / total if who & TREE and total > 0 else 0.0
        compared = ranker.known.signs(features, xs, label) if ranker is not None else (0.0,) * 4
        signs[label] = (math.log(max(share, SMALLEST_MASS)), *compared, 0.0), who
    if ranker is not None:
        compare_closely(signs, features, xs, ranker, weights)
    return signs


def compare_closely(signs, features, xs, ranker, weights):
    """The best by the other signs are compared by their exemplars as well; the others are as near
    as the farthest of them."""
    logits = {label: weighted(weights, row[:-1]) for label, (row, _) in signs.items()}
    best = sorted(logits, key=lambda label: -logits[label])[:CLOSELY_COMPARED]
    near = {label: ranker.exemplars.closeness(features, xs, label) for label in best}
    for label, (row, who) in signs.items():
        signs[label] = (*row[:-1], near.get(label, min(near.values()))), who


def weighted(weights, row):
    logit = sum(weight * sign for weight, sign in zip(weights, row, strict=False))
    return max(-LARGEST_LOGIT, min(logit, LARGEST_LOGIT))


def rank(signs, weights, top):
    """[(label, probability)] of the best, from {label: signs}; the last weight is none's logit."""
    logits = {label: weighted(weights, row) for label, row in signs.items()}
    largest = max([weights[-1], *logits.values()])
    total = sum(math.exp(logit - largest) for logit in [weights[-1], *logits.values()])
    best = sorted(logits, key=lambda label: -logits[label])[:top]
    return [(label, math.exp(logits[label] - largest) / total) for label in best]


def sure(features, xs, ranker, weights):
    """[(label, probability)] of the label that leads without the trees, or [] if none does, and
    whether it is a guess: others have nearly as many votes, or there are none."""
    named = candidates([], 1, features, xs, ranker, weights)
    voted = list(named)
    named = {label: named[label] for label in voted[:FIRST_COMPARED]}
    compare_closely(named, features, xs, ranker, weights)
    first = {label: row for label, (row, _) in named.items()}
    logits = [weighted(weights, row) for row in first.values()]
    best, second = sorted([-math.inf, weights[-1], *logits])[:-3:-1]
    if best in logits and best - second > LEAD + weights[0] * -math.log(SMALLEST_MASS):
        ((label, probability),) = rank(first, weights, 1)
        votes = ranker.lists.vote(features, xs, BUDGET)
        rivals = [votes[other] for other in voted[FIRST_COMPARED:]]
        is_guess = not rivals or votes[label] <= OUTVOTED * max(rivals)
        return [(label, probability)], is_guess
    return [], False


class Combination:
    """The weights of a conditional logit, by a damped step of Newton's method an example. What is
    believed at first fades as older examples do, and is believed anew as much as it faded. No sign
    speaks against a label; only the logit of none may be negative. Some examples have any label by
    chance; an example counts by the probability that it is none of them."""

    def __init__(self):
        self.weights = np.array(FIRST)
        self.curvature = BELIEF

    def shares(self, signs):
        logits = self.matrix(signs) @ self.weights
        shares = np.exp(logits - logits.max())
        return shares / shares.sum()

    @staticmethod
    def matrix(signs):
        """A row a candidate, and one of none."""
        rows = [[*row, 0.0] for row in signs]
        return np.array([*rows, [0.0] * (len(FIRST) - 1) + [1.0]])

    def fade(self):
        """What was learned counts little from now on, but never less than what is believed anew at
        an example."""
        self.curvature = FADED * self.curvature
        for i in range(len(FIRST)):
            least = (1 - MEMORY) * BELIEF[i, i]
            self.curvature[i, i] = max(self.curvature[i, i], least)

    def learn(self, signs, right, importance=1.0, memory=MEMORY):
        """`right` is a candidate's number, or that of none: how many there are."""
        rows, shares = self.matrix(signs), self.shares(signs)
        outlier, regular = OUTLIERS / len(rows), (1 - OUTLIERS) * shares[right]
        importance *= regular / (outlier + regular)  # Bayes' rule
        mean = shares @ rows
        second = (rows - mean).T @ np.diag(shares) @ (rows - mean)
        self.curvature = memory * self.curvature + importance * second + (1 - memory) * BELIEF
        slope = importance * (mean - rows[right])
        least, is_free = self._least(slope)
        step = least - self.weights
        damped = self.weights + step / (1 + math.sqrt(max(-slope @ step, 0.0)))
        self.weights = np.clip(np.where(is_free, damped, 0.0), -LARGEST_WEIGHT, LARGEST_WEIGHT)

    def _least(self, slope):
        """Where the quadratic with this slope and curvature at the weights is least; weights of
        signs that would be negative there are 0, and the others are where it is least then: those
        that are free."""
        free = np.ones(len(FIRST), bool)
        while True:
            moved = np.where(free, 0.0, -self.weights)
            wanted = -(slope + self.curvature @ moved)[free]
            moved[free] = np.linalg.solve(self.curvature[np.ix_(free, free)], wanted)
            weights = np.where(free, self.weights + moved, 0.0)
            if (weights[:-1] >= 0).all():
                return weights, free
            free[:-1] &= weights[:-1] >= 0


def probed(stream, dense, learned=0):
    """The numbers of the examples to be ranked before they are learned: each with a probability
    that falls with how many were learned before it, and is never more than a limit."""
    numbers = []
    for number, one in enumerate(stream):
        if one.label < 0 or one.weight == 0:
            continue
        if draw(1, learned) / 2**64 < min(MOST_PROBED, dense / (learned + 1)):
            numbers.append(number)
        learned += 1
    return numbers


def reserved(first, count):
    """Which of so many examples of a pass wait for a later one."""
    chances = [min(MOST_RESERVED, RESERVED / (n + 1)) for n in range(first, first + count)]
    return [draw(2, first + i) / 2**64 < chance for i, chance in enumerate(chances)]
