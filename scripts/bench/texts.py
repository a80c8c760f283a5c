"""The files of one set, as each of the two programs reads them: train, test, one and many.

`one` is an example, to see what starting costs. `many` repeats a small test part up to MANY lines,
to see what predicting costs; a test part that is no smaller goes without.
"""

import gzip
import itertools
import shutil
from pathlib import Path

from scripts.bench import odp_like
from scripts.bench.costs import BOTH, DEFAULT, US

MANY = 100_000  # lines
LARGE_PARTS = 0.5  # of that
READ = ("train", "test", "one", "many")


class Texts:
    """Files in the folder `work`; `lines` counts those of each part. This program by default reads
    what its trees alone read, and writes files of its own."""

    def __init__(self, work: Path, classes: int, lines: dict[str, int]) -> None:
        self._work = work
        self.classes = classes
        self.lines = lines
        self.has_many = lines["test"] < LARGE_PARTS * MANY
        for who in BOTH:
            self._copy("train", "one", who, 1)
            if self.has_many:
                self._copy("test", "many", who, -(-MANY // lines["test"]) * lines["test"])

    def of(self, part: str, who: str) -> str:
        shared = who == DEFAULT and part in READ
        return str(self._work / f"{part}.{US if shared else who}")

    def _copy(self, part: str, to: str, who: str, count: int) -> None:
        """So many lines of a part, from the beginning again where it ends."""
        with open(self.of(part, who), "rb") as file, open(self.of(to, who), "wb") as copy:
            if count < self.lines[part]:
                copy.writelines(itertools.islice(file, count))
            for _ in range(count // self.lines[part]):
                file.seek(0)
                shutil.copyfileobj(file, copy)


def texts_of(source: Path, suffix: str, work: Path) -> Texts:
    """A set from disk. VW gets labels numbered from 1 (it takes no others), and its own format."""
    numbers: dict[str, int] = {}
    lines = dict.fromkeys(("train", "test"), 0)
    bar = "" if suffix == "vw" else "| "
    for part in lines:
        ours, theirs = (work / f"{part}.{who}" for who in BOTH)
        with (
            gzip.open(source / f"{part}.{suffix}.gz", "rt") as file,
            open(ours, "w") as our,
            open(theirs, "w") as their,
        ):
            for line in file:
                label, rest = line.split(" ", 1)
                number = numbers.setdefault(label, len(numbers) + 1)
                our.write(line)
                their.write(f"{number} {bar}{rest}")
                lines[part] += 1
    return Texts(work, len(numbers), lines)


def made_texts(examples: int, classes: int, features: int, work: Path) -> Texts:
    """Pages of a made-up directory, a tenth as many to test; both programs can read them as they
    are."""
    lines = {"train": examples, "test": examples // 10}
    for part, count in lines.items():
        paths = [work / f"{part}.{who}" for who in BOTH]
        with open(paths[0], "wb") as file:
            file.writelines(odp_like.text(part, count, classes, features, seed=0))
        paths[1].hardlink_to(paths[0])
    return Texts(work, classes, lines)
