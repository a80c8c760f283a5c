"""What Python has in memory, whatever its type, as rows and as Examples."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from lomtree.arrays.classes import coded, label_strings
from lomtree.arrays.derived_rows import as_examples, parts_of
from lomtree.arrays.dicts import batches_of
from lomtree.arrays.frames import as_frame, frame_rows, is_frame
from lomtree.arrays.lines import examples_of_lines
from lomtree.arrays.names import FeatureNames
from lomtree.arrays.rows import DenseRows, Rows, SparseRows
from lomtree.core.derivations import NOTHING, Derivations
from lomtree.derived.derivation import Deriver
from lomtree.examples.examples import Examples, Strings
from lomtree.formats.registry import AUTO
from lomtree.system.pipeline import DEPTH

MATRIX, FRAME, DICTS, LINES = "matrix", "frame", "dicts", "lines"
_NOTHING = object()
# What the model file is told about where its features come from: their numbers are those that text
# of this format has. Lines have a format of their own.
FORMATS = {MATRIX: "libsvm", FRAME: "csv", DICTS: "vw"}


def kind_of(X: Any) -> tuple[str, Any]:
    """What X is: a matrix, a DataFrame, dicts or lines; and X, from which nothing is missing, even
    if it is a generator."""
    if hasattr(X, "tocsr"):
        return MATRIX, X
    X = as_frame(X)
    if is_frame(X):
        return FRAME, X
    if isinstance(X, np.ndarray) and not (X.ndim == 1 and X.dtype.kind in "OSU"):
        return MATRIX, X
    if isinstance(X, str | bytes | Mapping):
        kind = "dict" if isinstance(X, Mapping) else "string"
        raise ValueError(f"X is one {kind}: put it into a list to make it one example.")
    if isinstance(X, Iterable) and not (hasattr(X, "__array__") and not hasattr(X, "dtype")):
        iterator = iter(X)
        first = next(iterator, _NOTHING)
        if first is _NOTHING:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        kind = _kind_of_one(first)
        if iterator is X:  # a generator
            X = chain([first], X) if kind != MATRIX else [first, *X]
        return kind, X
    return MATRIX, X


def _kind_of_one(first: Any) -> str:
    if isinstance(first, Mapping):
        return DICTS
    return LINES if isinstance(first, str | bytes) else MATRIX


def is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr")


def matrix_rows(X: Any, columns: np.ndarray | None = None) -> Rows:
    """Of an array or a sparse matrix."""
    if is_sparse(X):
        return SparseRows(X, columns)
    matrix = np.asarray(X)
    if matrix.ndim != 2:
        raise ValueError(f"Expected 2D array, got {matrix.ndim}D array instead.")
    return DenseRows(matrix, columns)


def examples_of(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    format: str = AUTO,
    derived: Derivations = NOTHING,
) -> Iterator[Examples]:
    """Examples for a Trainer or for predict_all(), from whatever X is: an array, a sparse matrix, a
    DataFrame, dicts, or lines of VW or libsvm text, which may have labels of their own. A model
    with derived features wants its `options.derived`."""
    weights = None if sample_weight is None else check_weights(sample_weight)
    labels = None if y is None else label_strings(coded(y))
    lengths = {
        "y": None if labels is None else len(labels.ends),
        "sample_weight": None if weights is None else len(weights),
    }
    begin = 0
    for examples in _examples(X, format, derived):
        end = begin + examples.count
        for name, length in lengths.items():
            if length is not None and length < end:
                raise ValueError(f"X has more examples than {name}, which has {length:,}.")
        if weights is not None:
            examples.batch.weights[: examples.count] = weights[begin:end]
        if labels is not None:
            own = Strings(labels.text, labels.begins[begin:end], labels.ends[begin:end])
            examples = replace(examples, labels=own)
        yield examples
        begin = end
    for name, length in lengths.items():
        if length is not None and length > begin:
            raise ValueError(f"X has {begin:,} examples, but {name} has {length:,}.")


def _examples(X: Any, format: str, derived: Derivations) -> Iterator[Examples]:
    """As they come: what is no array need not be there as a whole."""
    kind, X = kind_of(X)
    if kind == LINES:
        yield from examples_of_lines(X, format, derived)
        return
    names = FeatureNames()
    if kind == DICTS:
        batches = batches_of(X, names)
    else:
        batches = (matrix_rows(X) if kind == MATRIX else frame_rows(X, names)).batches()
    deriver = Deriver(derived, DEPTH + 3)  # as many as somebody may still be looking at
    for batch in batches:
        examples = as_examples(batch, format=FORMATS[kind])
        if derived == NOTHING:
            yield examples
        else:
            yield from parts_of(deriver, examples)


def check_weights(sample_weight: Any) -> np.ndarray:
    """float32[]; ValueError unless all are finite and none is negative."""
    try:
        weights = np.asarray(sample_weight, np.float64)
    except TypeError as error:
        raise ValueError(f"Input sample_weight has no numbers: {error}.") from None
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if not np.all(np.isfinite(weights)) or np.any(weights > np.finfo(np.float32).max):
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if np.any(weights < 0):
        raise ValueError("Input sample_weight contains negative values.")
    return weights.astype(np.float32)
