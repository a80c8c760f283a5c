"""Whether examples are the ones that a run had before: a checksum of what has been read so far."""

import zlib

import numpy as np

from lomtree.examples.batch import Batch


class DataSum:
    """Of features, values, labels and importances, each in the order of the stream: how it is cut
    into batches changes nothing."""

    def __init__(self) -> None:
        self._sums = [0] * 5
        self._examples = 0

    def add(self, batch: Batch, count: int) -> None:
        end = int(batch.starts[count])
        columns = (
            np.diff(batch.starts[: count + 1]).astype(np.int64),
            batch.features[:end],
            batch.values[:end],
            batch.labels[:count],
            batch.weights[:count],
        )
        self._sums = [
            zlib.crc32(np.ascontiguousarray(column).view(np.uint8).data, before)
            for before, column in zip(self._sums, columns, strict=True)
        ]
        self._examples += count

    @property
    def text(self) -> str:
        return "-".join([str(self._examples), *(f"{one:08x}" for one in self._sums)])
