"""Memory touched before a growing table needs it, on another core.

The system clears memory when it is first touched, and a virtual machine may have to get it first:
on such a machine that was a quarter of the time of training.
"""

from concurrent.futures import Executor, Future

from lomtree.linear.hashed_weights import BLOCK, GROW_AT, Weights
from lomtree.system.memory import touch

EARLY = 0.85  # how full a table is when its growth is prepared; GROW_AT is when it grows


class Prefaulter:
    """Runs ahead of a table of weights: the fuller it is, the more of what its next doubling will
    bring into use has been touched."""

    def __init__(self) -> None:
        self._touched = 0  # cells
        self._job: Future | None = None

    def run(self, weights: Weights, cores: Executor) -> None:
        if self._job is not None and not self._job.done():
            return
        cells, lines = weights.size.tolist()
        ripe = (lines * BLOCK / cells - EARLY) / (GROW_AT - EARLY)
        wanted = min(cells + int(cells * min(ripe, 1.0)), len(weights.table))
        begin = max(self._touched, cells)
        if wanted > begin:
            self._touched = wanted
            self._job = cores.submit(touch, weights.table[begin:wanted])
