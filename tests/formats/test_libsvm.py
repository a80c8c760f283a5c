"""libsvm's text format."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.formats.libsvm import parse as parse_libsvm
from lomtree.formats.line import make_arrays
from lomtree.formats.problems import BAD_INDEX, BAD_VALUE, LARGE_VALUE
from tests.generators.strange_text import strange_text
from tests.oracles.text import CONSTANT, as_examples, assert_same, parse


def run(text: bytes):
    batch, spans = make_arrays(len(text), text.count(b"\n"))
    count, features = parse_libsvm(np.frombuffer(text, np.uint8), 0, len(text), batch, spans)
    assert batch.starts[count] == features
    return batch, spans, count


def examples(text: bytes):
    batch, spans, count = run(text)
    return as_examples(text, count, batch, spans)


@pytest.mark.parametrize(
    ("line", "label", "expected"),
    [
        (b"1 1:0.5 7:-2", b"1", [(1, 0.5), (7, -2)]),
        (b"+1 7:1 3:2 7:3", b"+1", [(7, 1), (3, 2), (7, 3)]),
        (b"1.0\t0:1\t", b"1.0", [(0, 1)]),
        (b"cat 4294967295:1e3 # a comment 5:6", b"cat", [(4294967295, 1000)]),
        (b"c# 007:1", b"c#", [(7, 1)]),
        (b"1:2 3:4", b"", [(1, 2), (3, 4)]),
        (b"3", b"3", []),
        (b"3 #", b"3", []),
        (b"3 1:0 2:1e-60 5:1", b"3", [(5, 1)]),
        (b"3 00000000000000000000005:1\r", b"3", [(5, 1)]),
        (b"a|b 5:1", b"a|b", [(5, 1)]),
        (b"3 1:1#comment 2:x", b"3", [(1, 1)]),
        (b"3 +3:1 +0004:2", b"3", [(3, 1), (4, 2)]),
    ],
)
def test_a_line_is_a_label_and_features_and_the_constant(line, label, expected):
    (found,) = examples(line)
    assert (found.label, found.tag, found.weight, found.column) == (label, b"", 1, None)
    assert found.features == [*expected, (CONSTANT, 1)]


@pytest.mark.parametrize(
    ("line", "problem", "column"),
    [
        (b"1 2:x", BAD_VALUE, 5),
        (b"1 2:", BAD_VALUE, 5),
        (b"1 2: 3", BAD_VALUE, 5),
        (b"1 2:3:4", BAD_VALUE, 5),
        (b"1 2:#3", BAD_VALUE, 5),
        (b"1 2#:3", BAD_INDEX, 3),
        (b"1 ++2:3", BAD_INDEX, 3),
        (b"1 +:3", BAD_INDEX, 3),
        (b"1 2:1e39", LARGE_VALUE, 5),
        (b"1 2:3 x", BAD_INDEX, 7),
        (b"1 2", BAD_INDEX, 3),
        (b"1 -2:3", BAD_INDEX, 3),
        (b"1 qid:3 1:1", BAD_INDEX, 3),
        (b"1 :3", BAD_INDEX, 3),
        (b"1 4294967296:3", BAD_INDEX, 3),
        (b"1 99999999999999999999999:3", BAD_INDEX, 3),
        (b"a:b 1:1", BAD_INDEX, 1),
    ],
)
def test_problems_have_a_code_and_a_column(line, problem, column):
    _batch, spans, count = run(b"\n" + line + b"\n1 1:1\n")
    assert count == 2
    assert (spans.problem[0], spans.column[0], spans.line[0]) == (problem, column, 1)
    assert (spans.problem[1], spans.line[1]) == (0, 2)


def test_lines_are_read_as_scikit_learn_reads_them(tmp_path):
    datasets = pytest.importorskip("sklearn.datasets")
    path = tmp_path / "some.svm"
    path.write_bytes(b"3 1:1#comment\n1 +3:1 4:2 # 5:x\n2 1:0.5 7:-2\n")
    features, labels = datasets.load_svmlight_file(str(path), zero_based=True)
    found = examples(path.read_bytes())
    assert [float(example.label) for example in found] == labels.tolist()
    for row, example in zip(features, found, strict=True):
        theirs = list(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        assert example.features == [*theirs, (CONSTANT, 1)]


def test_blank_lines_and_comments_are_not_examples():
    text = b"# a comment\n\n  # one more: 5:x\n1 1:1\r\n \t\r\n2 1:2"
    assert [(e.line, e.label) for e in examples(text)] == [(3, b"1"), (5, b"2")]


@settings(max_examples=500)
@given(
    st.lists(
        st.sampled_from(
            [b"1", b"12:", b"3:0.5", b"cat", b" ", b" ", b"\t", b":", b"#", b" #", b"\n", b"\r",
             b"\r\n", b"\0", b"\xff", b"|", b"1e5", b"-2.5", b"1e39", b"1e-50", b".", b"0", b"+",
             b"nan", b" 4294967295:1", b" 4294967296:1", b"99999999999999999999999", b"\n5 "]
        ),
        max_size=40,
    ).map(b"".join)
    | st.binary(max_size=30)
)  # fmt: skip
def test_the_compiled_parser_is_the_naive_one(text):
    assert_same(examples(text), parse(text, "libsvm"))


@settings(max_examples=500)
@given(st.integers(0, 2**64))
def test_what_strangers_write_is_what_the_naive_parser_finds(seed):
    text = strange_text(Random(seed), "libsvm")
    assert_same(examples(text), parse(text, "libsvm"))


VALUES = st.from_regex(rb"[-+]?[01]?\.?[0-9]{0,10}(e-3)?", fullmatch=True)


@settings(max_examples=500)
@given(st.lists(st.tuples(VALUES, st.sampled_from([b" ", b"  ", b"\t", b"\n1 ", b"#", b" #"]))))
def test_short_values_are_read_wherever_they_stand(words):
    """Those within 16 bytes of the end of a text are read in another way."""
    features = b"".join(b"%d:%b%b" % (number, *word) for number, word in enumerate(words, 1))
    for padding in (b"", b"\n2 7:0.25 8:-0.125 \n"):
        text = b"1 " + features + padding
        assert_same(examples(text), parse(text, "libsvm"))
