"""What each example of the stream is for. Its number decides, so how the stream is cut does not
matter."""

from typing import NamedTuple

import numpy as np

from lomtree.core.options import Options
from lomtree.hashing.counter_rng import draw_lots
from lomtree.training.trainer import held_out

LEARNED, ASIDE, HELD_OUT = range(3)

SAMPLE = 1 << 17  # examples that the top is trained on
MOST_ASIDE, ASIDE_SHARE = 4000, 0.01
_SAMPLED, _ASIDE = 3, 4  # seeds


class Shares(NamedTuple):
    """Shares of all examples."""

    sample: float
    aside: float  # no tree learns them: the whole model learns from them how to rank

    @classmethod
    def of(cls, options: Options, examples: int, sample: int) -> "Shares":
        aside = 0.0 if options.paper else min(ASIDE_SHARE, MOST_ASIDE / max(examples, 1))
        return cls(min(sample / max(examples, 1), 1.0), aside)


def roles_of(options: Options, shares: Shares, first: int, count: int) -> np.ndarray:
    """int8[count]: LEARNED, ASIDE or HELD_OUT, for the examples first, first + 1, ..."""
    roles = np.where(_drawn(_ASIDE, shares.aside, first, count), ASIDE, LEARNED).astype(np.int8)
    if options.holdout > 0:
        roles[held_out(options.seed, options.holdout, first, count)] = HELD_OUT
    return roles


def sampled(options: Options, shares: Shares, first: int, count: int) -> np.ndarray:
    """Which of them the top is trained on: the numbers, counted from `first`."""
    drawn = _drawn(_SAMPLED, shares.sample, first, count)
    return np.flatnonzero(drawn & (roles_of(options, shares, first, count) == LEARNED))


def _drawn(seed: int, share: float, first: int, count: int) -> np.ndarray:
    drawn = np.ones(count, np.bool_)
    if share < 1.0:
        draw_lots(seed, first, share, drawn)
    return drawn
