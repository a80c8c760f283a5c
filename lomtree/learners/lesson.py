"""What is to be learned at once."""

from typing import NamedTuple

import numpy as np

from lomtree.examples.batch import Batch

_CHUNK, _CHUNK_FEATURES = 512, 1 << 13  # at most


class Lesson(NamedTuple):
    """Examples to be learned, and room for what learn() tells about each."""

    batch: Batch  # its values are scaled
    mean_squares: np.ndarray  # see Scaler.enter()
    predictions: np.ndarray
    depths: np.ndarray
    rivals: np.ndarray  # int32[members, examples]: what each could be taken for, or NO_LABEL
    progressive: bool = True  # whether anybody wants to know the predictions
    ranked: bool = False  # whether a ranker wants to know the rivals; then it is progressive

    def chunk(self, begin: int, end: int) -> int:
        """How many of the examples begin:end, which are some, one tree learns before the ranker
        follows: few, so that it does not wait for long, and the work of many calls."""
        features = int(self.batch.starts[end] - self.batch.starts[begin])
        return min(_CHUNK, max(1, _CHUNK_FEATURES * (end - begin) // max(features, 1)))
