"""A row that is plain becomes the example that rows in general become; others are refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lomtree.arrays.dicts import batch_of
from lomtree.arrays.names import FeatureNames
from lomtree.arrays.raw_row import MOST_COMPARED, RowReader
from lomtree.arrays.rows import DenseRows, SparseRows
from lomtree.examples.batch import CONSTANT

FLOATS = st.floats(-1e30, 1e30)


@pytest.fixture(scope="module")
def reader():
    return RowReader(600)


def read(reader, *row, way="sparse") -> bool:
    """Whether the row was plain; then the reader has its example."""
    if not getattr(reader, f"put_{way}")(*row):
        return False
    reader.read()
    return reader.is_plain


def example(batch):
    end = int(batch.starts[1])
    return batch.features[:end].tolist(), batch.values[:end].tolist()


@settings(deadline=None)  # the first one compiles
@given(st.lists(FLOATS | st.sampled_from([0.0, -0.0, 1e-45, 1e-60]), min_size=1, max_size=20))
def test_a_dense_row(reader, values):
    row = np.array([values])
    assert read(reader, row[0], way="dense")
    assert example(reader.batch) == example(next(DenseRows(row).batches()))


@settings(deadline=None)
@given(st.dictionaries(st.integers(0, 99), FLOATS, max_size=20))
def test_a_sparse_row_whose_columns_are_in_any_order(reader, cells):
    columns, values = np.array(list(cells), np.int32), np.array(list(cells.values()), np.float32)
    assert read(reader, columns, values, 100)
    X = sparse.csr_array((values, columns, np.array([0, len(values)])), shape=(1, 100))
    assert example(reader.batch) == example(next(SparseRows(X).batches()))


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        ([3], [np.nan]),
        ([3], [np.inf]),
        ([3], [-1e39]),
        ([-1], [1.0]),
        ([100], [1.0]),
        ([3, 4, 3], [1.0, 1.0, 1.0]),
        ([3, 4], [1.0]),
    ],
)
def test_a_row_that_is_not_plain(reader, columns, values):
    assert not read(reader, np.array(columns), np.array(values), 100)


def test_a_long_row_whose_columns_are_in_no_order():
    reader, columns = RowReader(MOST_COMPARED + 1), np.arange(MOST_COMPARED + 1)[::-1]
    values = np.ones(len(columns))
    assert not read(reader, columns, values, len(columns))
    assert read(reader, columns[1:], values[1:], len(columns))
    columns[-1] = columns[100]
    assert not read(reader, columns[1:], values[1:], len(columns))


def test_the_column_that_is_the_constant(reader):
    assert not read(reader, np.array([CONSTANT]), np.ones(1), CONSTANT + 1)
    assert read(reader, np.array([CONSTANT + 1]), np.ones(1), CONSTANT + 2)


def test_a_dict_of_names_that_are_known(reader):
    names = FeatureNames()
    row = {"size": 3, "colour": "red", ("words", "x"): 0.5, ("words", "tint"): "blue", 7: 0}
    assert not read(reader, row, names, way="dict")
    expected = example(batch_of([row], names))
    assert read(reader, row, names, way="dict")
    assert example(reader.batch) == expected
    for value in (None, ["red"], True, np.float32(1), 10**400, float("nan")):
        assert not read(reader, {"size": value}, names, way="dict")
