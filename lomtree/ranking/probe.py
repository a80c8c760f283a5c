"""Examples that are ranked before they are learned: which ones, and how well that goes.

To search for every example would take many times as long as to learn it. So the first `dense`
examples are all probed, and of the later ones a share that falls with their number: `dense` of n
around the n-th. The number of an example decides, so how a stream is cut changes nothing.
"""

import numpy as np

from lomtree.examples.batch import Batch
from lomtree.hashing.counter_rng import draw, uniform
from lomtree.jit.kernel import kernel
from lomtree.ranking.combination import (
    Combination,
    CombinationScratch,
    learn_weighted,
    make_scratch,
)
from lomtree.ranking.ranking import Candidates

DENSE = 256  # with a ranker
DENSE_WITHOUT = 64  # to calibrate the probabilities of a tree, less is enough
_SEED = 1


@kernel
def draw_probes(labels, weights, dense, first, count, drawn):
    """Write which examples are probed; returns their number. `first` is how many have been learned
    before; those without a label or weight are not."""
    number, found = first, 0
    for example in range(count):
        if labels[example] < 0 or weights[example] == 0.0:
            continue
        if uniform(draw(_SEED, number)) * (number + 1) < dense:
            drawn[found] = example
            found += 1
        number += 1
    return found


class Probe:
    """What is known from the examples probed so far. `error` is an estimate for all examples: each
    probed one stands for those around it."""

    def __init__(self, ranked: bool) -> None:
        self._dense = DENSE if ranked else DENSE_WITHOUT
        self.examples = 0
        self._weight = self._wrong = 0.0
        self._scratch: CombinationScratch | None = None

    def drawn(self, batch: Batch, first: int, count: int) -> list[int]:
        """Those of the first `count` examples of a batch that are to be probed."""
        drawn = np.empty(count, np.int64)
        found = draw_probes(batch.labels, batch.weights, self._dense, first, count, drawn)
        return drawn[:found].tolist()

    def look(
        self, candidates: Candidates, count: int, y: int, importance: float, number: int
    ) -> None:
        """The example of this number has these candidates; y is right."""
        weight = importance * max(1.0, (number + 1) / self._dense)
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
    ) -> None:
        """Let a combination learn from an example's candidates, of which y is right."""
        if self._scratch is None or count >= len(self._scratch.shares):
            self._scratch = make_scratch(2 * count)
        places = np.flatnonzero(candidates.labels[:count] == y)
        right = int(places[0]) if len(places) else count
        learn_weighted(combination, self._scratch, candidates.signs, count, right, importance)

    @property
    def error(self) -> float:
        return self._wrong / self._weight if self._weight else 0.0
