"""Feature hashes are VW's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.formats.line import make_arrays
from lomtree.formats.vw import parse as parse_vw
from lomtree.hashing.murmur3 import murmur3, murmur3_word
from tests.oracles import text as naive_text

SEEDS = st.integers(0, 2**32 - 1)


def run(function, data: bytes, seed: int) -> int:
    text = np.frombuffer(b"<<" + data + b">>", np.uint8)
    return int(function(text, 2, 2 + len(data), np.uint32(seed)))


@pytest.mark.parametrize(
    ("data", "seed", "expected"),
    [  # the published vectors of MurmurHash3_x86_32
        (b"", 0, 0),
        (b"", 1, 0x514E28B7),
        (b"\xff\xff\xff\xff", 0, 0x76293B50),
        (b"!Ce\x87", 0, 0xF55B516B),
        (b"!Ce", 0, 0x7E4A8634),
        (b"!C", 0, 0xA0F7B07A),
        (b"!", 0, 0x72661CF4),
        (b"Hello, world!", 1234, 0xFAF6CDB3),
    ],
)
def test_murmur3_gives_the_published_values(data, seed, expected):
    assert run(murmur3, data, seed) == expected


@pytest.mark.parametrize(
    ("namespace", "name", "expected"),
    [  # python -m vowpalwabbit -d FILE --audit --quiet -b 26 --noconstant -t
        (b"f", b"a", 14432275),
        (b"f", b"12", 56920135),
        (b"f", b"price", 13107942),
        (b"", b"a", 2451890),
        (b"", b"007", 7),
        (b"", b"4294967297", 1),
        (b"", "zürich".encode(), 45076745),
        (b"12", b"a", 64953104),
        (b"long_namespace", b"x", 16263111),
        (b"a", b"word", 20191949),
        (b"a", b"words", 63551628),
        (b"a", b"wordss", 25400392),
        (b"a", b"wordsss", 26946084),
        (b"f", b"\x01a", 14432275),  # control bytes at the ends do not count
        (b"f", b"\x1fa\x1f", 14432275),
        (b"f", b"12\x01", 56920135),
        (b"f", b"\x0112", 56920135),
        (b"f", b"\x01", 56920123),
        (b"f\x01", b"a", 14432275),
        (b"12\x01", b"a", 64953104),
        (b"f", b"a\x7f", 58700631),
        (b"f", b"a\xc3\xa4", 10192157),
    ],
)
def test_names_hash_as_in_vw(namespace, name, expected):
    for spaces in (b"", b" " * 32):  # behind the name: near the end of the text, and far from it
        line = b"1 |" + namespace + b" " + name + spaces
        batch, spans = make_arrays(len(line), 0)
        assert parse_vw(np.frombuffer(line, np.uint8), 0, len(line), batch, spans) == (1, 2)
        assert batch.features[0] % 2**26 == expected


@given(st.binary(max_size=40), SEEDS)
def test_murmur3_is_the_naive_one(data, seed):
    assert run(murmur3, data, seed) == naive_text.murmur3(data, seed)


@given(st.binary(min_size=8, max_size=8), st.integers(0, 7), SEEDS)
def test_murmur3_of_a_word_is_the_naive_one(data, length, seed):
    word = np.uint64(int.from_bytes(data, "little"))
    found = murmur3_word(word, length, np.uint32(seed))
    assert found == naive_text.murmur3(data[:length], seed)
