"""At which place trees, and what a ranker finds besides, have the labels of examples."""

import numpy as np

from lomtree.examples.batch import Batch, longest
from lomtree.learners.base import Learner
from lomtree.learners.tree.beam_search import make_beam
from lomtree.learners.tree.leaf_labels import KEPT
from lomtree.learners.tree.learner import CHUNK, search_with
from lomtree.ranking.ranking import Ranking, make_found, make_scratch
from lomtree.ranking.recall import FINDERS, NOT_FOUND, find_places
from lomtree.ranking.shortlist import make_shortlist, shorten


def places_of_labels(learner: Learner, batch: Batch, count: int, width: int) -> np.ndarray:
    """int32[count, FINDERS], from 0 on, or NOT_FOUND: see ranking/recall. The learner has a tree or
    several, which are searched for the best `width` leaves; examples without a label are nowhere.
    """
    places = np.full((count, FINDERS), NOT_FOUND, np.int32)
    trees, scorer = learner.members, learner.scorer
    beam, columns = make_beam(width), width * len(trees) * KEPT
    scratch = make_scratch(columns, 1, longest(batch, 0, count))
    shortlist, ranking = make_shortlist(min(CHUNK, count), 1), Ranking.of(0, 1)
    found, asked = make_found(min(CHUNK, count), columns), np.zeros(count, np.int32)
    scaled = learner.scaler.outline(batch, count)
    learner.scaler.apply(batch, 0, count, scaled)
    for first in range(0, count, CHUNK):
        last = min(first + CHUNK, count)
        shorten(scorer, scaled, first, last, False, scratch, shortlist, ranking)
        search_with(trees, scaled, first, last, shortlist.is_open, beam, found, asked)
        find_places(scorer, scaled, found, shortlist, first, last, scratch, places)
    return places
