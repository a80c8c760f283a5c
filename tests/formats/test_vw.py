"""VW's text format: header, tag rule, namespaces, features, problems."""

import re
import subprocess
import sys
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.formats.line import make_arrays
from lomtree.formats.problems import (
    BAD_IMPORTANCE,
    BAD_VALUE,
    COLON_IN_LABEL,
    LARGE_VALUE,
    NO_NAMESPACE,
    WORD_BEFORE_BAR,
)
from lomtree.formats.vw import parse as parse_vw
from tests.generators.strange_text import strange_text
from tests.oracles.text import CONSTANT, as_examples, assert_same, hash_name, parse

# The parser looks at 16 bytes at once where there are so many, and must not see these.
BEHIND = st.sampled_from([b"", b"x" * 16, b"5" * 17, b":7 y|" * 4, b" \n" * 8])


def run(text: bytes, behind: bytes = b""):
    batch, spans = make_arrays(len(text), text.count(b"\n"))
    memory = np.frombuffer(text + behind, np.uint8)
    count, features = parse_vw(memory, 0, len(text), batch, spans)
    assert batch.starts[count] == features
    return batch, spans, count


def examples(text: bytes, behind: bytes = b""):
    batch, spans, count = run(text, behind)
    return as_examples(text, count, batch, spans)


def features(line: bytes) -> list:
    (found,) = examples(line)
    assert found.column is None
    return found.features


@pytest.mark.parametrize(
    ("line", "label", "weight", "tag"),
    [
        (b"3 |f a", b"3", 1, b""),
        (b"3 2.5 |f a", b"3", 2.5, b""),
        (b"3 2.5 t|f a", b"3", 2.5, b"t"),
        (b"3 2 't |f a", b"3", 2, b"t"),
        (b"3 ''t |f a", b"3", 1, b"'t"),
        (b"3 '|f a", b"3", 1, b""),
        (b"1|f a", b"", 1, b"1"),
        (b"'t |f a", b"", 1, b"t"),
        (b"|f a", b"", 1, b""),
        (b" \t cat\t0\t|f a", b"cat", 0, b""),
        (b"\xff\x00x |f a", b"\xff\x00x", 1, b""),
        # Without a bar the end of the line takes its part.
        (b"5", b"", 1, b"5"),
        (b"5 ", b"5", 1, b""),
        (b"5 2 t", b"5", 2, b"t"),
        (b"5\r\n", b"", 1, b"5"),
    ],
)
def test_the_header_is_label_importance_and_tag(line, label, weight, tag):
    (found,) = examples(line)
    assert (found.label, found.weight, found.tag, found.column) == (label, weight, tag, None)


@pytest.mark.parametrize(
    ("line", "problem", "column"),
    [
        (b"1 |f a:x", BAD_VALUE, 8),
        (b"1 |f a:", BAD_VALUE, 8),
        (b"1 |f a: 2", BAD_VALUE, 8),
        (b"1 |f a:2:3", BAD_VALUE, 8),
        (b"1 |f a:2x b", BAD_VALUE, 8),
        (b"1 |f a:nan", BAD_VALUE, 8),
        (b"1 |f a:inf", BAD_VALUE, 8),
        (b"1 |f a:0x10", BAD_VALUE, 8),
        (b"1 |f a:1e39", LARGE_VALUE, 8),
        (b"1 |f:1e30 a:1e30", LARGE_VALUE, 13),
        (b"1 |f:x a", BAD_VALUE, 6),
        (b"1 |f: a", BAD_VALUE, 6),
        (b"1 |f:1e39 a", LARGE_VALUE, 6),
        (b"1 |:2 a", NO_NAMESPACE, 4),
        (b"1:2 |f a", COLON_IN_LABEL, 2),
        (b"1 x |f a", BAD_IMPORTANCE, 3),
        (b"1 -1 |f a", BAD_IMPORTANCE, 3),
        (b"1 1e39 |f a", BAD_IMPORTANCE, 3),
        (b"1 inf |f a", BAD_IMPORTANCE, 3),
        (b"1 2 3 |f a", WORD_BEFORE_BAR, 5),
        (b"1 2 3 t|f a", WORD_BEFORE_BAR, 5),
    ],
)
def test_problems_have_a_code_and_a_column(line, problem, column):
    _batch, spans, count = run(b"\n" + line + b"\n1 |f good\n")
    assert count == 2
    assert (spans.problem[0], spans.column[0], spans.line[0]) == (problem, column, 1)
    assert (spans.problem[1], spans.line[1]) == (0, 2)


def test_a_bad_line_leaves_no_features():
    first, bad, last = examples(b"1 |f a\n1 |f a b c:x\n1 |f b\n")
    assert bad.features == []
    assert [len(first.features), len(last.features)] == [2, 2]


def test_features_are_hashed_in_their_namespace():
    f, g = hash_name(b"f", 0), hash_name(b"g", 0)
    assert features(b"1 |f a b:2|g a:-1e-1 12 | x:.5 12 || y") == [
        (hash_name(b"a", f), 1),
        (hash_name(b"b", f), 2),
        (hash_name(b"a", g), np.float32(-0.1)),
        ((g + 12) % 2**32, 1),
        (hash_name(b"x", 0), 0.5),
        (12, 1),
        (hash_name(b"y", 0), 1),
        (CONSTANT, 1),
    ]


def test_namespace_weights_multiply():
    f = hash_name(b"f", 0)
    assert features(b"1 |f:-2 a b:3") == [
        (hash_name(b"a", f), -2),
        (hash_name(b"b", f), -6),
        (CONSTANT, 1),
    ]


@pytest.mark.parametrize("line", [b"1 |f a:0", b"1 |f a:-0.0", b"1 |f a:1e-60", b"1 |f:0 a b:7"])
def test_zero_values_are_dropped(line):
    assert features(line) == [(CONSTANT, 1)]


def test_nameless_features_are_numbered_in_each_namespace():
    f = hash_name(b"f", 0)
    assert features(b"1 |f :5 :0 :6 |f :7") == [(f, 5), (f + 2, 6), (f, 7), (CONSTANT, 1)]


def test_blank_lines_are_lines_but_not_examples():
    assert [e.line for e in examples(b"\n  \n\t\r\n1 |f a\r\n\r\n2 |f b")] == [3, 5]


def test_a_return_behind_the_bar_ends_the_line_as_in_vw():
    a = (hash_name(b"a", hash_name(b"f", 0)), 1)
    for line in (b"1 |f a\r\n", b"1 |f a\rb\r\r\n", b"1 |f a\r b:x |g c\n", b"1\r|f a\n"):
        (found,) = examples(line)
        assert found.features == [a, (CONSTANT, 1)]


def test_parsing_stays_between_begin_and_end():
    text = b"9 |x y\n1 |f a:12345"
    batch, spans = make_arrays(len(text), 1)
    count, _ = parse_vw(np.frombuffer(text, np.uint8), 7, len(text) - 3, batch, spans)
    assert count == 1
    assert batch.values[0] == 12
    assert spans.label_begin[0] == 7


def test_arrays_hold_the_densest_text():
    text = b"| a b c d e f\n" * 50 + b"x\n" * 50
    batch, _spans, count = run(text)
    assert count == 100
    assert batch.starts[count] == 50 * 7 + 50
    assert len(batch.values) >= batch.starts[count]


@settings(max_examples=500)
@given(
    st.lists(
        st.sampled_from(
            [b"a", b"7", b"cat", b"words", b" ", b" ", b"\t", b"|", b"|", b":", b":", b"'", b"\n",
             b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xc3\xbc", b"1e5", b"-2.5", b"1e39", b"1e-50",
             b"1e30", b".", b"0", b"+", b"nan", b"#", b"\x0b", b"99999999999999999999999"]
        ),
        max_size=40,
    ).map(b"".join)
    | st.binary(max_size=30),
    BEHIND,
)  # fmt: skip
def test_the_compiled_parser_is_the_naive_one(text, behind):
    assert_same(examples(text, behind), parse(text, "vw"))


@settings(max_examples=500)
@given(st.integers(0, 2**64), BEHIND)
def test_what_strangers_write_is_what_the_naive_parser_finds(seed, behind):
    text = strange_text(Random(seed), "vw")
    assert_same(examples(text, behind), parse(text, "vw"))


@settings(max_examples=200)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([b"1", b"dog 2", b"1 'tag", b"x:y", b"3 0.5 t"]),
            st.sampled_from([b"f", b"g:2", b"", b"12", b"h:1e30", b"i:q"]),
            st.lists(
                st.from_regex(rb"\A[a-z]{0,9}:-?[0-9]{1,9}(\.[0-9]{1,9})?(e-?[0-9]{1,2})?\Z")
                | st.from_regex(rb"\A[a-z0-9]{1,12}\Z"),
                max_size=6,
            ),
        ).map(lambda parts: parts[0] + b" |" + parts[1] + b" " + b" ".join(parts[2])),
        max_size=5,
    ).map(b"\n".join),
    BEHIND,
)
def test_well_formed_lines_are_the_naive_ones(text, behind):
    assert_same(examples(text, behind), parse(text, "vw"))


@pytest.mark.parametrize("behind", [b"", b"x" * 16, b":3 |" * 4])
@pytest.mark.parametrize("value", [b"", b":0", b":2", b":9", b":12", b":-1", b":x", b":/", b"::"])
@pytest.mark.parametrize("weight", [b"", b":-2", b":0", b":1e38"])
def test_names_of_every_length_are_the_naive_ones(weight, value, behind):
    names = [b"abcdefgh\xc3\xbcij0123456789ABCDEFGHIJKL"[:length] for length in range(40)]
    names += [b"7" * length for length in range(1, 20)]
    for separator in (b" ", b"\t", b"|", b" \t |g "):
        words = [name + value + separator for name in names]
        text = b"\n".join(b"1 |f" + weight + b" " + word + b"tail" for word in words)
        assert_same(examples(text, behind), parse(text, "vw"))
        for word in words:
            line = b"1 |f" + weight + b" " + word.rstrip(separator)
            assert_same(examples(line, behind), parse(line, "vw"))


def test_features_are_those_of_a_running_vw(tmp_path):
    pytest.importorskip("vowpalwabbit")
    lines = [
        b"1 |f a b:2 12 price:0.23 :5 :6 c:0",
        b"-1 2 'tag | a 007 4294967297 z\xc3\xbcrich:1e-3",
        b"1 |12 a b|long_namespace:2 x y:-1.5e2 18446744073709551616",
        b"1 t|f wordssssss ||| q |f:.5 :3 :0 :4",
        b"1 |f\x01 \x01a a\x02:2 \x1f12 \x0b a\x01b long-word\x0e \x0flong-word",
        b"1 |f a b\rc d|g e",
        b"1 |f \r a",
    ]
    path = tmp_path / "some.vw"
    path.write_bytes(b"\n".join(lines) + b"\n")
    command = [sys.executable, "-m", "vowpalwabbit", "-d", str(path), "--audit", "--quiet", "-t"]
    audit = subprocess.run([*command, "-b", "24"], capture_output=True, check=True).stdout
    printed = [line for line in audit.split(b"\n") if line.startswith(b"\t")]
    assert len(printed) == len(lines)
    for line, ours in zip(printed, examples(path.read_bytes()), strict=True):
        theirs = [
            (int(index), float(value))
            for index, value in re.findall(rb":(\d+):([^:]+):[^:\t]+(?:\t|$)", line)
        ]
        mine = [(index % 2**24, float(f"{value:g}")) for index, value in ours.features]
        assert sorted(mine) == sorted(theirs)
