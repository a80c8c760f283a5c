"""A stream without an end: lines of classes that come and go, faster than anybody learns them.

Each class has words of its own choice out of a vocabulary that all share, and a line of it has
some of them and some that mean nothing. At every turn a share of the classes dies and as many new
ones, never seen before, take their places.
"""

import random
from collections.abc import Iterator

import numpy as np

WORDS = 5_000
NOISE = 1_000
OWN = 8  # words of a class
LINES = 50  # kinds of lines of a class
BLOCK = 10_000  # lines that are handed out at once


class Drift:
    """A line has `signal` words of its class, and `noise` others."""

    def __init__(
        self, classes: int, dying: float, seed: int = 1, signal: int = 4, noise: int = 3
    ) -> None:
        self._rng, self._drawn = random.Random(seed), np.random.default_rng(seed)
        self._dying = int(classes * dying)
        self._signal, self._noise = signal, noise
        self.labels = 0
        self._lines = [self._new_class() for _ in range(classes)]

    def _new_class(self) -> list[bytes]:
        """All the lines that an example of the class may have."""
        rng, label = self._rng, self.labels
        self.labels += 1
        own = [f"w{rng.randrange(WORDS)}" for _ in range(OWN)]
        lines = []
        for _ in range(LINES):
            words = rng.sample(own, self._signal)
            words += [f"n{rng.randrange(NOISE)}" for _ in range(self._noise)]
            lines.append(f"c{label} |t {' '.join(words)}".encode())
        return lines

    def turn(self) -> None:
        """The oldest classes die, new ones come."""
        self._lines = self._lines[self._dying :]
        self._lines += [self._new_class() for _ in range(self._dying)]

    def blocks(self, lines: int) -> Iterator[bytes]:
        """So many lines of the classes that live now; all are as long as the longest, so that they
        can be rows of an array."""
        pool = [line for kinds in self._lines for line in kinds]
        length = max(map(len, pool))
        rows = np.array([line.ljust(length) + b"\n" for line in pool])
        for begin in range(0, lines, BLOCK):
            chosen = self._drawn.integers(len(rows), size=min(BLOCK, lines - begin))
            yield rows[chosen].tobytes()
