"""The label of one row at a time, with as little around it as can be.

Services ask for one label after the other. Then the checks of scikit-learn take several times as
long as the prediction, so a row that is plainly right goes past them; any other takes the usual
way, where someone says what is wrong with it.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.derivations import NOTHING
from lomtree.estimator.scikit import csr_array, csr_matrix
from lomtree.examples.batch import CONSTANT
from lomtree.learners.tree.one_example import OneExampleRanker

if TYPE_CHECKING:
    from lomtree.estimator.engine import Engine

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_LARGEST = float(np.finfo(np.float32).max)
_LEAST = 1e-38  # smaller ones may be 0 as float32
_FIRST_ROOM = 64  # features


class OneRow:
    TYPES = (np.ndarray, csr_matrix, csr_array)

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        self._ranker: OneExampleRanker | None = None
        self._beam = 0
        options = engine.model.options
        self._possible = ALGORITHMS[options.algorithm].has_tree and options.derived == NOTHING

    def forget(self) -> None:
        """The model has learned."""
        self._ranker = None

    def predict(self, X: Any, width: int | None, beam: int) -> np.ndarray | None:
        """int32[1]: the number of its label; None if X is not one plain row of this width."""
        shape = X.shape
        if not self._possible or len(shape) != 2 or shape[0] != 1 or shape[1] >= CONSTANT:
            return None
        if width is not None and shape[1] != width:
            return None
        if type(X) is np.ndarray:
            indices = X[0].nonzero()[0]
            data = X[0, indices]
        else:
            indices, data = X.indices, X.data
        count = len(data)
        if data.dtype not in _FLOATS or not self._is_plain(indices, data, count, shape[1]):
            return None
        ranker = self._ranker
        if ranker is None or count > ranker.room or beam != self._beam:
            room = max(_FIRST_ROOM, 2 * count)
            ranker = OneExampleRanker(self._engine.model.learner, beam, room)
            self._ranker, self._beam = ranker, beam
        ranker.features[:count] = indices
        ranker.values[:count] = data
        return ranker.rank(count)

    @staticmethod
    def _is_plain(indices: np.ndarray, data: np.ndarray, count: int, width: int) -> bool:
        """Whether all columns are there, none of them twice, and values are finite and none is 0.
        (For so few numbers Python itself is faster than numpy.)"""
        columns, values = indices.tolist(), list(map(abs, data.tolist()))
        if not count or len(columns) != count:
            return not columns
        if len(set(columns)) < count or min(columns) < 0 or max(columns) >= width:
            return False
        total = sum(values)  # of which NaN and infinity make what they are themselves
        return bool(min(values) > _LEAST and total <= _LARGEST)
