"""The labels that lists vote for, and whether they leave any doubt.

Mostly one label is so much more like the example than all others that nothing a search of the trees
could find would change the answer. Then there is none: it takes as long as all the rest. What trees
say of a label that lists name counts from nothing to the whole range of their sign, so a label is
sure if it leads the others, and "none of these", by more than that range and LEAD.

That is so among the few labels with most votes. Where others have nearly as many, one of them may
be the right one; where lists name no others, nothing is known of these. So a sure label is a guess
unless it has more than OUTVOTED times the votes of the first one that was not compared: if a walk
down the tree comes to it as well, it is taken, otherwise the tree is searched.

That is for who wants the best label alone. Lists of several are ranked in full; and where there are
so few labels that all can be candidates, they always are: what is said to be best then is what has
the largest probability.
"""

from math import log
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.examples.batch import vector_of
from lomtree.jit.kernel import kernel
from lomtree.ranking.bag import best_of, empty
from lomtree.ranking.combination import MASS, NONE
from lomtree.ranking.comparison import compare_all
from lomtree.ranking.label_lists import vote
from lomtree.ranking.ranking import (
    BUDGET,
    FROM_EACH,
    SMALLEST_MASS,
    add_voted,
    put_best,
)

# To compare a label takes a look at each feature, so lists name fewer where examples are long.
FEWEST_VOTED = 16
MOST_COMPARED = 4096  # features of an example times labels that lists name
LEAST_VOTE = 0.3  # a label's share of what the first one has
FIRST_COMPARED = 8  # labels, those with most votes
LEAD = 4.0  # of logits: one of two such labels is right in 98 of 100 cases
OUTVOTED = 2.0  # times the votes of the first label that was not compared


class Shortlist(NamedTuple):
    """A row an example; the first of these are its labels, most votes first."""

    labels: np.ndarray  # int32[rows, most]
    counts: np.ndarray  # int64[rows]
    is_open: np.ndarray  # bool[rows]: whether trees are to be searched
    guesses: np.ndarray  # int32[rows]: what a walk is to confirm before that, or NO_LABEL


def make_shortlist(rows: int, top: int) -> Shortlist:
    """For so many examples, of which `top` labels each are to be named."""
    most = max(FROM_EACH, (top + 1) // 2)
    return Shortlist(
        np.empty((rows, most), np.int32),
        np.zeros(rows, np.int64),
        np.ones(rows, np.bool_),
        np.full(rows, NO_LABEL, np.int32),
    )


def may_answer_at_once(labels: int, top: int) -> bool:
    """Whether the best of so many labels may be named without a search."""
    return top == 1 and labels > FROM_EACH


@kernel
def most_voted(vector, most):
    """How many labels lists may name for an example."""
    if most > FROM_EACH:  # so many are to be named
        return most
    length = max(vector.end - vector.begin, 1)
    return min(max(MOST_COMPARED // length, FEWEST_VOTED), most)


@kernel
def take_votes(lists, vector, scratch, shortlist, row):
    """Write the labels that lists vote for; what each has stays in the bag, at its place."""
    bag = scratch.bag
    held = vote(lists, BUDGET, vector, scratch.sizes, bag)
    places = scratch.places[: most_voted(vector, len(scratch.places))]
    chosen = best_of(bag, held, LEAST_VOTE, places)
    empty(bag, held)
    for place in range(chosen):
        shortlist.labels[row, place] = bag.labels[scratch.places[place]]
    shortlist.counts[row] = chosen


@kernel
def safe_lead(weights):
    """What a label must lead by so that the trees need not be asked."""
    return LEAD - weights[MASS] * log(SMALLEST_MASS)


@kernel
def is_sure(logits, count, weights):
    """Whether the best label leads by so much."""
    best, second = -np.inf, weights[NONE]
    for place in range(count):
        second = max(second, min(best, logits[place]))
        best = max(best, logits[place])
    return best - second > safe_lead(weights)


@kernel
def outvotes(shortlist, row, scratch, label):
    """Whether a label that was compared has plainly more votes than the first that was not."""
    if shortlist.counts[row] <= FIRST_COMPARED:
        return False
    votes, place = scratch.bag.masses, np.int64(0)
    while shortlist.labels[row, place] != label:
        place += 1
    others = votes[scratch.places[FIRST_COMPARED]]
    return votes[scratch.places[place]] > OUTVOTED * others


@kernel
def answer_at_once(scorer, vector, scratch, shortlist, row, ranking, example):
    """Name the best label, if it is sure; it may be a guess."""
    candidates, all_voted = scratch.candidates, shortlist.counts[row]
    shortlist.counts[row] = min(all_voted, FIRST_COMPARED)
    count = add_voted(shortlist, row, candidates, 0)
    shortlist.counts[row] = all_voted
    compare_all(scorer, vector, scratch, count, safe_lead(scorer.weights))
    if not is_sure(candidates.logits, count, scorer.weights):
        return
    put_best(candidates.labels, candidates.logits, count, scorer.weights[NONE], ranking, example)
    label = ranking.labels[example, 0]
    if outvotes(shortlist, row, scratch, label):
        shortlist.is_open[row] = False
    else:
        shortlist.guesses[row] = label


@kernel
def shorten(scorer, batch, first, last, at_once, scratch, shortlist, ranking):
    """Write the shortlist of each of the examples first:last; row 0 is the first's. If it may be
    `at_once`, rank what is sure."""
    for example in range(first, last):
        row = example - first
        shortlist.counts[row] = 0
        shortlist.is_open[row] = True
        shortlist.guesses[row] = NO_LABEL
        if scorer.ranked:
            vector = vector_of(batch, example)
            take_votes(scorer.lists, vector, scratch, shortlist, row)
            if at_once:
                answer_at_once(scorer, vector, scratch, shortlist, row, ranking, example)
