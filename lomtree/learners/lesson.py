"""What is to be learned at once."""

from collections.abc import Iterator
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

    def chunks(self, begin: int, end: int, trees: int, is_last: bool) -> Iterator[tuple[int, int]]:
        """The examples begin:end in parts that trees learn before the ranker follows: small ones,
        so that it does not wait for long, but worth a call. Smaller and smaller ones where they are
        the last of the batch, as then the trees wait for the ranker."""
        features = int(self.batch.starts[end] - self.batch.starts[begin])
        fitting = _CHUNK_FEATURES * (end - begin) // max(features, 1)
        most = trees * min(_CHUNK, max(1, fitting))
        while begin < end:
            count = min(most, end - begin)
            if is_last:
                count = min(count, max((end - begin) // 2, most // 8, 1))
            yield begin, begin + count
            begin += count
