"""How well labels are found: at which place each of the finders has the right one."""

from lomtree.core.constants import NO_LABEL
from lomtree.examples.batch import vector_of
from lomtree.jit.kernel import kernel
from lomtree.ranking.bag import add, bucket_of, empty
from lomtree.ranking.label_lists import vote
from lomtree.ranking.ranking import BUDGET, find_candidates

TREES, LISTS, CANDIDATES = range(3)  # the last are what both find and what is ranked
FINDERS = 3
NOT_FOUND = -1


@kernel
def place_of(numbers, count, own):
    """How many numbers come before this one: larger ones, and of equal ones those in front."""
    before = 0
    for other in range(count):
        larger, equal = numbers[other] > numbers[own], numbers[other] == numbers[own]
        if larger or (equal and other < own):
            before += 1
    return before


@kernel
def place_in(bag, held, label):
    """The place of a label in a bag, by what the labels have."""
    bucket = bucket_of(bag, label)
    if bag.buckets[bucket] == 0:
        return NOT_FOUND
    return place_of(bag.masses, held, bag.buckets[bucket] - 1)


@kernel
def place_by_trees(found, row, bag, label):
    held = 0
    for column in range(found.labels.shape[1]):
        if found.labels[row, column] != NO_LABEL:
            held = add(bag, held, found.labels[row, column], found.masses[row, column])
    place = place_in(bag, held, label)
    empty(bag, held)
    return place


@kernel
def place_by_lists(lists, vector, scratch, label):
    held = vote(lists, BUDGET, vector, scratch.sizes, scratch.bag)
    place = place_in(scratch.bag, held, label)
    empty(scratch.bag, held)
    return place


@kernel
def place_among(candidates, count, label):
    """The place of a label among candidates, by their logits."""
    for place in range(count):
        if candidates.labels[place] == label:
            return place_of(candidates.logits, count, place)
    return NOT_FOUND


@kernel
def find_places(scorer, batch, found, shortlist, first, last, scratch, places):
    """Write at which place each finder has the label of the examples first:last, or NOT_FOUND; row
    0 of what trees and lists have found is the first's. Without a ranker only trees find any."""
    for example in range(first, last):
        label = batch.labels[example]
        for finder in range(FINDERS):
            places[example, finder] = NOT_FOUND
        if label == NO_LABEL:
            continue
        vector, row = vector_of(batch, example), example - first
        places[example, TREES] = place_by_trees(found, row, scratch.bag, label)
        if scorer.ranked:
            places[example, LISTS] = place_by_lists(scorer.lists, vector, scratch, label)
            count = find_candidates(scorer, vector, found, shortlist, row, scratch, False)
            places[example, CANDIDATES] = place_among(scratch.candidates, count, label)
