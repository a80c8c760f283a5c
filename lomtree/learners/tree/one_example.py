"""The labels of one example at a time, where the call itself must cost next to nothing: all that
kernels take stays the same from call to call; only what is in the batch changes.

For learners with trees, as they are now: one that has learned since needs others.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.examples.batch import Batch
from lomtree.features.scaling import apply_scales
from lomtree.jit.binding import bind, chain
from lomtree.jit.kernel import kernel
from lomtree.learners.base import Learner
from lomtree.learners.tree.beam_search import SearchRoom, make_beam
from lomtree.learners.tree.leaf_labels import KEPT
from lomtree.learners.tree.learner import TreeLearner
from lomtree.ranking.combination import FIRST
from lomtree.ranking.ranking import Ranking, Scorer, make_found, make_scratch, no_ranker, rank
from lomtree.ranking.shortlist import make_shortlist, may_answer_at_once, shorten

Steps = Sequence[Callable[[], Any]]


class OneExampleRanker:
    """Ranks the labels of the example in a batch that has room for one."""

    def __init__(
        self, learner: Learner, batch: Batch, beam: int, top: int, first: Steps = ()
    ) -> None:
        """The steps that come first may fill the batch."""
        scaled, scale = _scaling(learner, batch)
        self._ranking = Ranking.of(1, top)
        ranking = _ranking_steps(learner.members, learner.scorer, scaled, beam, self._ranking)
        self._run = chain(*first, scale, _clearing(self._ranking), *ranking)

    def rank(self) -> Ranking:
        """Of the example that is in the batch now; another one after the next call."""
        self._run()
        return self._ranking


class OneExampleWalker:
    """Walks down with it, as the paper does; where there are several trees, down each of them."""

    def __init__(self, learner: Learner, batch: Batch, first: Steps = ()) -> None:
        scaled, scale = _scaling(learner, batch)
        ranking, trees = Ranking.of(1, 1), learner.members
        self._labels = ranking.labels[0]
        if len(trees) == 1:
            depths = np.zeros(1, np.int32)
            walk: Steps = [trees[0].bound_walk(scaled, self._labels, depths)]
        else:
            walk = _ranking_steps(trees, no_ranker(np.array(FIRST)), scaled, 1, ranking)
        self._run = chain(*first, scale, _clearing(ranking), *walk)

    def walk(self) -> np.ndarray:
        """int32[1]: the label; another one after the next call."""
        self._run()
        return self._labels


@kernel
def clear(labels, probabilities):
    labels[:] = NO_LABEL
    probabilities[:] = 0.0


def _clearing(ranking: Ranking) -> Callable[[], Any]:
    return bind(clear, ranking.labels, ranking.probabilities)


def _scaling(learner: Learner, batch: Batch) -> tuple[Batch, Callable[[], Any]]:
    """The batch with room for scaled values, and what fills that."""
    scaled = batch._replace(values=np.empty(len(batch.values), np.float32))
    return scaled, bind(apply_scales, learner.scaler.scales, batch, 0, 1, scaled.values)


def _ranking_steps(
    trees: list[TreeLearner], scorer: Scorer, scaled: Batch, beam: int, ranking: Ranking
) -> Steps:
    """Ask the lists, walk and search each tree if need be, then rank what was found."""
    columns, top = beam * KEPT, ranking.labels.shape[1]
    found, shortlist = make_found(1, columns * len(trees)), make_shortlist(1, top)
    scratch = make_scratch(columns * len(trees), top, len(scaled.features))
    ends, at_once = (0, 1), may_answer_at_once(trees[0].labels_seen, top)
    steps = [bind(shorten, scorer, scaled, *ends, at_once, scratch, shortlist, ranking)]
    if scorer.ranked and at_once:
        steps.append(trees[0].bound_confirm(scaled, shortlist, np.zeros(1, np.int32)))
    for number, tree in enumerate(trees):
        room = SearchRoom(number * columns, make_beam(beam), found, np.zeros(1, np.int32))
        steps.append(tree.bound_search(scaled, shortlist.is_open, room))
    steps.append(bind(rank, scorer, scaled, found, shortlist, *ends, at_once, scratch, ranking))
    return steps
