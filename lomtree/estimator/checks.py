"""What comes from users, checked in the words of scikit-learn before anything is learned."""

from collections.abc import Iterator, Sized
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np

from lomtree.arrays import source
from lomtree.arrays.classes import Labels, coded
from lomtree.arrays.derived_rows import DerivedRows, with_derived
from lomtree.arrays.dicts import dict_rows
from lomtree.arrays.frames import as_frame, frame_rows, is_frame, split_label
from lomtree.arrays.lines import line_rows
from lomtree.arrays.names import FeatureNames
from lomtree.arrays.rows import Rows
from lomtree.core.derivations import NOTHING, Derivations
from lomtree.estimator.engine import TrainingSet
from lomtree.estimator.scikit import (
    check_array,
    check_classification_targets,
    column_or_1d,
    validate_data,
)
from lomtree.formats.registry import AUTO

_COLUMNS = ("n_features_in_", "feature_names_in_")


@contextmanager
def columns_kept(estimator: Any) -> Iterator[None]:
    """If learning fails, the columns of X are those that the estimator knew before."""
    own = estimator.__dict__
    before = {name: own[name] for name in _COLUMNS if name in own}
    try:
        yield
    except BaseException:
        _forget_columns(estimator)
        own.update(before)
        raise


def _forget_columns(estimator: Any) -> None:
    for name in _COLUMNS:
        estimator.__dict__.pop(name, None)


class Input:
    """X, read: its rows, and what lines of text say besides."""

    def __init__(
        self,
        estimator: Any,
        X: Any,
        names: FeatureNames,
        reset: bool,
        derived: Derivations = NOTHING,
    ) -> None:
        kind, X = source.kind_of(X)
        self.labels: list[str | None] | None = None
        self.weights: np.ndarray | None = None
        self.format: str | None = source.FORMATS.get(kind)
        self.rows: Rows
        if kind in (source.MATRIX, source.FRAME):
            rows = _columns_of(estimator, X, names, reset, kind == source.FRAME)
            self.rows = with_derived(rows, derived)
            return
        if reset:
            _forget_columns(estimator)
        if kind == source.LINES:
            self.rows, self.labels, self.weights, self.format = line_rows(X, AUTO, derived)
        else:
            self.rows = with_derived(dict_rows(X, names), derived)


def _columns_of(estimator: Any, X: Any, names: FeatureNames, reset: bool, frame: bool) -> Rows:
    checked = reset or hasattr(estimator, "n_features_in_")
    if frame:
        for length, what in zip(X.shape, ("sample", "feature"), strict=True):
            if length == 0:
                raise ValueError(
                    f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is "
                    "required."
                )
        if checked:
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        return frame_rows(X, names)
    settings: dict[str, Any] = {
        "accept_sparse": True, "dtype": "numeric", "ensure_all_finite": False
    }  # fmt: skip
    if checked:
        X = validate_data(estimator, X, reset=reset, **settings)
    else:  # of a model that came from a file, whose width nobody knows
        X = check_array(X, **settings)
    columns = getattr(estimator, "feature_names_in_", None)
    if columns is not None:
        words = [str(name) for name in columns]
        numbers = names.learn(words)
        columns = np.array([numbers[word] for word in words], np.uint32)
    return source.matrix_rows(X, columns)


def training_set_of(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    names: FeatureNames,
    reset: bool,
    derived: Derivations = NOTHING,
) -> TrainingSet:
    if isinstance(y, str):
        X, y = _without_label(X, y)
    given = Input(estimator, X, names, reset, derived)
    count = given.rows.count
    weights = given.weights
    if sample_weight is not None:
        if isinstance(sample_weight, Real):
            sample_weight = np.full(count, sample_weight, np.float64)
        weights = source.check_weights(sample_weight)
        if len(weights) != count:
            raise ValueError(
                f"sample_weight.shape == {weights.shape}, expected {(count,)}: one for each sample."
            )
    if weights is not None and not weights.any():
        raise ValueError("Sample weights are all zero, so there is nothing to learn from.")
    labels = _labels_of(estimator, given, y)
    if isinstance(given.rows, DerivedRows):
        given.rows.check()
    return TrainingSet(given.rows, labels, weights, given.format)


def _without_label(X: Any, y: str) -> tuple[Any, list[Any]]:
    kind, X = source.kind_of(X)
    if kind != source.FRAME:
        raise ValueError("y is one string: that is the name of a column, if X is a DataFrame.")
    return split_label(X, y)


def targets_of(batch: Any, y: str | None) -> tuple[Any, Any, Any]:
    """X, y and the weights of a batch of a stream."""
    if y is not None:
        return batch, y, None
    if not isinstance(batch, tuple | list) or is_frame(batch) or not 1 <= len(batch) <= 3:
        raise ValueError(
            f"a batch of the stream is a {type(batch).__name__}: it must be (X, y) or "
            "(X, y, sample_weight), or a DataFrame, and y the name of the column of its labels."
        )
    X, y, weights = (*batch, None, None)[:3]
    return X, y, weights


def is_empty(X: Any) -> bool:
    """Whether X has no rows, as far as that can be seen without going through it."""
    shape = getattr(as_frame(X), "shape", None)
    return shape[0] == 0 if shape else isinstance(X, Sized) and len(X) == 0


def _labels_of(estimator: Any, given: Input, y: Any) -> Labels:
    if y is None and given.labels is not None:
        if None in given.labels:
            raise ValueError(f"X[{given.labels.index(None)}] has no label, and there is no y.")
        return coded(given.labels)
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y "
            "is None."
        )
    labels = read_labels(y)
    if len(labels.places) != given.rows.count:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[given.rows.count, len(labels.places)]}"
        )
    return labels


def read_labels(y: Any) -> Labels:
    """Labels as Python's own. What numpy would make one type keeps its types; floats that
    are no whole numbers are targets of a regression, unless they are given as objects. None is a
    label in a list or an array; in a column it is what is missing."""
    if isinstance(y, list | tuple):
        kinds = {type(label) for label in y}
        if len(kinds - _ROWS) > 1 or (kinds and kinds <= _AS_THEY_ARE):
            return coded(list(y))
    array = np.asarray(y)
    if isinstance(y, list | tuple) and array.dtype == object and not _ROWS & kinds:
        return coded(list(y))
    array = column_or_1d(array, warn=True)
    if array.dtype.kind in "fc":
        check_classification_targets(array)
    missing = array.dtype.kind in "mM" and bool(np.isnat(array).any())
    if array.dtype == object and not isinstance(y, np.ndarray | list | tuple):
        missing = any(label is None for label in array.tolist())
    if missing:
        raise ValueError("Input y contains NaN.")
    return coded(array)


_ROWS = {list, np.ndarray}  # of a y that has two dimensions
_AS_THEY_ARE = {str, tuple}  # numpy cuts zeros off strings, and makes tuples a second dimension
