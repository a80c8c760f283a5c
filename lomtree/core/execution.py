"""How work is done, as opposed to what comes out of it."""

import os
from typing import NamedTuple

MOST_THREADS_A_CORE = 4


class Execution(NamedTuple):
    """With any of these a learner learns and predicts the same."""

    threads: int = 1  # cores that it may use
    progressive: bool = True  # whether learning tells what was predicted just before


ONE_CORE = Execution()


def threads_for(asked: int | None) -> int:
    """As many as there are cores, or as asked for; but no more than the machine has a use for."""
    cores = os.cpu_count() or 1
    return min(asked or cores, MOST_THREADS_A_CORE * cores)
