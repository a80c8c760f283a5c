"""Namespaces and words of VW text: nothing else is read differently when they are noted."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.examples.namespaces import make_namespaces
from lomtree.formats.line import make_arrays
from lomtree.formats.vw import parse
from lomtree.formats.vw_namespaces import parse_namespaces
from tests.generators.namespaces import namespace_line
from tests.generators.strange_text import strange_text
from tests.oracles.text import as_examples, hash_name

GOOD = 0


def noted(text: bytes, words: bool):
    batch, spans = make_arrays(len(text), text.count(b"\n"))
    features = len(batch.values)
    namespaces = make_namespaces(len(batch.labels), features, features * words)
    memory = np.frombuffer(text, np.uint8)
    count, _ = parse_namespaces(memory, 0, len(text), batch, spans, namespaces)
    return batch, spans, namespaces, count


@pytest.mark.parametrize("words", [False, True])
@settings(max_examples=300)
@given(st.randoms(use_true_random=False))
def test_strange_text_is_read_as_without_noting(words, random):
    text = strange_text(random, "vw")
    batch, spans = make_arrays(len(text), text.count(b"\n"))
    count, _ = parse(np.frombuffer(text, np.uint8), 0, len(text), batch, spans)
    ours, our_spans, namespaces, our_count = noted(text, words)
    assert as_examples(text, our_count, ours, our_spans) == as_examples(text, count, batch, spans)
    for example in range(count):
        runs = range(namespaces.starts[example], namespaces.starts[example + 1])
        inside = [p for r in runs for p in range(namespaces.begins[r], namespaces.ends[r])]
        last = ours.starts[example + 1] - (spans.problem[example] == GOOD)
        assert inside == list(range(ours.starts[example], last))


def test_a_run_knows_its_letter_and_its_hash():
    text = b"1 |first a b | |f:2 c:0 d |\xc3\xa4 e| f |first\n1 |f g\n"
    _, _, namespaces, count = noted(text, words=False)
    assert namespaces.starts[: count + 1].tolist() == [0, 4, 5]
    assert bytes(namespaces.letters[:5]) == b"ff\xc3 f"
    names = [b"first", b"f", "ä".encode(), b"", b"f"]
    assert namespaces.seeds[:5].tolist() == [hash_name(name, 0) for name in names]


@given(st.integers(0, 2**32))
def test_words_are_where_their_hashes_come_from(seed):
    text = namespace_line(Random(seed))
    batch, _, namespaces, _ = noted(text, words=True)
    for run in range(namespaces.starts[1]):
        for place in range(namespaces.begins[run], namespaces.ends[run]):
            word = text[namespaces.word_begins[place] : namespaces.word_ends[place]]
            if word:  # else it has no name
                assert batch.features[place] == hash_name(word, int(namespaces.seeds[run]))
    assert namespaces.word_begins[batch.starts[1] - 1] == namespaces.word_ends[batch.starts[1] - 1]
