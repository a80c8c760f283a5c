"""Work that follows other work in its order: at once, or on another core, behind it."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any

from lomtree.system.threads import Workers


class Follower:
    """Does what it is given in that order; who gives it waits in the end alone."""

    def __init__(self) -> None:
        self.beside = False
        self._jobs: list[Future] = []
        self._worker = Workers(1)  # one, so that the order stays

    @contextmanager
    def working(self, beside: bool) -> Iterator[None]:
        """All that is given in the block is done when it ends; `beside` it, or at once. If the
        block fails, what has not begun is left undone; what has is over when it ends."""
        self.beside = beside
        try:
            yield
            for job in self._jobs:
                job.result()
        finally:
            wait([job for job in self._jobs if not job.cancel()])
            self._jobs.clear()
            self.beside = False

    def do(self, work: Callable[..., None], *arguments: Any) -> None:
        if self.beside:
            self._jobs.append(self._worker.pool.submit(work, *arguments))
        else:
            work(*arguments)
