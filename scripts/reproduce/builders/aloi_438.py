"""aloi-438: which object is this? From ELKI's colour histograms of ALOI's photographs.

A row of its file has 27 numbers, then words: the number of the object, alone or at the beginning of
a picture's name, and others. The objects with at least 100 pictures are the classes; the file
has a few of each other object, as outliers. A tenth of all rows is for testing, drawn by checksums.
"""

import gzip
import re
from collections import Counter
from pathlib import Path

from scripts.reproduce.builders.packing import drawn, write_lines

BINS = 27
FEWEST = 100  # pictures of an object
SHARE = 10  # one of so many is for testing
_number = re.compile(r"\d+").match


def read_rows(source: Path) -> list[tuple[str, list[str]]]:
    """(object, values) of each row; ValueError if that is not what the file has."""
    rows = []
    with gzip.open(source, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.replace(",", " ").split()
            if not words or words[0].startswith("#"):
                continue
            values, names = words[:BINS], words[BINS:]
            found = [match.group().lstrip("0") for name in names if (match := _number(name))]
            if len(values) < BINS or not found:
                raise ValueError(f"line {number} is not {BINS} numbers and an object")
            rows.append((found[0], [f"{float(value):g}" for value in values]))
    return rows


def line_of(label: str, values: list[str]) -> str:
    pairs = (f"{index}:{value}" for index, value in enumerate(values, 1) if value != "0")
    return f"{label} {' '.join(pairs)}"


def build(source: Path, train: Path, test: Path) -> None:
    rows = read_rows(source)
    pictures = Counter(label for label, _ in rows)
    lines = [line_of(*row) for row in rows if pictures[row[0]] >= FEWEST]
    if not lines:
        raise ValueError(f"no object has {FEWEST} pictures")
    lines.sort(key=drawn)
    tested = len(lines) // SHARE
    write_lines(train, lines[tested:])
    write_lines(test, lines[:tested])
