"""How work is done, as opposed to what comes out of it."""

from typing import NamedTuple


class Execution(NamedTuple):
    """With any of these a learner learns and predicts the same."""

    threads: int = 1  # cores that it may use
    progressive: bool = True  # whether learning tells what was predicted just before


ONE_CORE = Execution()
