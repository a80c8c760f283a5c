"""Formats whose examples become lines of VW text first, so that one parser hashes the names of all.

What VW text cannot say in a name (white space, ':' and '|') becomes '_' there, as VW itself does it
with the strings of JSON. Labels, tags and importances do not go through that text.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.reading import PLAIN, Reading
from lomtree.examples.examples import Examples, Strings

_SPECIAL = b" \t\n\r\v\f|:"
_UNDERSCORES = bytes.maketrans(_SPECIAL, b"_" * len(_SPECIAL))


class Translation(NamedTuple):
    """n examples of a source. An example with a problem has no features."""

    text: np.ndarray  # uint8[]; a line of VW text without a header for each example
    labels: Strings
    tags: Strings
    weights: np.ndarray  # float32[n]
    lines: np.ndarray  # int64[n]; in the source's text, from 0
    problems: np.ndarray  # int8[n]
    columns: np.ndarray  # int64[n]; of the problem or, where there is none, of the label


class Layout(ABC):
    """How one source is read whose examples become VW text."""

    of_records = False  # whether an example may be several lines
    reading: Reading = PLAIN  # with the columns of the source, once they are known

    def whole(self, texts: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
        """Whole lines as whole examples, each text with the number of lines left out before it."""
        return ((0, text) for text in texts)

    @abstractmethod
    def translate(self, text: Any) -> Translation:
        """What a piece of the source says; `whole` has cut it where an example ends."""


def plain_name(name: bytes) -> bytes:
    """A name as VW text can have it."""
    return name.translate(_UNDERSCORES)


def complete(
    examples: Examples, translation: Translation, source: Any, of_records: bool
) -> Examples:
    """The examples of a translated text with what did not go through that text."""
    assert examples.count == len(translation.weights)
    assert examples.origin is not None
    examples.batch.weights[: examples.count] = translation.weights
    origin = examples.origin._replace(
        lines=translation.lines,
        columns=translation.columns,
        text=source if isinstance(source, np.ndarray) else None,
        of_records=of_records,
        translated=translation.text,
    )
    return replace(
        examples,
        labels=translation.labels,
        tags=translation.tags,
        problems=translation.problems,
        origin=origin,
    )


def joined(words: list[bytes]) -> Strings:
    """The words as strings in one buffer."""
    ends = np.cumsum([0, *map(len, words)], dtype=np.int64)
    return Strings(np.frombuffer(b"".join(words), np.uint8), ends[:-1], ends[1:])
