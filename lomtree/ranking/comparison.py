"""Candidates are compared with an example: by what their labels know of its features; then those
that are first by their exemplars as well."""

import numpy as np

from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.ranking.centroid import compare, length_of
from lomtree.ranking.combination import (
    CLOSENESS,
    COSINE,
    COVERAGE,
    NONE,
    REGRESSOR,
    ROOTS,
)
from lomtree.ranking.exemplars import closeness, find_nearest
from lomtree.ranking.exemplars import fetch as fetch_exemplars
from lomtree.ranking.lookup import clear, fill
from lomtree.ranking.sighting import fetch_marks, sight

LARGEST_LOGIT = 1e6
AHEAD = 6  # candidates, whose marks are asked for
CLOSELY_COMPARED = 8  # candidates, by their exemplars


@kernel
def compare_candidate(scorer, vector, length, scratch, place, positions, sighted):
    """Write the signs of a candidate that its features tell."""
    label, signs = scratch.candidates.labels[place], scratch.candidates.signs[place]
    cosine, of_roots, coverage, score = compare(
        scorer.known, vector, length, label, positions, sighted, scratch.shared
    )
    signs[COSINE] = cosine
    signs[ROOTS] = of_roots
    signs[COVERAGE] = coverage
    signs[REGRESSOR] = score


@kernel
def compare_each(scorer, vector, length, scratch, count):
    """Compare so many candidates with an example of this length: each is sighted before the one
    before it is compared."""
    candidates, known, before = scratch.candidates, scorer.known, 0
    for place in range(count):
        if candidates.labels[place] < len(known.tables):
            prefetch(known.tables, candidates.labels[place])
    for place in range(min(count, AHEAD)):
        fetch_marks(known, candidates.labels[place])
    for place in range(count + 1):
        now, sighted = scratch.sighted[place & 1], 0
        if place + AHEAD < count:
            fetch_marks(known, candidates.labels[place + AHEAD])
        if place < count:
            sighted = sight(known, vector, candidates.labels[place], now)
        if place > 0:
            then = scratch.sighted[(place - 1) & 1]
            compare_candidate(scorer, vector, length, scratch, place - 1, then, before)
        before = sighted


@kernel
def weigh(scorer, candidates, place):
    """Write the logit of a candidate, without its closeness."""
    signs, logit = candidates.signs[place], 0.0
    signs[CLOSENESS] = 0.0
    for sign in range(NONE):
        logit += scorer.weights[sign] * signs[sign]
    candidates.logits[place] = min(max(logit, -LARGEST_LOGIT), LARGEST_LOGIT)


@kernel
def find_first(logits, count, first):
    """Write the places of the largest logits, of equal ones those that came first; returns how
    many."""
    kept = 0
    for place in range(count):
        at = kept if kept < len(first) else kept - 1
        if kept == len(first) and logits[first[at]] >= logits[place]:
            continue
        while at > 0 and logits[first[at - 1]] < logits[place]:
            first[at] = first[at - 1]
            at -= 1
        first[at] = place
        kept = min(kept + 1, len(first))
    return kept


@kernel
def keep_in_reach(scorer, candidates, first, kept, lead):
    """Of the best candidates, keep the first, and those that exemplars could bring to less than
    this lead behind it; returns how many. An exemplar has no features that its label does not
    have, so its cosine is at most the root of the coverage."""
    best, weights = candidates.logits[first[0]], scorer.weights
    left = 1
    for number in range(1, kept):
        place = first[number]
        most = closeness(np.sqrt(candidates.signs[place, COVERAGE]))
        if candidates.logits[place] + weights[CLOSENESS] * most + lead >= best:
            first[left] = place
            left += 1
    return left


@kernel
def compare_closely(scorer, vector, length, scratch, count, lead):
    """Compare the best candidates by their exemplars, too, but none that would stay so far behind
    the first."""
    candidates, first, lookup = scratch.candidates, scratch.first, scratch.lookup
    kept = find_first(candidates.logits, count, first)
    if kept > 1:
        kept = keep_in_reach(scorer, candidates, first, kept, lead)
    for number in range(kept):
        fetch_exemplars(scorer.exemplars, candidates.labels[first[number]])
    fill(lookup, vector, length)
    least = np.inf
    for number in range(kept):
        label = candidates.labels[first[number]]
        _head, cosine = find_nearest(scorer.exemplars, label, lookup)
        candidates.signs[first[number], CLOSENESS] = closeness(cosine)
        least = min(least, closeness(cosine))
    clear(lookup)
    for place in range(count):
        near = max(candidates.signs[place, CLOSENESS], least)
        candidates.signs[place, CLOSENESS] = near
        logit = candidates.logits[place] + scorer.weights[CLOSENESS] * near
        candidates.logits[place] = min(max(logit, -LARGEST_LOGIT), LARGEST_LOGIT)


@kernel
def compare_all(scorer, vector, scratch, count, lead):
    """Compare so many candidates with an example; see compare_closely() for the lead."""
    candidates, length = scratch.candidates, 0.0
    if scorer.ranked:
        length = length_of(vector)
        compare_each(scorer, vector, length, scratch, count)
    else:
        for place in range(count):
            candidates.signs[place, COSINE:NONE] = 0.0
    for place in range(count):
        weigh(scorer, candidates, place)
    if length > 0.0:
        compare_closely(scorer, vector, length, scratch, count, lead)
