"""Names are hashed as VW hashes them, wherever they stand in a text."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lomtree.hashing.names import hash_name
from tests.oracles.text import hash_name as naive


@given(
    st.one_of(st.from_regex(rb"[0-9]{1,20}[a-z]?", fullmatch=True), st.binary()),
    st.integers(0, 2**32 - 1),
)
def test_a_number_counts_on_from_the_seed_and_a_word_is_hashed(name, seed):
    text = np.frombuffer(b"7" + name + b"x9", np.uint8)
    assert hash_name(text, 1, 1 + len(name), np.uint32(seed)) == naive(name, seed)
