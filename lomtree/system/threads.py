"""Threads beside the main one leave signals to it.

Python's handlers run in the main thread alone. If the system hands a signal to another thread while
the main one waits for something, nobody wakes the main one up, and the signal is lost on it.
"""

import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # what ends a run


def leave_signals() -> None:
    """To be called in a thread, first."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
