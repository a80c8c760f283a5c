"""fastText's text: the naive reader's words, and those of the real fastText."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.errors import DataError
from lomtree.core.reading import Reading
from lomtree.examples.examples import GOOD
from lomtree.formats.fasttext import translate
from lomtree.formats.line import make_arrays
from lomtree.formats.one_line import read_line
from lomtree.formats.reader import Reader
from lomtree.formats.vw import parse
from tests.oracles.tables import fasttext
from tests.oracles.text import Example, assert_same

PIECES = [
    b"__label__", b"__label__a", b"__label__b:c", b"__labe", b"_", b"word", b"a|b", b"3:30", b"12",
    b" ", b" ", b" ", b"\t", b"\x0b", b"\x0c", b"\r", b"\0", b"\n", b"\n",
    b"\xc3\xbc", b"\xff", b"'",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join) | st.binary(max_size=40)


def examples(text: bytes, one_label: bool) -> list[Example]:
    found = translate(np.frombuffer(text, np.uint8), one_label)
    batch, spans = make_arrays(len(found.text), found.text.tobytes().count(b"\n"))
    count, _ = parse(found.text, 0, len(found.text), batch, spans)
    assert count == len(found.weights)
    assert (spans.problem[:count] == GOOD).all()
    made = []
    for number in range(count):
        inside = slice(batch.starts[number], batch.starts[number + 1])
        bad = found.problems[number] != GOOD
        values = zip(batch.features[inside].tolist(), batch.values[inside], strict=True)
        made.append(
            Example(
                int(found.lines[number]),
                found.labels.word(number),
                weight=found.weights[number],
                features=[] if bad else list(values),
                column=int(found.columns[number]) if bad else None,
            )
        )
    return made


@settings(max_examples=400)
@given(TEXT, st.booleans())
def test_the_compiled_reader_is_the_naive_one(text, one_label):
    assert_same(examples(text, one_label), fasttext(text, one_label))


@settings(max_examples=200)
@given(st.lists(st.sampled_from([p for p in PIECES if p != b"\xff"]), max_size=30).map(b"".join))
def test_words_are_those_of_the_real_fasttext(text):
    real = pytest.importorskip("fasttext")
    words = real.tokenize(text.decode())
    found = translate(np.frombuffer(text, np.uint8), False)
    ours = found.text.tobytes().replace(b"|", b"").split()
    theirs = [word.encode() for word in words if word != "</s>"]
    plain = [
        word.replace(b"|", b"_").replace(b":", b"_")
        for word in theirs
        if not word.startswith(b"__label__")
    ]
    assert ours == plain


def test_several_labels_are_told_or_the_first_is_taken(tmp_path):
    path = tmp_path / "a.ft"
    path.write_bytes(b"__label__a x\n__label__b y __label__c\n")
    with pytest.raises(DataError) as caught:
        list(Reader([str(path)], labels_required=True))
    assert str(caught.value) == (
        f"{path}:2:14: expected one label, because this learner takes one (--first-label takes the "
        "first), found '__label__c'"
    )
    first = Reader([str(path)], labels_required=True, reading=Reading(first_label=True))
    assert [b.labels.word(1) for b in first] == [b"__label__b"]
    assert [b.labels.word(1) for b in Reader([str(path)])] == [b"__label__b"]  # to predict


def test_text_without_labels_is_known_by_the_model(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"some words: here\n")
    reader = Reader([str(path)], trained="fasttext")
    [block] = reader
    assert (reader.format, int(block.batch.starts[1])) == ("fasttext", 4)


def test_vw_text_with_such_labels_is_vw_text():
    assert read_line(b"__label__a |f x").format == "vw"
    assert read_line(b"__label__a 't |f x").format == "vw"
    assert read_line(b"__label__a x | y").format == "fasttext"
