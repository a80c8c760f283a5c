"""Examples are scaled as learning comes to them: on another core, if there is one, and ahead."""

from concurrent.futures import Executor, Future

from lomtree.examples.batch import Batch
from lomtree.features.scaling import Scaler
from lomtree.system.timing import watch

PIECE = 2048  # examples


class Entry:
    """The first `count` examples of a batch on their way into a learner. Without other cores all
    are scaled at once; how this is cut does not matter."""

    def __init__(self, scaler: Scaler, batch: Batch, count: int, cores: Executor | None) -> None:
        self.scaled, self.mean_squares = scaler.outline_to_enter(batch, count)
        self._scaler, self._batch, self._count, self._cores = scaler, batch, count, cores
        self._entered = self._asked = 0
        self._job: Future[None] | None = None

    def reach(self, end: int) -> None:
        """Wait until the examples up to this one are scaled; begin with the next ones."""
        if self._cores is None and self._entered < end:
            self._enter(0, self._count)
            self._entered = self._count
        while self._entered < end:
            self._ask()
            self.close()
            self._entered = self._asked
            self._ask()

    def close(self) -> None:
        """Nothing is being scaled after this."""
        if self._job is not None:
            job, self._job = self._job, None
            job.result()

    def _ask(self) -> None:
        if self._job is None and self._cores is not None and self._asked < self._count:
            first, self._asked = self._asked, min(self._asked + PIECE, self._count)
            self._job = self._cores.submit(self._enter, first, self._asked)

    def _enter(self, first: int, last: int) -> None:
        features = self._batch.starts[last] - self._batch.starts[first]
        with watch.stage("scale", examples=last - first, features=features):
            self._scaler.enter_part(self._batch, first, last, self.scaled, self.mean_squares)
