"""Parquet and Arrow: the features of the same table as CSV, whatever the columns' types."""

import sys

import pytest

from lomtree.core.errors import DataError
from lomtree.core.reading import Reading
from lomtree.formats.reader import Reader
from lomtree.formats.record_batches import read_batches

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

HOW = Reading(label="y")


def texts(table, how: Reading = HOW, **more) -> list[bytes]:
    """The rows as VW text."""
    found = []
    for block in read_batches(table.to_batches(), how, **more):
        found += block.origin.translated.tobytes().splitlines()
    return found


@pytest.mark.parametrize(
    ("column", "wanted"),
    [
        (pyarrow.array([1, None, 0]), [b"| x:1", b"|", b"| x:0"]),
        (pyarrow.array([1.5, float("nan"), None]), [b"| x:1.5", b"|", b"|"]),
        (pyarrow.array([True, False, None]), [b"| x:1", b"| x:0", b"|"]),
        (pyarrow.array(["red", "", " New: York "]), [b"| x=red", b"|", b"| x=New__York"]),
        (pyarrow.array(["3", None, "a\nb"]), [b"| x=3", b"|", b"| x=a_b"]),
        (pyarrow.array(["p", "q", "p"]).dictionary_encode(), [b"| x=p", b"| x=q", b"| x=p"]),
        (pyarrow.nulls(3), [b"|", b"|", b"|"]),
        (pyarrow.array([[1.0, 0.5], None, [None, 2.0]]),
         [b"| |x 0:1 1:0.5", b"| |x ", b"| |x  1:2"]),
        (pyarrow.array([["a b", "c"], [], None]), [b"| |x a_b c", b"| |x ", b"| |x "]),
        (pyarrow.array([{"u": 1, "v": "k"}, {"u": None, "v": "m"}, None]),
         [b"| x.u:1 x.v=k", b"| x.v=m", b"|"]),
        (pyarrow.array([[("n^a", 1.0), ("b", 2.0)], [], None],
                       pyarrow.map_(pyarrow.string(), pyarrow.float32())),
         [b"| |n a:1.0 | b:2.0", b"| ", b"| "]),
        (pyarrow.array([18000, None, 0], pyarrow.date32()),
         [b"| x=2019-04-14", b"|", b"| x=1970-01-01"]),
        (pyarrow.array([1, 2, 3], pyarrow.decimal128(9, 2)), [b"| x:1", b"| x:2", b"| x:3"]),
    ],
)  # fmt: skip
def test_every_type_of_column(column, wanted):
    assert texts(pyarrow.table({"y": ["a", "b", "c"], "x": column})) == wanted


def test_text_and_categorical_columns():
    table = pyarrow.table({"t": ["some  wo:rds\n", None], "y": ["a", "b"], "z": [3, 4]})
    how = Reading(label="y", text=("t",), categorical=("z",))
    assert texts(table, how) == [b"| |t some wo_rds  | z=3", b"|  | z=4"]


def written(tmp_path, kind: str, table) -> str:
    path = str(tmp_path / f"t.{kind}")
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=2)
    else:
        maker = pyarrow.ipc.new_file if kind == "arrow" else pyarrow.ipc.new_stream
        with maker(path, table.schema) as file:
            file.write_table(table, max_chunksize=2)
    return path


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_files_are_known_by_their_first_bytes_and_read_as_csv_is(tmp_path, kind):
    table = pyarrow.table(
        {"y": ["a", "b c", "d"], "size": [1.5, -2.0, 3.25], "id": [7, 8, 9], "w": [1, 2, 3]}
    )
    how = Reading(label="y", tag="id", importance="w")
    reader = Reader([written(tmp_path, kind, table)], reading=how, labels_required=True)
    (tmp_path / "t.csv").write_bytes(b"y,size,id,w\na,1.5,7,1\nb c,-2,8,2\nd,3.25,9,3\n")
    text = Reader([str(tmp_path / "t.csv")], "csv", reading=how)

    def rows(source) -> list:
        return [
            (
                block.labels.word(n),
                block.tags.word(n),
                float(block.batch.weights[n]),
                block.batch.features[block.batch.starts[n] : block.batch.starts[n + 1]].tolist(),
                block.batch.values[block.batch.starts[n] : block.batch.starts[n + 1]].tolist(),
            )
            for block in source
            for n in range(block.count)
        ]

    assert rows(reader) == rows(text)
    assert (reader.format, reader.examples, reader.bytes_read) == ("parquet", 3, reader.size)
    assert reader.reading == text.reading


@pytest.mark.parametrize(
    ("columns", "how", "message"),
    [
        ({"y": ["a", None], "x": [1, 2]}, HOW, "the table: row 2: expected a label"),
        ({"y": ["a", "b"], "x": [1.0, 1e39]}, HOW,
         "the table: row 2: expected a number between -3.4e38 and 3.4e38"),
        ({"y": ["a", "b"], "x": [1.0, float("inf")]}, HOW,
         "the table: row 2: expected a number between -3.4e38 and 3.4e38"),
        ({"y": ["a", "b\tc"], "x": [1, 2]}, HOW,
         "the table: row 2: expected a label without tabs and newlines"),
        ({"y": ["a", "b"], "x": [1, 2], "w": [1, -1]}, Reading(label="y", importance="w"),
         "the table: row 2: expected an importance (a number, 0 or more)"),
        ({"y": ["a", "b"], "x": [b"1", b"2"]}, HOW,
         "the table: the column 'x' is of type binary, which makes no features"),
        ({"y": ["a", "b"], "x": [[[1]], [[2]]]}, HOW,
         "the table: the column 'x' is of type list<item: list<item: int64>>, which makes no "
         "features"),
        ({"z": ["a", "b"]}, HOW,
         "the table: the column 'y' of the labels is missing; the columns are z"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(columns, how, message):
    with pytest.raises(DataError) as caught:
        texts(pyarrow.table(columns), how, labels_required=True)
    assert str(caught.value) == message


def test_files_that_are_broken_or_something_else(tmp_path):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1" + b"\0" * 50)
    with pytest.raises(DataError, match=r"t.parquet: cannot be read as Parquet or Arrow \("):
        list(Reader([str(path)], reading=HOW))
    path.write_bytes(b"y,x\na,1\n")
    with pytest.raises(DataError, match=r"t.parquet: is neither Parquet nor Arrow$"):
        list(Reader([str(path)], "parquet", reading=HOW))


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    path = written(tmp_path, "parquet", pyarrow.table({"y": ["a"], "x": [1]}))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError) as caught:
        list(Reader([path], reading=HOW))
    assert str(caught.value) == (
        f"{path}: Parquet and Arrow need pyarrow: pip install 'lomtree[arrow]'"
    )
