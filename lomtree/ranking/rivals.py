"""Rivals: the labels that an example's own label contends with. Few of them, and hard ones."""

from lomtree.core.constants import NO_LABEL
from lomtree.jit.kernel import kernel
from lomtree.ranking.bag import best_of, empty
from lomtree.ranking.label_lists import vote

RIVALS = 4  # of a label, that are kept
VOTED = 5  # labels that the lists name
BUDGET = 256  # votes: for rivals fewer are enough than for a prediction


@kernel
def contend(scratch, count, label):
    """Let a label contend, unless it does or is none; returns how many do then."""
    if label == NO_LABEL:
        return count
    for place in range(count):
        if scratch.labels[place] == label:
            return count
    scratch.labels[count] = label
    return count + 1


@kernel
def add_voted(state, scratch, vector, count):
    """Let those contend that the lists vote for."""
    held = vote(state.lists, BUDGET, vector, scratch.sizes, scratch.bag)
    chosen = best_of(scratch.bag, held, 0.0, scratch.places)
    empty(scratch.bag, held)
    for place in range(chosen):
        count = contend(scratch, count, scratch.bag.labels[scratch.places[place]])
    return count


@kernel
def keep_rivals(state, scratch, y, count):
    """The contenders with the largest scores stay rivals of the label, those that came first of
    equals."""
    labels, scores, rivals = scratch.labels, scratch.scores, state.rivals
    for place in range(2, count):
        label, score, at = labels[place], scores[place], place
        while at > 1 and scores[at - 1] < score:
            labels[at], scores[at] = labels[at - 1], scores[at - 1]
            at -= 1
        labels[at], scores[at] = label, score
    for place in range(RIVALS):
        rivals[y, place] = labels[1 + place] if 1 + place < count else NO_LABEL
