"""Examples as they come from any source: text is one of them, an array in memory another.

What learners need of them is in the batch. Labels and tags are still as they were written; a
LabelIndex turns labels into numbers.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lomtree.core.derivations import NOTHING, Derivations
from lomtree.examples.batch import Batch

GOOD = 0  # in `problems`; other numbers are those of the source (lomtree.formats.problems for text)


class Strings(NamedTuple):
    """n strings of bytes in one buffer; begin == end means that there is none."""

    text: np.ndarray  # uint8[]
    begins: np.ndarray  # int64[n]
    ends: np.ndarray  # int64[n]

    def word(self, number: int) -> bytes:
        return self.text[self.begins[number] : self.ends[number]].tobytes()


class Origin(NamedTuple):
    """Where examples stand in a text, for messages about them."""

    source: str  # its name
    first_line: int  # the number in the source of the text's first line, from 1
    line_count: int  # of the text
    lines: np.ndarray  # int64[n]; counted from 0 at the beginning of the text
    columns: np.ndarray  # int64[n]; a problem's byte in its line, counted from 1
    text: np.ndarray | None = None  # uint8[]; none where labels stand in it, or it is no text
    of_records: bool = False  # whether an example may be several lines, and blank lines are nothing
    translated: np.ndarray | None = None  # uint8[]; the examples as lines of VW text, if they were


@dataclass(frozen=True)
class Examples:
    """The first `count` of each array are examples, in the order of their source."""

    batch: Batch
    count: int
    labels: Strings
    tags: Strings
    problems: np.ndarray  # int8[n]; GOOD, or what is wrong with the example
    origin: Origin | None = None
    format: str | None = None  # of the text that they were, if any
    derived: Derivations = NOTHING  # what was made of their features

    @property
    def words(self) -> np.ndarray:
        """uint8[]: the text that has the words of their features."""
        if self.origin is None or self.origin.translated is None:
            return self.labels.text
        return self.origin.translated

    @property
    def good(self) -> np.ndarray:
        """bool[count]: those without a problem."""
        good: np.ndarray = self.problems[: self.count] == GOOD
        return good
