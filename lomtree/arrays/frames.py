"""DataFrames as examples, through narwhals: of pandas, polars, pyarrow and others.

A column of numbers or booleans is a feature of its name; a column of strings or categories chooses
the feature name=value. A row is what the dict of its cells is.
"""

import sys
from typing import Any

import numpy as np

from lomtree.arrays.classes import is_nan
from lomtree.arrays.dicts import _packed, chosen
from lomtree.arrays.names import FeatureNames
from lomtree.arrays.rows import DenseRows, PackedRows, Rows, SparseRows, check_values


def is_frame(X: Any) -> bool:
    """Whether it has named columns, as DataFrames do and arrays do not."""
    return hasattr(X, "columns") and (hasattr(X, "dtypes") or hasattr(X, "schema"))


def as_frame(X: Any) -> Any:
    """A batch of Arrow's, or all of a stream of them, as a table; whatever else X is stays so."""
    arrow = sys.modules.get("pyarrow")  # whoever has such a thing has imported it
    if arrow is not None and isinstance(X, arrow.RecordBatch):
        return arrow.Table.from_batches([X])
    if is_stream(X):
        return X.read_all()
    if hasattr(X, "collect") and not hasattr(X, "__len__"):
        raise ValueError(f"X is a {type(X).__name__}, which is not there yet: collect() it first.")
    return X


def is_stream(X: Any) -> bool:
    """Whether it is a stream of Arrow's batches."""
    arrow = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(X, arrow.RecordBatchReader)


def split_label(frame: Any, name: str) -> tuple[Any, list[Any]]:
    """A DataFrame without the column of this name, and what is in that."""
    table = _narwhals().from_native(as_frame(frame), eager_only=True)
    if name not in table.columns:
        there = ", ".join(map(str, table.columns))
        raise ValueError(f"X has no column {name!r}; its columns are {there}.")
    labels = table[name].to_list()
    if any(label is None or is_nan(label) for label in labels):
        raise ValueError(f"Input y contains NaN: the column {name!r} does.")
    return table.drop(name).to_native(), labels


def _narwhals() -> Any:
    try:
        import narwhals.stable.v1 as nw
    except ImportError:
        raise ImportError("a DataFrame needs narwhals: pip install 'lomtree[frames]'") from None
    return nw


def frame_rows(frame: Any, names: FeatureNames) -> Rows:
    nw = _narwhals()
    table = nw.from_native(as_frame(frame), eager_only=True)
    schema = table.schema
    columns = np.array([names.learn([str(name)])[str(name)] for name in table.columns], np.uint32)
    if hasattr(frame, "sparse"):  # all columns are sparse ones of pandas
        return SparseRows(frame.sparse.to_coo(), columns)
    numbers = [_is_number(nw, column, schema[column]) for column in table.columns]
    if all(numbers):
        return DenseRows(_matrix(table), columns)
    features = np.empty((len(table), len(columns)), np.uint32)
    values = np.empty((len(table), len(columns)), np.float32)
    for place, name in enumerate(table.columns):
        if numbers[place]:
            features[:, place] = columns[place]
            values[:, place] = _numbers(table, place)
        else:
            cells = table[:, place].to_list()
            _choose(str(name), cells, names, features[:, place], values[:, place])
    width = len(columns)
    return PackedRows(_packed([width] * len(table), features.reshape(-1), values.reshape(-1)))


def _is_number(nw: Any, name: Any, dtype: Any) -> bool:
    if dtype.is_numeric() or dtype == nw.Boolean:
        return True
    if dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        return False
    raise ValueError(
        f"the column {name!r} has the type {dtype}: columns of numbers, booleans, strings and "
        "categories are features."
    )


def _numbers(table: Any, place: int) -> np.ndarray:
    """A column of numbers, checked; a missing one is NaN, and so refused."""
    values = np.asarray(table[:, place].to_numpy())
    if values.dtype.kind not in "fiub":
        cells = values.tolist()
        values = np.array([np.nan if one is None or is_nan(one) else float(one) for one in cells])
    try:
        check_values(values)
    except ValueError as error:
        raise ValueError(
            f"{str(error).rstrip('.')}: the column {table.columns[place]!r} does."
        ) from None
    return values


def _matrix(table: Any) -> np.ndarray:
    columns = [_numbers(table, place) for place in range(len(table.columns))]
    kind = np.result_type(*columns) if columns else np.dtype(np.float64)
    kind = kind if kind in (np.float32, np.float64) else np.dtype(np.float64)
    matrix = np.empty((len(table), len(columns)), kind)
    for place, column in enumerate(columns):
        matrix[:, place] = column
    return matrix


def _choose(
    name: str, cells: list[Any], names: FeatureNames, features: np.ndarray, values: np.ndarray
) -> None:
    """Write the features that the cells of a column choose; a missing one chooses none."""
    cells = [None if is_nan(cell) else cell for cell in cells]
    for kind in set(map(type, cells)) - {type(None)}:
        if not issubclass(kind, str | int | float | bool):
            raise ValueError(f"the column {name!r} has a {kind.__name__} in it, no string.")
    different = set(cells) - {None}
    words = {cell: chosen(name, str(cell)) for cell in different}
    numbers = names.learn(words.values())
    found = {cell: numbers[word] for cell, word in words.items()}
    features[:] = [found.get(cell, 0) for cell in cells]
    values[:] = [float(cell in found) for cell in cells]
