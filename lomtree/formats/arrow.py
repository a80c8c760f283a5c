"""Parquet and Arrow: each row of a batch is an example, with the names that a row of CSV has.

The whole batch becomes VW text at once, by Arrow's own functions on columns. Types decide here: a
column of numbers or truths is numbers, one of strings words, whatever they look like. A column that
is a list of numbers or strings, or a map from names to numbers, is a namespace of its own.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from lomtree.core.errors import DataError
from lomtree.core.reading import Reading
from lomtree.examples.examples import GOOD, Strings
from lomtree.formats.arrow_columns import Line, features_of
from lomtree.formats.columns import DROPPED, IMPORTANCE, LABEL, TAG, assign_columns
from lomtree.formats.problems import BAD_WEIGHT, BROKEN_LABEL
from lomtree.formats.registry import ARROW_FILE, PARQUET
from lomtree.formats.translation import Layout, Translation

if TYPE_CHECKING:
    import pyarrow

    Part = tuple[pyarrow.RecordBatch, float]  # rows, and the share of all that has been read

BATCH_ROWS = 1 << 13


def _pyarrow(source: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise DataError(
            f"{source}: Parquet and Arrow need pyarrow: pip install 'lomtree[arrow]'"
        ) from None
    return pyarrow


@contextlib.contextmanager
def _telling(source: str) -> Iterator[None]:
    pyarrow = _pyarrow(source)
    try:
        yield
    except (pyarrow.ArrowException, OSError, NotImplementedError) as error:
        words = " ".join(str(error).split())[:200]
        raise DataError(f"{source}: cannot be read as Parquet or Arrow ({words})") from None


def read_batches(path: str, source: str, head: bytes) -> "Iterator[Part]":
    """The rows of a file in batches of bounded size, one row group in memory at a time. '-' is
    standard input, which has to be a file, too."""
    with _telling(source):
        if path != "-":
            with open(path, "rb") as file:
                yield from _batches(file, head)
            return
        with os.fdopen(os.dup(0), "rb") as file:
            if not file.seekable():
                raise DataError(
                    f"{source}: Parquet is read from its end, so a file is needed, not a pipe"
                )
            file.seek(0)
            yield from _batches(file, head)


def _batches(file: Any, head: bytes) -> "Iterator[Part]":
    import pyarrow.ipc
    import pyarrow.parquet

    size = os.fstat(file.fileno()).st_size or 1
    if head.startswith(PARQUET):
        opened = pyarrow.parquet.ParquetFile(file)
        rows = opened.metadata.num_rows or 1
        done = 0
        for batch in opened.iter_batches(BATCH_ROWS):
            done += batch.num_rows
            yield batch, done / rows
    elif head.startswith(ARROW_FILE):
        arrow = pyarrow.ipc.open_file(file)
        for number in range(arrow.num_record_batches):
            for batch in cut(arrow.get_batch(number)):
                yield batch, (number + 1) / arrow.num_record_batches
    else:
        for whole in pyarrow.ipc.open_stream(file):
            for batch in cut(whole):
                yield batch, file.tell() / size


def cut(batch: "pyarrow.RecordBatch") -> "Iterator[pyarrow.RecordBatch]":
    """The same rows in batches of bounded size."""
    for first in range(0, batch.num_rows, BATCH_ROWS):
        yield batch.slice(first, BATCH_ROWS)


class ArrowLayout(Layout):
    of_records = True

    def __init__(self, source: str, reading: Reading, labels_required: bool) -> None:
        self._source = source
        self.reading = reading
        self._labels_required = labels_required
        self._roles: dict[str, int] = {}

    def see(self, batch: "pyarrow.RecordBatch") -> None:
        """Learn the columns from the first batch."""
        if not self._roles:
            names = _flat(batch).schema.names
            columns, self.reading = assign_columns(
                names, self.reading, self._source, self._labels_required
            )
            self._roles = dict(zip(names, columns.roles.tolist(), strict=True))

    def translate(self, text: "pyarrow.RecordBatch") -> Translation:
        with _telling(self._source):
            return self._translate(_flat(text))

    def _translate(self, batch: "pyarrow.RecordBatch") -> Translation:
        rows = batch.num_rows
        problems = np.full(rows, GOOD, np.int8)
        labels = tags = _no_strings(rows)
        weights = np.ones(rows, np.float32)
        line = Line(rows)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            role = self._roles[name]
            if role == LABEL:
                labels = _strings(column)
                _mark(problems, _matches(column, r"[\t\n\r\v\f]"), BROKEN_LABEL)
            elif role == TAG:
                tags = _strings(column, r"\s")
            elif role == IMPORTANCE:
                weights, bad = _weights(column)
                _mark(problems, bad, BAD_WEIGHT)
            elif role != DROPPED:
                line.add(*features_of(column, name, role, problems, self._source))
        return Translation(
            line.text(problems),
            labels,
            tags,
            weights,
            np.arange(rows, dtype=np.int64),
            problems,
            np.ones(rows, np.int64),
        )


def _flat(batch: "pyarrow.RecordBatch") -> Any:
    """The same with the fields of a structure as columns, named a.b."""
    import pyarrow

    while any(pyarrow.types.is_struct(field.type) for field in batch.schema):
        table = pyarrow.Table.from_batches([batch]).flatten().combine_chunks()
        batch = table.to_batches()[0] if table.num_rows else batch.slice(0, 0)
    return batch


def _no_strings(rows: int) -> Strings:
    nothing = np.zeros(rows, np.int64)
    return Strings(np.zeros(1, np.uint8), nothing, nothing)


def _as_string(column: Any) -> Any:
    import pyarrow
    import pyarrow.compute as compute

    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return compute.ascii_trim_whitespace(compute.cast(column, pyarrow.large_string()))


def _matches(column: Any, pattern: str) -> np.ndarray:
    import pyarrow.compute as compute

    found = compute.match_substring_regex(_as_string(column), pattern)
    return compute.fill_null(found, False).to_numpy(zero_copy_only=False)


def _strings(column: Any, blank: str = "") -> Strings:
    """The column as strings, none where it is null; what matches `blank` becomes a space."""
    import pyarrow.compute as compute

    words = _as_string(column)
    if blank:
        words = compute.replace_substring_regex(words, blank, " ")
    words = compute.fill_null(words, "")
    offsets = np.frombuffer(words.buffers()[1], np.int64)[words.offset :][: len(words) + 1]
    data = words.buffers()[2]
    text = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, "u1")
    return Strings(text, offsets[:-1].copy(), offsets[1:].copy())


def _weights(column: Any) -> tuple[np.ndarray, np.ndarray]:
    import pyarrow
    import pyarrow.compute as compute

    numbers = compute.cast(column, pyarrow.float64())
    given = compute.fill_null(numbers, 1.0).to_numpy(zero_copy_only=False)
    with np.errstate(over="ignore"):
        weights = given.astype(np.float32)
    bad = ~(np.isfinite(weights) & (weights >= 0))
    return np.where(bad, np.float32(1), weights), bad


def _mark(problems: np.ndarray, bad: np.ndarray, problem: int) -> None:
    problems[bad & (problems == GOOD)] = problem


def layout_of(_format: str, source: str, reading: Reading, labels_required: bool) -> Layout:
    return ArrowLayout(source, reading, labels_required)
