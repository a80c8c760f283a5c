"""Labels with their probabilities: candidates are found, compared and ranked.

The trees name labels with masses: the sum, over the leaves that searches have found, of the leaf's
probability times the label's share of it. The lists name others (shortlist). The best of both are
the candidates; each is compared by its mass, its centroid and the score of its regressor, weighed
as combination has learned. Those that are first then are compared by their exemplars as well; the
others are taken to be as near as the farthest of these. All of this is O(candidates), never
O(labels).
"""

from math import exp, log
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.examples.batch import vector_of
from lomtree.jit.kernel import kernel
from lomtree.ranking.bag import Bag, add, best_of, empty, make_bag
from lomtree.ranking.centroid import Shared, make_shared
from lomtree.ranking.combination import MASS, NONE
from lomtree.ranking.comparison import CLOSELY_COMPARED, compare_all
from lomtree.ranking.exemplars import Exemplars, make_exemplars
from lomtree.ranking.label_features import LabelFeatures, make_label_features
from lomtree.ranking.label_lists import LabelLists, make_label_lists
from lomtree.ranking.lookup import Lookup, make_lookup

# Candidates are so many at most from trees and from lists (or half of what is to be named, if that
# is more), and only those that have some share of what the best one has.
FROM_EACH = 64
LEAST_MASS = 0.02
BUDGET = 1024  # votes of an example's lists
SMALLEST_MASS = 1e-3  # beside that of all labels found: the trees did not find the label


class Ranking(NamedTuple):
    """The best labels of examples, best first; NO_LABEL and 0 where there are not so many."""

    labels: np.ndarray  # int32[examples, top]
    probabilities: np.ndarray  # float32[examples, top]
    asked: np.ndarray  # int32[examples]: regressors of nodes

    @classmethod
    def of(cls, count: int, top: int) -> "Ranking":
        return cls(
            np.full((count, top), NO_LABEL, np.int32),
            np.zeros((count, top), np.float32),
            np.zeros(count, np.int32),
        )

    def first(self, top: int) -> "Ranking":
        """The best `top` labels alone."""
        return self._replace(labels=self.labels[:, :top], probabilities=self.probabilities[:, :top])

    def only(self, chosen: np.ndarray) -> "Ranking":
        """That of the chosen examples."""
        return Ranking(*(array[chosen] for array in self))


class FoundLabels(NamedTuple):
    """What searches have found, a row an example; the columns of several trees side by side. A
    label may be there several times."""

    labels: np.ndarray  # int32[rows, columns], or NO_LABEL
    masses: np.ndarray  # float64[rows, columns]


class Scorer(NamedTuple):
    """What labels are compared by. Without a ranker there are no centroids and no lists."""

    known: LabelFeatures
    lists: LabelLists
    exemplars: Exemplars
    weights: np.ndarray  # float64[]: see combination
    ranked: bool


class Candidates(NamedTuple):
    """Room for the candidates of one example."""

    labels: np.ndarray  # int32[]
    signs: np.ndarray  # float64[, NONE]: see combination
    logits: np.ndarray  # float64[]
    found: np.ndarray  # uint8[]: 1 where a tree named it, 2 where a list did, 3 where both did


class RankingScratch(NamedTuple):
    candidates: Candidates
    places: np.ndarray  # int64[]: of the best in the bag
    sizes: np.ndarray  # float32[features]
    bag: Bag
    first: np.ndarray  # int64[CLOSELY_COMPARED]: the best candidates
    lookup: Lookup
    sighted: np.ndarray  # int64[2, features]: see sighting
    shared: Shared


def no_ranker(weights: np.ndarray) -> Scorer:
    nothing = (make_label_features(0, 1), make_label_lists(1, 1), make_exemplars(0, 1))
    return Scorer(*nothing, weights, False)


def make_found(rows: int, columns: int) -> FoundLabels:
    return FoundLabels(np.empty((rows, columns), np.int32), np.empty((rows, columns)))


def make_scratch(columns: int, top: int, features: int) -> RankingScratch:
    """For examples with so many labels found and features, of which `top` are to be named."""
    each = max(FROM_EACH, (top + 1) // 2)
    candidates = Candidates(
        np.empty(2 * each, np.int32),
        np.empty((2 * each, NONE)),
        np.empty(2 * each),
        np.empty(2 * each, np.uint8),
    )
    bag = make_bag(max(columns, BUDGET))
    return RankingScratch(
        candidates,
        np.empty(each, np.int64),
        np.empty(features, np.float32),
        bag,
        np.empty(CLOSELY_COMPARED, np.int64),
        make_lookup(features),
        np.empty((2, features), np.int64),
        make_shared(features),
    )


@kernel
def add_found(found, row, scratch):
    """Make candidates of the labels that trees have found; returns their number."""
    bag, candidates, held, total = scratch.bag, scratch.candidates, 0, 0.0
    for column in range(found.labels.shape[1]):
        if found.labels[row, column] != NO_LABEL:
            held = add(bag, held, found.labels[row, column], found.masses[row, column])
            total += found.masses[row, column]
    chosen = best_of(bag, held, LEAST_MASS, scratch.places)
    empty(bag, held)
    for place in range(chosen):
        mass = bag.masses[scratch.places[place]] / total if total > 0.0 else 0.0
        candidates.labels[place] = bag.labels[scratch.places[place]]
        candidates.signs[place, MASS] = log(max(mass, SMALLEST_MASS))
        candidates.found[place] = 1
    return chosen


@kernel
def add_voted(shortlist, row, candidates, count):
    """Make candidates of the labels that lists vote for; returns how many there are then."""
    trees = count
    for place in range(shortlist.counts[row]):
        label, there = shortlist.labels[row, place], False
        for other in range(trees):
            if candidates.labels[other] == label:
                candidates.found[other] = 3
                there = True
        if not there:
            candidates.labels[count] = label
            candidates.signs[count, MASS] = log(SMALLEST_MASS)
            candidates.found[count] = 2
            count += 1
    return count


@kernel
def find_candidates(scorer, vector, found, shortlist, row, scratch, best_alone):
    """Find the candidates of an example and compare them; returns their number. If the best label
    alone is wanted, without its probability, those that cannot be it are not compared closely."""
    candidates = scratch.candidates
    count = add_found(found, row, scratch)
    count = add_voted(shortlist, row, candidates, count)
    compare_all(scorer, vector, scratch, count, 0.0 if best_alone else np.inf)
    return count


@kernel
def put_best(labels, logits, count, none, ranking, example):
    """Write the labels with the largest logits, of equal ones those that came first, with their
    probabilities; `none` is the logit of all other labels together."""
    best, probabilities, top = ranking.labels, ranking.probabilities, ranking.labels.shape[1]
    largest = none
    for place in range(count):
        largest = max(largest, logits[place])
    total = exp(none - largest)
    kept = 0
    for place in range(count):
        total += exp(logits[place] - largest)
        at = kept if kept < top else top - 1
        if kept == top and logits[best[example, at]] >= logits[place]:
            continue
        while at > 0 and logits[best[example, at - 1]] < logits[place]:
            best[example, at] = best[example, at - 1]
            at -= 1
        best[example, at] = place
        kept = min(kept + 1, top)
    for at in range(kept):
        place = best[example, at]
        probabilities[example, at] = np.float32(exp(logits[place] - largest) / total)
        best[example, at] = labels[place]


@kernel
def rank(scorer, batch, found, shortlist, first, last, at_once, scratch, ranking):
    """Rank the labels of those of the examples first:last that are open; row 0 of what was found
    and of the shortlist is the first's. `at_once` as in shorten()."""
    for example in range(first, last):
        row = example - first
        if not shortlist.is_open[row]:
            continue
        vector = vector_of(batch, example)
        count = find_candidates(scorer, vector, found, shortlist, row, scratch, at_once)
        labels, logits = scratch.candidates.labels, scratch.candidates.logits
        put_best(labels, logits, count, scorer.weights[NONE], ranking, example)
