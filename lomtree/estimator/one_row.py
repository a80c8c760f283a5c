"""The labels of one row at a time, with as little around it as can be.

Services ask for one row after the other. Then the checks of scikit-learn take several times as
long as the prediction, so a row that is plainly right goes past them; any other takes the usual
way, where someone says what is wrong with it.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from lomtree.arrays.names import FeatureNames
from lomtree.arrays.raw_row import RowReader
from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.derivations import NOTHING
from lomtree.estimator.scikit import csr_array, csr_matrix
from lomtree.learners.tree.one_example import OneExampleRanker, OneExampleWalker
from lomtree.ranking.ranking import Ranking

if TYPE_CHECKING:
    from lomtree.model.model import Model

_FLOATS = "fd"  # float32 and float64, as numpy abbreviates them
_FIRST_ROOM = 64  # features
_MOST_RANKERS = 4  # for other beams and numbers of labels


class OneRow:
    TYPES = (np.ndarray, csr_matrix, csr_array, list)

    def __init__(self, model: "Model", names: FeatureNames) -> None:
        self._model, self._names = model, names
        self._reader = RowReader(_FIRST_ROOM)
        self._rankers: dict[tuple[int, int], OneExampleRanker] = {}
        self._walker: OneExampleWalker | None = None
        options = model.options
        self._possible = ALGORITHMS[options.algorithm].has_tree and options.derived == NOTHING

    def forget(self) -> None:
        """The model has learned."""
        self._rankers, self._walker = {}, None

    def rank(self, X: Any, width: int | None, beam: int, top: int) -> Ranking | None:
        """The `top` best labels, until the next call; None if X is not one plain row of this
        width."""
        if not self._possible or not self._put(X, width):
            return None
        ranker = self._rankers.get((beam, top)) or self._new_ranker(beam, top)
        ranking = ranker.rank()
        return ranking if self._reader.is_plain else None

    def walk(self, X: Any, width: int | None) -> np.ndarray | None:
        """int32[1]: the label of a walk; else as above."""
        if not self._possible or not self._put(X, width):
            return None
        reader = self._reader
        if self._walker is None:
            self._walker = OneExampleWalker(self._model.learner, reader.batch, [reader.read])
        labels = self._walker.walk()
        return labels if reader.is_plain else None

    def _new_ranker(self, beam: int, top: int) -> OneExampleRanker:
        if len(self._rankers) == _MOST_RANKERS:
            self._rankers = {}
        learner, reader = self._model.learner, self._reader
        ranker = OneExampleRanker(learner, reader.batch, beam, top, [reader.read])
        self._rankers[beam, top] = ranker
        return ranker

    def _put(self, X: Any, width: int | None) -> bool:
        """Put X into the reader, if it may be one plain row."""
        if type(X) is list:
            if len(X) != 1 or type(X[0]) is not dict:
                return False
            return self._with_room(len(X[0])).put_dict(X[0], self._names)
        shape = X.shape
        if len(shape) != 2 or shape[0] != 1 or (width is not None and shape[1] != width):
            return False
        if type(X) is np.ndarray:
            return X.dtype.char in _FLOATS and self._with_room(shape[1]).put_dense(X[0])
        values = X.data
        if values.dtype.char not in _FLOATS or X.indptr.item(1) != len(values):
            return False
        return self._with_room(len(values)).put_sparse(X.indices, values, shape[1])

    def _with_room(self, count: int) -> RowReader:
        if count > self._reader.room:
            self._reader = RowReader(2 * count)
            self.forget()
        return self._reader
