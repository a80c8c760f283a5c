"""Examples with their names, on their way from one format to another.

The features of an example are known as VW text, whatever they were written in.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lomtree.core.errors import DataError
from lomtree.core.printable import printable
from lomtree.examples.examples import Examples


class Feature(NamedTuple):
    namespace: bytes  # empty: the default one
    name: bytes
    value: float
    written: bytes  # the value as it was written; empty where it was not


class Record(NamedTuple):
    place: str  # for messages
    label: bytes
    importance: float
    tag: bytes
    body: bytes  # the features as VW text

    def features(self) -> Iterator[Feature]:
        for part in self.body.split(b"|")[1:]:
            head = re.match(rb"[^ \t]*", part)
            assert head is not None
            namespace, _, factor = head.group().partition(b":")
            weight = float(factor or 1)
            nameless = 0  # so far: they are numbered
            for word in part[head.end() :].split():
                name, _, value = word.partition(b":")
                if not name:
                    name = b"%d" % nameless
                    nameless += 1
                yield Feature(
                    namespace,
                    name,
                    float(value or 1) * weight,
                    value if weight == 1 else repr(float(value or 1) * weight).encode(),
                )

    def error(self, what: str, target: str) -> DataError:
        """The sentence about what a target cannot express."""
        return DataError(f"{self.place}: {what} cannot be written as {target}")


def shown(word: bytes) -> str:
    return printable(word.decode("utf-8", "backslashreplace"), 40)


def records_of(examples: Examples) -> Iterator[Record]:
    """The good ones."""
    origin = examples.origin
    assert origin is not None
    bodies = _bodies(examples)
    for number in np.flatnonzero(examples.good).tolist():
        yield Record(
            f"{origin.source}:{origin.first_line + int(origin.lines[number])}",
            examples.labels.word(number),
            float(examples.batch.weights[number]),
            examples.tags.word(number),
            bodies[number],
        )


def _bodies(examples: Examples) -> list[bytes]:
    origin = examples.origin
    assert origin is not None
    if origin.translated is not None:
        return [line for line in origin.translated.tobytes().split(b"\n") if b"|" in line]
    lines = examples.labels.text.tobytes().split(b"\n")
    chosen = [lines[number].rstrip(b"\r") for number in origin.lines[: examples.count].tolist()]
    if examples.format == "vw":
        return [b"|" + line.partition(b"|")[2] for line in chosen]
    return [b"| " + _libsvm_features(line) for line in chosen]


def _libsvm_features(line: bytes) -> bytes:
    words = re.sub(rb"(^|[ \t])#.*", b"", line).split()
    return b" ".join(word for word in words if b":" in word)
