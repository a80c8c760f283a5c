"""The best label of one example at a time, where the call itself must cost next to nothing.

Everything that kernels take stays the same from call to call, so that nothing of it has to be
looked at again (jit/calling); only the features in the batch change.
"""

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.examples.batch import CONSTANT, make_batch
from lomtree.features.scaling import apply_scales
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
        self.room = room
        self._batch = make_batch(1, room + 1)
        self.features, self.values = self._batch.features, self._batch.values
        self._starts = self._batch.starts
        self._starts[0] = 0
        self._scaled = self._batch._replace(values=np.empty(room + 1, np.float32))
        self._scales, self._scorer = learner.scaler.scales, learner.scorer
        columns = beam * KEPT
        self._found = make_found(1, columns * len(trees))
        self._beam, self._asked = make_beam(beam), np.zeros(1, np.int32)
        self._scratch = make_scratch(columns * len(trees), 1, room + 1)
        self._ranking = Ranking.of(1, 1)
        self._searches = [
            (tree.router, tree.leaf_labels, SearchSettings(stretch_of(tree.options), n * columns))
            for n, tree in enumerate(trees)
        ]

    def rank(self, count: int) -> np.ndarray:
        """int32[1]: the best label of the example that has the first `count` features. It is
        another one after the next call."""
        self.features[count] = CONSTANT
        self.values[count] = 1.0
        self._starts[1] = count + 1
        scaled, labels = self._scaled, self._ranking.labels
        apply_scales(self._scales, self._batch, 0, 1, scaled.values)
        for router, kept, settings in self._searches:
            search(router, kept, scaled, 0, 1, settings, self._beam, self._found, self._asked)
        labels[0, 0] = NO_LABEL
        rank(self._scorer, scaled, self._found, 0, 1, self._scratch, self._ranking)
        return labels[0]
