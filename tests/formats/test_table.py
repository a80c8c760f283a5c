"""Tables: what the fields of a row become, and what is wrong with a table."""

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.errors import DataError
from lomtree.core.reading import Reading
from lomtree.formats import table
from lomtree.formats.reader import Reader
from tests.formats.test_reader import examples
from tests.oracles.tables import table_features

CELLS = st.sampled_from(
    ["", "3", "-1.5e3", " 7 ", "0", "red", "New York", "a:b|c", 'say "x"', "two\nlines", "nan",
     "1e-60",
     "1,5", "+.5", "5.", "0x10", "ü\tz", " ", "12 monkeys", "1e", "'"]
)  # fmt: skip
NAMES = ["y", "size", "my col:x", "7", "note", "zip"]


def reading(**more) -> Reading:
    return Reading(label="y", text=("note",), categorical=("zip",), **more)


def read(tmp_path, text: bytes, how: Reading, format: str = "csv", **more) -> list:
    (tmp_path / "t").write_bytes(text)
    return examples(Reader([str(tmp_path / "t")], format, reading=how, **more))


@settings(max_examples=200)
@given(
    st.lists(st.lists(CELLS, min_size=6, max_size=6), min_size=1, max_size=5),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["csv", "tsv"]),
)
def test_fields_are_what_the_definition_says(tmp_path_factory, rows, quoting, end, format):
    out = io.StringIO()
    delimiter = "," if format == "csv" else "\t"
    writer = csv.writer(out, quoting=quoting, lineterminator=end, delimiter=delimiter)
    rows = [["label", *row[1:]] for row in rows]
    writer.writerows([NAMES, *rows])
    path = tmp_path_factory.mktemp("table") / "t"
    path.write_bytes(out.getvalue().encode())
    roles = {"y": "label", "note": "text", "zip": "categorical"}
    found = examples(Reader([str(path)], format, reading=reading()))
    assert [e.label for e in found] == [b"label"] * len(rows)
    for row, example in zip(rows, found, strict=True):
        wanted: dict[int, float] = {}
        for index, value in table_features(NAMES, row, roles):
            wanted[index] = float(np.float32(wanted.get(index, 0) + value))
        assert {index: float(value) for index, value in example.features} == wanted


def test_names_are_those_of_vw_text(tmp_path):
    text = b"y,size,color,note\na,3,New York,hello wo:rld\n"
    [ours] = read(tmp_path, text, Reading(label="y", text=("note",)))
    (tmp_path / "v").write_bytes(b"a | size:3 color=New_York |note hello wo_rld\n")
    [theirs] = examples(Reader([str(tmp_path / "v")]))
    assert (ours.label, ours.features) == (theirs.label, theirs.features)


def test_without_a_header_columns_have_numbers(tmp_path):
    how = Reading(label="1", text=("2",), tag="3", importance="4", header=False)
    found = read(tmp_path, b"a\tx y\tid 1\t2.5\nb\tz\t\t\n", how, "tsv")
    assert [(e.label, e.tag, e.weight, len(e.features)) for e in found] == [
        (b"a", b"id 1", 2.5, 3),
        (b"b", b"", 1, 2),
    ]


HOW = Reading(label="y")


@pytest.mark.parametrize(
    ("text", "how", "message"),
    [
        (b"y,x\na,1\nb\n", HOW, ":3:2: expected another field, because the first row has more, "
         "found the end of the line"),
        (b'y,x\n"a\nb",1\nc,1,2\n', HOW, ":2:1: expected a label without tabs and newlines, found "
         "'\"a'"),
        (b'y,x\na,"1\n2"\nc,1,2 z\n', HOW, ":4:5: expected the end of the row, because the first "
         "row has fewer fields, found '2'"),
        (b'y,x\na,"1\n', HOW,
         ":2:3: expected a field whose quotes end (--no-quotes reads quotes as "
         "they are), found '\"1'"),
        (b'y,x\na,"1"2\n', HOW, ":2:6: expected the end of the field behind its quotes (a quote in "
         "them is doubled; --no-quotes reads quotes as they are), found '2'"),
        (b"y,x\na,1e39\n", HOW, ":2:3: expected a number between -3.4e38 and 3.4e38, found '1e39'"),
        (b"y,x\n,1\n", HOW, ":2:1: expected a label, found ',1'"),
        (b"y,w\na,-1\n", Reading(label="y", importance="w", categorical=()),
         ": there is no column beside that of the labels"),
        (b"y,x,w\na,1,-1\n", Reading(label="y", importance="w"),
         ":2:5: expected an importance (a number, 0 or more), found '-1'"),
        (b"y,x,y\na,1,2\n", HOW, ": two columns are named 'y'"),
        (b"a,b\n1,2\n", HOW, ": the column 'y' of the labels is missing; the columns are a, b"),
        (b"y;x\na;2\n", HOW, ": the column 'y' of the labels is missing; the columns are y;x "
         "(--delimiter C tells what stands between the fields)"),
        (b"y,x\na,1\n", Reading(),
         ": --label COLUMN tells which column has the labels; the columns "
         "are y, x"),
        (b"y,x\na,1\n", Reading(label="y", text=("t",)), ": the column 't' is missing; the columns "
         "are y, x"),
        (b'"y,x\na,1\n', HOW,
         ":1: the quotes of the header do not fit (--no-quotes reads quotes as "
         "they are)"),
        (b"a,1\n", Reading(label="3", header=False), ": the column '3' of the labels is missing; "
         "the columns are 1, 2"),
        (b"y," + b"x" * 1001 + b"\na,1\n", HOW, ": a column has a name of more than 1000 bytes"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(tmp_path, text, how, message):
    path = tmp_path / "t"
    path.write_bytes(text)
    with pytest.raises(DataError) as caught:
        list(Reader([str(path)], "csv", reading=how, labels_required=True))
    assert str(caught.value) == f"{path}{message}"


def test_too_many_columns_are_not_named_first(tmp_path, monkeypatch):
    """64 MB of commas would be as many names."""
    monkeypatch.setattr(table, "_name", None)
    (tmp_path / "t").write_bytes(b"," * 1_000_000 + b"\n")
    with pytest.raises(DataError, match="has more than 1,000,000 columns"):
        list(Reader([str(tmp_path / "t")], "csv", reading=HOW, labels_required=True))


def test_bad_rows_can_be_skipped(tmp_path):
    text = b'y,x\na,1\nb\n\nc,"x"y\nd,"2\n3"\n'
    (tmp_path / "t").write_bytes(text)
    reader = Reader([str(tmp_path / "t")], "csv", "skip", True, reading=HOW)
    found = examples(reader)
    assert [(e.label, e.line, e.column) for e in found] == [
        (b"a", 1, None),
        (b"", 2, 2),
        (b"", 4, 6),
        (b"d", 5, None),
    ]
    assert reader.skipped == 2


def test_a_byte_order_mark_returns_blank_lines_and_gzip(tmp_path):
    text = gzip.compress(b"\xef\xbb\xbf\r\ny , x \r\n a , 1 \r\n\r\n")
    [found] = read(tmp_path, text, HOW)
    assert (found.label, found.line, len(found.features)) == (b"a", 2, 2)


def test_quotes_can_mean_nothing(tmp_path):
    found = read(tmp_path, b'"a\tb"c\n', Reading(label="1", header=False, quotes=False), "tsv")
    assert [e.label for e in found] == [b'"a']


def test_columns_are_known_by_their_names(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"y,a,b\nx,1,2\n")
    second.write_bytes(b"new,b,y,a\n9,2,x,1\n")
    reader = Reader([str(first), str(second)], "csv", reading=HOW)
    one, other = examples(reader)
    assert sorted(one.features) == sorted(other.features)
    assert reader.reading.columns == ("a", "b")
    second.write_bytes(b"a,c\n1,2\n")
    with pytest.raises(
        DataError, match=r"second: the column 'b' is missing; the columns are a, c$"
    ):
        list(reader)


def test_rows_are_the_same_however_blocks_are_cut(tmp_path, monkeypatch):
    text = b"y,x,t\n" + b'a,1,"some\nwords"\nb,2,"q ""q"""\n\n' * 200
    (tmp_path / "t").write_bytes(text)

    def found(threads: int) -> list:
        how = Reading(label="y", text=("t",))
        return examples(Reader([str(tmp_path / "t")], "csv", reading=how, threads=threads))

    whole = found(1)
    assert len(whole) == 400
    for size in (7, 50, 333):
        monkeypatch.setattr("lomtree.formats.source.BLOCK_BYTES", size)
        assert found(1) == found(3) == whole


def test_long_names_of_columns_are_not_repeated_for_a_whole_block(tmp_path, monkeypatch):
    """A row of two bytes becomes one of a thousand."""
    longest = []

    def noting(layout, text):
        found = translate(layout, text)
        longest.append(len(found.text))
        return found

    translate = table.TableLayout.translate
    monkeypatch.setattr(table.TableLayout, "translate", noting)
    monkeypatch.setattr(table, "MOST_TRANSLATED", 1 << 16)
    text = b"y," + 1000 * b"n" + b"\n" + b'1,2\n"3","\n4"\n' * 400
    found = read(tmp_path, text, Reading(label="y"))
    assert len(found) == 800
    assert len(longest) > 10
    assert max(longest) <= 1 << 16
    monkeypatch.setattr(table, "MOST_TRANSLATED", 1 << 25)
    assert read(tmp_path, text, Reading(label="y")) == found
