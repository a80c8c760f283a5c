"""Examples that are ranked before they are learned: which ones, and how well that goes.

To search for every example would take many times as long as to learn it. So a share of them is
probed that falls with their number: `dense` of n around the n-th, and MOST_PROBED in the beginning.

What is found so is how a model ranks in its first pass. In further passes everything has been
learned before, so a few examples are reserved: they wait for a later pass, are probed there, and
learned from then on. The later, the more the model is like the one that will predict; but the last
quarter of the passes is left to learn them.

The number of an example decides, so how a stream is cut changes nothing.
"""

import numpy as np

from lomtree.examples.batch import Batch
from lomtree.hashing.counter_rng import draw, uniform
from lomtree.jit.kernel import kernel
from lomtree.ranking.combination import (
    MEMORY,
    Combination,
    CombinationScratch,
    learn_weighted,
    make_scratch,
)
from lomtree.ranking.ranking import Candidates

DENSE = 160  # with a ranker
DENSE_WITHOUT = 64  # to calibrate the probabilities of a tree, less is enough
MOST_PROBED = 0.25
RESERVED = 300  # of n around the n-th, but no more than this share:
MOST_RESERVED = 0.05
_PROBED, _RESERVED = 1, 2  # seeds


def probing_pass(passes: int) -> int:
    """The pass in which reserved examples are probed."""
    return passes - passes // 4


@kernel
def draw_probes(batch, dense, first, count, drawn):
    """Write which examples are probed; returns their number. `first` is how many have been learned
    before; those without a label or weight are not."""
    number, found = first, 0
    for example in range(count):
        if batch.labels[example] < 0 or batch.weights[example] == 0.0:
            continue
        if uniform(draw(_PROBED, number)) < min(MOST_PROBED, dense / (number + 1.0)):
            drawn[found] = example
            found += 1
        number += 1
    return found


@kernel
def draw_reserved(first, reserved):
    """Mark which of the examples first, first + 1, ... of a pass are reserved."""
    for place in range(len(reserved)):
        number = first + place
        share = min(MOST_RESERVED, RESERVED / (number + 1.0))
        reserved[place] = uniform(draw(_RESERVED, number)) < share


class Probe:
    """What is known from the examples probed so far. `error` is an estimate for all examples: each
    probed one stands for those around it."""

    def __init__(self, ranked: bool) -> None:
        self._dense = DENSE if ranked else DENSE_WITHOUT
        self.examples = 0
        self._weight = self._wrong = 0.0
        self._scratch: CombinationScratch | None = None

    def drawn(self, batch: Batch, first: int, count: int) -> list[int]:
        """Those of the first `count` examples of a batch that are to be probed; so many have been
        learned before."""
        drawn = np.empty(count, np.int64)
        found = draw_probes(batch, self._dense, first, count, drawn)
        return drawn[:found].tolist()

    def look(
        self, candidates: Candidates, count: int, y: int, importance: float, number: int
    ) -> None:
        """The example of this number has these candidates; y is right."""
        weight = importance / min(MOST_PROBED, self._dense / (number + 1.0))
        right = count > 0 and candidates.labels[candidates.logits[:count].argmax()] == y
        self.examples += 1
        self._weight += weight
        self._wrong += 0.0 if right else weight

    def teach(
        self,
        combination: Combination,
        candidates: Candidates,
        count: int,
        y: int,
        importance: float = 1.0,
        memory: float = MEMORY,
    ) -> None:
        """Let a combination learn from an example's candidates, of which y is right; `memory` is
        what all examples before count from now on."""
        if self._scratch is None or count >= len(self._scratch.shares):
            self._scratch = make_scratch(2 * count)
        places = np.flatnonzero(candidates.labels[:count] == y)
        right = int(places[0]) if len(places) else count
        learn_weighted(
            combination, self._scratch, candidates.signs, count, right, importance, memory
        )

    @property
    def error(self) -> float:
        return self._wrong / self._weight if self._weight else 0.0
