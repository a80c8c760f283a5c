"""Columns of Arrow as pieces of VW text, a piece a row."""

from typing import Any

import numpy as np

from lomtree.core.errors import DataError
from lomtree.core.printable import printable
from lomtree.examples.examples import GOOD
from lomtree.formats.columns import CATEGORICAL, TEXT
from lomtree.formats.problems import LARGE_NUMBER
from lomtree.formats.translation import plain_name

_LARGEST = float(np.finfo(np.float32).max)
_NAMELESS = r"[\s\v|:]"  # what a name of VW text cannot have


class Line:
    """Lines of VW text in the making: one for each row, of the pieces of its columns."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._pieces: list[Any] = ["|"]
        self._in_default = True

    def add(self, pieces: Any, of_default: bool) -> None:
        """A column's pieces: null where a row has none of it. Those of the default namespace begin
        with a space, others with a bar."""
        if of_default and not self._in_default:
            self._pieces.append(" |")
        if not of_default:
            self._pieces.append(" ")
        self._pieces.append(pieces)
        self._in_default = of_default

    def text(self, problems: np.ndarray) -> np.ndarray:
        """All lines; those of rows with a problem are without features."""
        import pyarrow
        import pyarrow.compute as compute

        whole = [
            pyarrow.scalar(piece, pyarrow.large_string())
            if isinstance(piece, str)
            else compute.cast(piece, pyarrow.large_string())
            for piece in [*self._pieces, "\n"]
        ]
        lines = compute.binary_join_element_wise(
            *whole,
            pyarrow.scalar("", pyarrow.large_string()),
            null_handling="replace",
            null_replacement="",
        )
        if isinstance(lines, pyarrow.Scalar):  # no column had a piece
            lines = pyarrow.array([lines.as_py()] * self._rows, pyarrow.large_string())
        if (problems != GOOD).any():
            lines = compute.if_else(pyarrow.array(problems == GOOD), lines, "|\n")
        joined = compute.cast(lines, pyarrow.large_string())
        begin = np.frombuffer(joined.buffers()[1], np.int64)[joined.offset :][: self._rows + 1]
        data = np.frombuffer(joined.buffers()[2], np.uint8)
        return data[begin[0] : begin[-1]].copy()


def features_of(
    column: Any, name: str, role: int, problems: np.ndarray, source: str
) -> tuple[Any, bool]:
    """The pieces of a column, and whether they are of the default namespace."""
    import pyarrow

    types, kind = pyarrow.types, column.type
    if types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    plain = plain_name(name.encode("utf-8", "surrogateescape")).decode("utf-8", "replace")
    if types.is_null(kind):
        return pyarrow.nulls(len(column), pyarrow.large_string()), True
    if types.is_map(kind):
        return _maps(column, problems), False
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _lists(column, plain, name, problems, source), False
    if role == TEXT:
        return _texts(column, plain), False
    numeric = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    if role != CATEGORICAL and (numeric or types.is_boolean(kind)):
        return _joined(f" {plain}:", _numbers(column, problems)), True
    if types.is_nested(kind) or types.is_binary(kind):
        raise _no_features(name, kind, source)
    return _joined(f" {plain}=", _words(column)), True


def _no_features(name: str, kind: Any, source: str) -> DataError:
    shown = printable(name, 40)
    return DataError(f"{source}: the column '{shown}' is of type {kind}, which makes no features")


def _joined(before: str, words: Any) -> Any:
    """Null where the word is null."""
    import pyarrow
    import pyarrow.compute as compute

    kind = pyarrow.large_string()
    return compute.binary_join_element_wise(
        pyarrow.scalar(before, kind), compute.cast(words, kind), pyarrow.scalar("", kind)
    )


def _numbers(column: Any, problems: np.ndarray, row_of: np.ndarray | None = None) -> Any:
    """Numbers as they are written, null where there is none (nor a NaN); what no float32 can hold
    is a problem of its row."""
    import pyarrow
    import pyarrow.compute as compute

    types, kind = pyarrow.types, column.type
    if types.is_boolean(kind):
        return compute.cast(compute.cast(column, pyarrow.int8()), pyarrow.large_string())
    if types.is_integer(kind):
        return compute.cast(column, pyarrow.large_string())
    if not types.is_floating(kind) or types.is_float16(kind):
        column = compute.cast(column, pyarrow.float64())
    values = compute.fill_null(column, 0).to_numpy(zero_copy_only=False)
    large = np.abs(values.astype(np.float64)) > _LARGEST
    if large.any():
        rows = np.flatnonzero(large) if row_of is None else row_of[large]
        rows = rows[problems[rows] == GOOD]
        problems[rows] = LARGE_NUMBER
    numbers = compute.if_else(compute.is_nan(column), None, column)
    return compute.cast(numbers, pyarrow.large_string())


def _words(column: Any) -> Any:
    """A word of VW text for each row, null where there is none."""
    import pyarrow
    import pyarrow.compute as compute

    words = compute.ascii_trim_whitespace(compute.cast(column, pyarrow.large_string()))
    words = compute.replace_substring_regex(words, _NAMELESS, "_")
    return compute.if_else(compute.equal(words, ""), None, words)


def _texts(column: Any, namespace: str) -> Any:
    import pyarrow
    import pyarrow.compute as compute

    words = compute.cast(column, pyarrow.large_string())
    words = compute.replace_substring_regex(words, r"[|:]", "_")
    words = compute.replace_substring_regex(words, r"[\s\v]+", " ")
    return _joined(f"|{namespace} ", words)


def _lists(column: Any, namespace: str, name: str, problems: np.ndarray, source: str) -> Any:
    """Numbers have their places as names; strings are words."""
    import pyarrow
    import pyarrow.compute as compute

    types, kind = pyarrow.types, column.type.value_type
    lists = compute.cast(column, pyarrow.large_list(kind))
    row_of = compute.list_parent_indices(lists).to_numpy()
    flat = compute.list_flatten(lists)
    if types.is_string(kind) or types.is_large_string(kind):
        words = _words(flat)
    elif types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        firsts = np.searchsorted(row_of, row_of)
        places = pyarrow.array(np.arange(len(row_of)) - firsts)
        words = _after(places, _numbers(flat, problems, row_of))
    else:
        raise _no_features(name, column.type, source)
    return _joined(f"|{namespace} ", _gathered(words, row_of, len(column)))


def _after(places: Any, numbers: Any) -> Any:
    import pyarrow
    import pyarrow.compute as compute

    kind = pyarrow.large_string()
    return compute.binary_join_element_wise(
        compute.cast(places, kind), compute.cast(numbers, kind), pyarrow.scalar(":", kind)
    )


def _gathered(words: Any, row_of: np.ndarray, rows: int) -> Any:
    """The words of each row in one string; nulls are left out."""
    import pyarrow
    import pyarrow.compute as compute

    words = compute.fill_null(words, "")
    offsets = np.searchsorted(row_of, np.arange(rows + 1)).astype(np.int64)
    lists = pyarrow.LargeListArray.from_arrays(pyarrow.array(offsets), words)
    return compute.binary_join(lists, pyarrow.scalar(" ", words.type))


def _maps(column: Any, problems: np.ndarray) -> Any:
    """Names, namespace^name in another than the default namespace, with their numbers."""
    import pyarrow

    lines: list[str | None] = []
    for row, pairs in enumerate(column.to_pylist()):
        namespaces: dict[str, list[str]] = {}
        for name, value in pairs or ():
            if value is None or value != value:
                continue
            if abs(value) > _LARGEST and problems[row] == GOOD:
                problems[row] = LARGE_NUMBER
            space, caret, rest = name.partition("^")
            plain = _plain(rest if caret else name)
            namespaces.setdefault(_plain(space) if caret else "", []).append(f"{plain}:{value!r}")
        lines.append(" ".join(f"|{name} {' '.join(words)}" for name, words in namespaces.items()))
    return pyarrow.array(lines, pyarrow.large_string())


def _plain(name: str) -> str:
    return plain_name(name.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
