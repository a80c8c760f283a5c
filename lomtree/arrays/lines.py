"""Lines of VW or libsvm text that Python has in memory."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from lomtree.arrays.derived_rows import refuse_problems
from lomtree.arrays.dicts import joined
from lomtree.arrays.rows import PackedRows
from lomtree.core.derivations import NOTHING, Derivations
from lomtree.core.errors import DataError
from lomtree.derived.derivation import Deriver
from lomtree.examples.batch import Batch, copy
from lomtree.examples.examples import Examples
from lomtree.formats.one_line import parse_lines
from lomtree.system.pipeline import DEPTH

CHUNK = 1 << 13  # lines that are parsed at once


class LabelledRows(NamedTuple):
    rows: PackedRows
    labels: list[str | None]  # those of the lines
    weights: np.ndarray  # float32[]: their importances
    format: str | None


def examples_of_lines(
    lines: Iterable[str | bytes], format: str, derived: Derivations = NOTHING
) -> Iterator[Examples]:
    """ValueError, which says which line it is, if one of them is no example."""
    iterator, first = iter(lines), 0
    deriver = Deriver(derived, DEPTH + 3)  # as many as somebody may still be looking at
    while chunk := list(islice(iterator, CHUNK)):
        words = [_bytes(line, first + number) for number, line in enumerate(chunk)]
        try:
            text = b"\n".join(words) + b"\n"
            examples, namespaces = parse_lines(text, format, "X", first + 1, derived)
        except DataError as error:
            raise ValueError(str(error)) from None
        if examples.count != len(chunk):
            assert examples.origin is not None
            missing = set(range(len(chunk))) - set(examples.origin.lines[: examples.count].tolist())
            raise ValueError(f"X[{first + min(missing)}] is a line without an example.")
        format = examples.format or format
        if namespaces is None:
            yield examples
        else:
            begin = first
            for part in deriver.parts(examples, namespaces):
                refuse_problems(part, range(begin, begin + part.count))
                begin += part.count
                yield part
        first += len(chunk)


def line_rows(
    lines: Iterable[str | bytes], format: str, derived: Derivations = NOTHING
) -> LabelledRows:
    batches: list[Batch] = []
    labels: list[str | None] = []
    for examples in examples_of_lines(lines, format, derived):
        format = examples.format or format
        batches.append(copy(examples.batch, examples.count))
        for number in range(examples.count):
            word = examples.labels.word(number)
            labels.append(word.decode("utf-8", "surrogateescape") if word else None)
    batch = joined(batches)
    return LabelledRows(PackedRows(batch), labels, batch.weights, format)


def _bytes(line: str | bytes, number: int) -> bytes:
    if isinstance(line, str):
        line = line.encode("utf-8", "surrogateescape")
    elif not isinstance(line, bytes):
        raise ValueError(f"X[{number}] is a {type(line).__name__}, not a line of text.")
    line = line.removesuffix(b"\n")
    if b"\n" in line:
        raise ValueError(f"X[{number}] is more than one line.")
    return line
