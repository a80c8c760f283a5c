"""Threads beside the main one leave signals to it.

Python's handlers run in the main thread alone. If the system hands a signal to another thread while
the main one waits for something, nobody wakes the main one up, and the signal is lost on it.
"""

import os
import signal
from concurrent.futures import ThreadPoolExecutor

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # what ends a run


def leave_signals() -> None:
    """To be called in a thread, first."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


class Workers:
    """Threads that are there once they are asked for. A forked process has none of its parent's,
    and would wait for them for ever: it gets its own."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._process = 0
        self._pool: ThreadPoolExecutor | None = None

    @property
    def pool(self) -> ThreadPoolExecutor:
        if self._pool is None or self._process != os.getpid():
            self._process = os.getpid()
            self._pool = ThreadPoolExecutor(self._count, initializer=leave_signals)
        return self._pool
