"""How much each sign of a label counts: the weights of a conditional logit, learned online.

Candidates are compared by signs: the logarithm of the tree's mass, three ways to compare with the
centroid (see centroid), the score of the label's regressor, the closeness of the nearest
exemplar. Their weighted sum is a candidate's logit, and the probabilities are a softmax over the
candidates and "none of these", which has a logit of its own.

It learns from predictions of examples that nothing has been learned from yet. Each of them is a
step of Newton's method: H is the sum of what the second derivatives were, older ones fading, and
the weights move by H^-1 times the gradient g. So the probabilities are calibrated as well: a
softmax whose weights are fitted has the right temperature. The step is damped, by 1 / (1 + root of
g H^-1 g): where H knows nothing of a direction yet, a single surprise would lead so far away that
everything after it would look like an outlier.

Some examples are like nothing that was learned: their label is wrong, or comes by chance. A share
OUTLIERS is taken for such, with any candidate as their label, and an example counts by the
probability that it is none of them. Without that a few hopeless ones make all others less sure.

A sign speaks for a label, never against it, whatever noise says: of labels that all signs find
equal, the one of most mass stays first. Signs are alike, so where one's weight would be negative
and ends at 0, the others' go where they are best then.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.jit.kernel import kernel
from lomtree.storage.state_dict import StateDict

MASS, COSINE, ROOTS, COVERAGE, REGRESSOR, CLOSENESS, NONE = range(7)
SIGNS = 7

# What is believed before anything has been seen, and how far from it the truth may be.
FIRST = (0.5, 4.0, 4.0, 2.0, 0.7, 1.0, -1.0)
SPREAD = (0.5, 10.0, 10.0, 3.0, 0.5, 3.0, 3.0)
OUTLIERS = 0.03
MEMORY = 0.998  # what an example counts when the next one has come
FIRST_MEMORY = 0.985  # in a first pass: the model still becomes another one
FADED = 0.05  # see fade()
LEAST_CURVATURE = tuple((1.0 - MEMORY) / (spread * spread) for spread in SPREAD)
LARGEST = 1e6  # of a weight
LARGEST_CURVATURE = 1e120  # more than the largest signs and importances can make


class Combination(NamedTuple):
    weights: np.ndarray  # float64[SIGNS]
    curvature: np.ndarray  # float64[SIGNS, SIGNS]


def make_combination() -> Combination:
    return Combination(np.array(FIRST), np.diag([1.0 / spread**2 for spread in SPREAD]))


def fade(combination: Combination) -> None:
    """Let what was learned so far count little beside what comes: the model is another one now. As
    much as an example adds is left, however often it fades: less is not let in from a file."""
    combination.curvature[:] *= FADED
    diagonal = np.einsum("ii->i", combination.curvature)
    np.maximum(diagonal, LEAST_CURVATURE, out=diagonal)


class CombinationScratch(NamedTuple):
    shares: np.ndarray  # float64[candidates + 1]: the last one is that of none of them
    mean: np.ndarray  # float64[SIGNS]: of the signs, by the shares
    slope: np.ndarray  # float64[SIGNS]: of the loss
    rows: np.ndarray  # float64[SIGNS, SIGNS + 1]: equations to be solved
    bound: np.ndarray  # bool[SIGNS]: weights that end at 0


def make_scratch(candidates: int) -> CombinationScratch:
    return CombinationScratch(
        np.empty(candidates + 1),
        np.empty(SIGNS),
        np.empty(SIGNS),
        np.empty((SIGNS, SIGNS + 1)),
        np.empty(SIGNS, np.bool_),
    )


@kernel
def sign_of(signs, count, place, i):
    """A sign of a candidate; that of none of them comes after the last."""
    if place == count:
        return 1.0 if i == NONE else 0.0
    return 0.0 if i == NONE else signs[place, i]


@kernel
def find_shares(weights, signs, count, shares):
    """The probabilities of the candidates, and of none of them."""
    largest = -np.inf
    for place in range(count + 1):
        logit = 0.0
        for i in range(SIGNS):
            logit += weights[i] * sign_of(signs, count, place, i)
        shares[place] = logit
        largest = max(largest, logit)
    total = 0.0
    for place in range(count + 1):
        shares[place] = exp(shares[place] - largest)
        total += shares[place]
    for place in range(count + 1):
        shares[place] /= total


@kernel
def solve(rows):
    """Solve equations whose matrix is symmetric and positive; the solution is the last column."""
    size = len(rows)
    for i in range(size):
        for below in range(i + 1, size):
            factor = rows[below, i] / rows[i, i]
            for j in range(i, size + 1):
                rows[below, j] -= factor * rows[i, j]
    for i in range(size - 1, -1, -1):
        for j in range(i + 1, size):
            rows[i, size] -= rows[i, j] * rows[j, size]
        rows[i, size] /= rows[i, i]


@kernel
def add_curvature(curvature, scratch, signs, count, importance, memory):
    """Let what was seen so far fade, and count an example in whose shares and mean are known."""
    shares, mean = scratch.shares, scratch.mean
    for i in range(SIGNS):
        for j in range(SIGNS):
            curvature[i, j] *= memory
            for place in range(count + 1):
                one = sign_of(signs, count, place, i) - mean[i]
                other = sign_of(signs, count, place, j) - mean[j]
                curvature[i, j] += importance * shares[place] * one * other
        curvature[i, i] += (1.0 - memory) / (SPREAD[i] * SPREAD[i])


@kernel
def find_step(combination, scratch):
    """Write the step to the least of the quadratic, where weights that are `bound` go to 0, to the
    last column of the rows; tells whether it is finite."""
    weights, curvature = combination
    rows, bound = scratch.rows, scratch.bound
    for i in range(SIGNS):
        for j in range(SIGNS):
            rows[i, j] = 0.0 if bound[i] or bound[j] else curvature[i, j]
        rows[i, SIGNS] = scratch.slope[i]
        for j in range(SIGNS):
            if bound[j]:
                rows[i, SIGNS] -= curvature[i, j] * weights[j]
        if bound[i]:
            rows[i, i], rows[i, SIGNS] = 1.0, weights[i]
    solve(rows)
    finite = True
    for i in range(SIGNS):
        finite = finite and abs(rows[i, SIGNS]) < np.inf
    return finite


@kernel
def take_step(combination, scratch):
    """Move the weights. Those that would be negative end at 0, and the others go towards where they
    are best then, until none would be."""
    weights, rows, bound = combination.weights, scratch.rows, scratch.bound
    for i in range(SIGNS):
        bound[i] = False
    for _ in range(SIGNS):
        if not find_step(combination, scratch):  # no curvature of examples: a stranger's
            return
        found = False
        for i in range(NONE):
            if not bound[i] and weights[i] - rows[i, SIGNS] < 0.0:
                bound[i] = True
                found = True
        if not found:
            break
    decrement = 0.0
    for i in range(SIGNS):
        decrement += scratch.slope[i] * rows[i, SIGNS]
    damping = 1.0 / (1.0 + np.sqrt(max(decrement, 0.0)))
    for i in range(SIGNS):
        weight = 0.0 if bound[i] else weights[i] - damping * rows[i, SIGNS]
        weights[i] = min(max(weight, -LARGEST), LARGEST)


@kernel
def belonging(share, choices):
    """The probability that an example whose right label has this share is no outlier, which could
    have any of so many labels."""
    regular = (1.0 - OUTLIERS) * share
    return regular / (regular + OUTLIERS / choices)


@kernel
def learn_weighted(combination, scratch, signs, count, right, importance, memory):
    """Learn from an example with so many candidates; `right` is the number of the right one, or
    `count` if it is none of them. `memory` is what all examples before count from now on."""
    shares, mean, slope = scratch.shares, scratch.mean, scratch.slope
    find_shares(combination.weights, signs, count, shares)
    importance *= belonging(shares[right], count + 1)
    for i in range(SIGNS):
        mean[i] = 0.0
        for place in range(count + 1):
            mean[i] += shares[place] * sign_of(signs, count, place, i)
        slope[i] = importance * (mean[i] - sign_of(signs, count, right, i))
    add_curvature(combination.curvature, scratch, signs, count, importance, memory)
    take_step(combination, scratch)


def store_combination(combination: Combination, state_dict: StateDict, predict_only: bool) -> None:
    state_dict.arrays["combination.weights"] = combination.weights
    if not predict_only:
        state_dict.arrays["combination.curvature"] = combination.curvature.reshape(-1)


def load_combination(state_dict: StateDict, learning: bool) -> Combination:
    combination = make_combination()
    combination.weights[:] = state_dict.column("combination.weights", np.float64, SIGNS)
    if learning:
        flat = state_dict.column("combination.curvature", np.float64, SIGNS * SIGNS)
        combination.curvature[:] = flat.reshape(SIGNS, SIGNS)
    if not np.all(np.abs(combination.weights) <= LARGEST):
        raise ModelError("the weights of its signs are not finite numbers")
    curvature = combination.curvature
    if not np.all(np.abs(curvature) <= LARGEST_CURVATURE):
        raise ModelError("the curvature of its signs is not finite")
    if np.any(np.diag(curvature) < LEAST_CURVATURE):
        raise ModelError("the curvature of its signs is not positive")
    return combination
