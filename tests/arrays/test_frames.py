"""The row of a DataFrame is the dict of its cells."""

import numpy as np
import pytest

from lomtree.arrays.dicts import dict_rows
from lomtree.arrays.frames import frame_rows, is_frame
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


def test_a_column_of_dates_is_told():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"day": pandas.to_datetime(["2020-01-01"])})
    with pytest.raises(ValueError, match="the column 'day' has the type Datetime"):
        frame_rows(frame, FeatureNames())


def test_arrays_are_no_frames():
    assert not is_frame(np.zeros((2, 2)))
