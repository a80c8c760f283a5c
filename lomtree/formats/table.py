"""CSV and TSV, with or without a header: each row is an example.

A field that is a number is the feature `name:number`, any other field the feature `name=field`, an
empty one is nothing; that is decided field by field, so it cannot depend on what came before. A
categorical column is never a number. A text column is cut into words, which stand in a namespace
with the column's name; everything else is in VW's default namespace.
"""

from collections.abc import Iterator

import numpy as np

from lomtree.core.errors import DataError
from lomtree.core.reading import Reading
from lomtree.examples.examples import GOOD, Strings
from lomtree.formats.columns import LABEL, Columns, assign_columns, check_count, number_names
from lomtree.formats.fields import Dialect, LongRowError, cut_rows, make_row, read_row, whole_rows
from lomtree.formats.rows import translate_rows
from lomtree.formats.translation import Layout, Translation

LONGEST_ROW = 1 << 26  # bytes
MOST_TRANSLATED = 1 << 25  # bytes: each row repeats the names of all columns
_DELIMITERS = {"csv": ",", "tsv": "\t"}


class TableLayout(Layout):
    of_records = True

    def __init__(
        self, source: str, reading: Reading, labels_required: bool, delimiter: str
    ) -> None:
        self._source = source
        self.reading = reading
        self._labels_required = labels_required
        self._dialect = Dialect(ord(reading.delimiter or delimiter), reading.quotes)
        self._columns: Columns | None = None
        self._label = -1

    def whole(self, texts: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
        line, left_out = 1, 0
        try:
            for text in whole_rows(texts, self._dialect, LONGEST_ROW):
                line += text.count(b"\n")
                if self._columns is None:
                    more, text = self._take_header(text)
                    left_out += more
                for part in cut_rows(text, self._dialect, self._most_text()) if text else ():
                    yield left_out, part
                    left_out = 0
        except LongRowError:
            raise DataError(
                f"{self._source}:{line}: expected a row of at most {LONGEST_ROW >> 20} MB, found "
                "more: a quote does not end (--no-quotes reads quotes as they are)"
            ) from None

    def _take_header(self, text: bytes) -> tuple[int, bytes]:
        """Learn the columns from the first row, which a header is taken off: (lines, the rest)."""
        rest = text.lstrip(b"\r\n")
        if not rest:
            return text.count(b"\n"), b""
        before = text[: len(text) - len(rest)].count(b"\n")
        cells = np.frombuffer(rest, np.uint8)
        row = make_row(len(rest), rest.count(bytes([self._dialect.delimiter])) + 1)
        stop, count, _, problem, _ = read_row(cells, 0, len(cells), self._dialect, row, 0)
        if problem != GOOD and self.reading.header:
            raise DataError(
                f"{self._source}:{before + 1}: the quotes of the header do not fit (--no-quotes "
                "reads quotes as they are)"
            )
        check_count(count, self._source)
        names = number_names(count)
        if self.reading.header:
            spans = zip(row.begins[:count], row.ends[:count], strict=True)
            names = [_name(row.cells[begin:end].tobytes()) for begin, end in spans]
        self.set_columns(names)
        taken = stop if self.reading.header else 0
        return before + rest[:taken].count(b"\n"), rest[taken:]

    def set_columns(self, names: list[str]) -> None:
        self._columns, self.reading = assign_columns(
            names, self.reading, self._source, self._labels_required
        )
        labels = np.flatnonzero(self._columns.roles == LABEL)
        self._label = int(labels[0]) if len(labels) else -1

    @property
    def _most_added(self) -> int:
        """How many bytes a row becomes longer by."""
        assert self._columns is not None
        return len(self._columns.names) + 4 * len(self._columns.roles) + 2

    def _most_text(self) -> int:
        """How many bytes of rows are translated at a time."""
        assert self._columns is not None
        return MOST_TRANSLATED // (1 + self._most_added // len(self._columns.roles))

    def translate(self, text: np.ndarray) -> Translation:
        columns = self._columns
        assert columns is not None
        # A row has a delimiter or a newline for each of its fields, or it is not whole.
        rows = len(text) // len(columns.roles) + 1
        room = len(text) + rows * self._most_added
        examples = int(np.count_nonzero(text == ord("\n"))) + 1
        room += 2 * examples
        row = make_row(len(text), len(columns.roles))
        arrays = np.zeros((6, examples), np.int64)
        out = np.empty(room, np.uint8)
        whole = Translation(
            out,
            Strings(row.cells, arrays[0], arrays[1]),
            Strings(row.cells, arrays[2], arrays[3]),
            np.ones(examples, np.float32),
            arrays[4],
            np.zeros(examples, np.int8),
            arrays[5],
        )
        count, size = translate_rows(text, self._dialect, columns, self._label, row, whole, out)
        return Translation(
            out[:size],
            Strings(row.cells, arrays[0, :count], arrays[1, :count]),
            Strings(row.cells, arrays[2, :count], arrays[3, :count]),
            whole.weights[:count],
            arrays[4, :count],
            whole.problems[:count],
            arrays[5, :count],
        )


def _name(cell: bytes) -> str:
    return cell.strip(b" \t\r\n\v\f").decode("utf-8", "surrogateescape")


def layout_of(format: str, source: str, reading: Reading, labels_required: bool) -> Layout:
    return TableLayout(source, reading, labels_required, _DELIMITERS[format])
