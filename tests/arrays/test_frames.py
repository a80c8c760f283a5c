"""The row of a DataFrame is the dict of its cells."""

import numpy as np
import pytest

from lomtree.arrays.dicts import dict_rows
from lomtree.arrays.frames import as_frame, frame_rows, is_frame, split_label
from lomtree.arrays.names import FeatureNames
from tests.arrays.test_rows import all_of, same

pytest.importorskip("narwhals")

CELLS = {
    "length": [1.5, 0.0, -2.0],
    "count": [1, 2, 3],
    "wet": [True, False, True],
    "colour": ["red", "green", "red"],
    "7": [0.25, 0.5, 0.75],
}


def made_by(library: str, cells: dict):
    module = pytest.importorskip(library)
    return module.table(cells) if library == "pyarrow" else module.DataFrame(cells)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("columns", [list(CELLS), ["length", "count", "wet", "7"]])
def test_rows_are_dicts(library, columns):
    cells = {name: CELLS[name] for name in columns}
    frame = made_by(library, cells)
    assert is_frame(frame)
    dicts = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    assert same(all_of(frame_rows(frame, FeatureNames())), all_of(dict_rows(dicts, FeatureNames())))


def test_categories_are_strings_and_a_missing_one_chooses_nothing():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"c": pandas.Categorical(["a", None, "b"]), "x": [1.0, 2.0, 3.0]})
    dicts = [{"c": "a", "x": 1.0}, {"x": 2.0}, {"c": "b", "x": 3.0}]
    assert same(all_of(frame_rows(frame, FeatureNames())), all_of(dict_rows(dicts, FeatureNames())))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_missing_number_is_told_with_its_column(library):
    with pytest.raises(ValueError, match="contains NaN: the column 'x' does"):
        frame_rows(made_by(library, {"x": [1.0, None], "y": [1.0, 2.0]}), FeatureNames())


def test_what_pandas_calls_na_is_missing():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"c": pandas.array(["a", None], "string"), "x": [1.0, 2.0]})
    dicts = [{"c": "a", "x": 1.0}, {"x": 2.0}]
    assert same(all_of(frame_rows(frame, FeatureNames())), all_of(dict_rows(dicts, FeatureNames())))
    for kind in ("boolean", "Int64", "Float64"):
        with pytest.raises(ValueError, match="contains NaN: the column 'n' does"):
            frame_rows(frame.assign(n=pandas.array([1, None], kind)), FeatureNames())


def test_a_list_in_a_cell_is_told():
    frame = pytest.importorskip("pandas").DataFrame({"c": ["a", [1]]})
    with pytest.raises(ValueError, match="the column 'c' has a list in it, no string"):
        frame_rows(frame, FeatureNames())


def test_a_column_of_dates_is_told():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"day": pandas.to_datetime(["2020-01-01"])})
    with pytest.raises(ValueError, match="the column 'day' has the type Datetime"):
        frame_rows(frame, FeatureNames())


def test_arrays_are_no_frames():
    assert not is_frame(np.zeros((2, 2)))


def test_batches_of_arrow_and_a_stream_of_them_are_tables():
    arrow = pytest.importorskip("pyarrow")
    table = made_by("pyarrow", CELLS)
    batch = table.to_batches()[0]
    expected = all_of(frame_rows(table, FeatureNames()))
    stream = arrow.RecordBatchReader.from_batches(table.schema, [batch.slice(0, 1), batch.slice(1)])
    for one in (batch, as_frame(stream)):
        assert same(all_of(frame_rows(one, FeatureNames())), expected)


def test_sparse_columns_of_pandas():
    pandas = pytest.importorskip("pandas")
    cells = {"a": [0.0, 1.5, 0.0], "7": [2.0, 0.0, 0.0]}
    dense = pandas.DataFrame(cells)
    sparse = dense.astype(pandas.SparseDtype(float, 0.0))
    found = all_of(frame_rows(sparse, FeatureNames()))
    assert same(found, all_of(frame_rows(dense, FeatureNames())))


def test_what_is_lazy_must_be_collected():
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match=r"a LazyFrame, which is not there yet: collect\(\) it"):
        as_frame(polars.DataFrame(CELLS).lazy())


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_column_of_the_labels(library):
    rest, labels = split_label(made_by(library, CELLS), "colour")
    assert labels == CELLS["colour"]
    others = {name: cells for name, cells in CELLS.items() if name != "colour"}
    expected = all_of(frame_rows(made_by(library, others), FeatureNames()))
    assert same(all_of(frame_rows(rest, FeatureNames())), expected)
    with pytest.raises(ValueError, match="X has no column 'kind'; its columns are length, count,"):
        split_label(made_by(library, CELLS), "kind")
