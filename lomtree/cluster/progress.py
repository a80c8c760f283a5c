"""One bar over all shards: examples learned, and how many a second."""

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

from lomtree.cluster.executors import Number


class Bar:
    """Seen on a terminal. A task that is done again does not count twice."""

    def __init__(self) -> None:
        self._done: dict[Number, int] = {}
        self._lock = threading.Lock()
        self._bar: Any = None
        self._visible = False

    @contextlib.contextmanager
    def shown(self, wanted: bool) -> Iterator[None]:
        self._visible = wanted and sys.stderr is not None and sys.stderr.isatty()
        try:
            yield
        finally:
            with self._lock:
                if self._bar is not None:
                    self._bar.close()
                self._bar = None

    def expect(self, total: int) -> None:
        """So many examples are to be learned, passes and trees counted."""
        if self._visible:
            from tqdm import tqdm

            self._bar = tqdm(
                total=total, unit=" examples", unit_scale=True, leave=False, file=sys.stderr
            )

    def move(self, task: Number, done: int) -> None:
        """A task has learned so many examples; called from any thread."""
        with self._lock:
            self._done[task] = max(done, self._done.get(task, 0))
            if self._bar is not None:
                self._bar.update(sum(self._done.values()) - self._bar.n)

    def clear(self) -> None:
        """Make room for a line of text."""
        with self._lock:
            if self._bar is not None:
                self._bar.clear()
