"""The best label of one example at a time, where the call itself must cost next to nothing: all
that kernels take stays the same from call to call; only what is in the batch changes."""

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.examples.batch import CONSTANT, make_batch
from lomtree.features.scaling import apply_scales
from lomtree.jit.binding import bind
from lomtree.learners.base import Learner
from lomtree.learners.tree.beam_search import SearchSettings, make_beam, search
from lomtree.learners.tree.leaf_labels import KEPT
from lomtree.learners.tree.learner import TreeLearner, stretch_of
from lomtree.ranking.ranking import Ranking, make_found, make_scratch, rank


class OneExampleRanker:
    """For learners with trees, as they are now: one that has learned since needs another one.
    `features` and `values` are where the next example is written, without its constant."""

    def __init__(self, learner: Learner, beam: int, room: int) -> None:
        trees: list[TreeLearner] = learner.members
        batch, columns = make_batch(1, room + 1), beam * KEPT
        scaled = batch._replace(values=np.empty(room + 1, np.float32))
        found = make_found(1, columns * len(trees))
        scratch, ranking = make_scratch(columns * len(trees), 1, room + 1), Ranking.of(1, 1)
        self.room = room
        self.features, self.values, self._starts = batch.features, batch.values, batch.starts
        self._starts[0] = 0
        self._labels = ranking.labels
        self._steps = [bind(apply_scales, learner.scaler.scales, batch, 0, 1, scaled.values)]
        for number, tree in enumerate(trees):
            settings = SearchSettings(stretch_of(tree.options), number * columns)
            place = (settings, make_beam(beam), found, np.zeros(1, np.int32))
            self._steps.append(bind(search, tree.router, tree.leaf_labels, scaled, 0, 1, *place))
        self._steps.append(bind(rank, learner.scorer, scaled, found, 0, 1, scratch, ranking))

    def rank(self, count: int) -> np.ndarray:
        """int32[1]: the best label of the example that has the first `count` features. It is
        another one after the next call."""
        self.features[count] = CONSTANT
        self.values[count] = 1.0
        self._starts[1] = count + 1
        self._labels[0, 0] = NO_LABEL
        for step in self._steps:
            step()
        return self._labels[0]
