"""A stream without an end: lines of classes that come and go, made as fast as they are learned.

Each class has words of its own choice out of a vocabulary that all share, and a line of it has
some of them and some that mean nothing. At every turn a share of the classes dies and as many new
ones, never seen before, take their places.
"""

import random
from collections.abc import Iterator

WORDS = 5_000
NOISE = 1_000
OWN = 8  # words of a class, of which a line has 4
LINES = 50  # kinds of lines of a class
BLOCK = 10_000  # lines that are handed out at once


class Drift:
    def __init__(self, classes: int, dying: float, seed: int = 1) -> None:
        self._rng = random.Random(seed)
        self._dying = int(classes * dying)
        self.labels = 0
        self._lines = [self._new_class() for _ in range(classes)]

    def _new_class(self) -> list[bytes]:
        """All the lines that an example of the class may have."""
        rng, label = self._rng, self.labels
        self.labels += 1
        own = [f"w{rng.randrange(WORDS)}" for _ in range(OWN)]
        return [
            f"c{label} |t {' '.join(rng.sample(own, 4))} "
            f"n{rng.randrange(NOISE)} n{rng.randrange(NOISE)} n{rng.randrange(NOISE)}\n".encode()
            for _ in range(LINES)
        ]

    def turn(self) -> None:
        """The oldest classes die, new ones come."""
        self._lines = self._lines[self._dying :]
        self._lines += [self._new_class() for _ in range(self._dying)]

    def blocks(self, lines: int) -> Iterator[bytes]:
        """So many lines of the classes that live now."""
        pool = [line for kinds in self._lines for line in kinds]
        for begin in range(0, lines, BLOCK):
            yield b"".join(self._rng.choices(pool, k=min(BLOCK, lines - begin)))
