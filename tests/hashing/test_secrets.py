"""Hashes with a secret: the naive ones, spread out whoever chose the words."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.hashing import secrets
from lomtree.hashing.secrets import MULTIPLIER, POINT, keyed, polynomial
from lomtree.jit.kernel import kernel
from lomtree.ranking import label_features, label_lists

PRIME = 2**61 - 1
OLD = 0x9E3779B1  # what features were multiplied by when nobody's secret was in it


@kernel
def home_of_first(known, feature):
    """A row of an array is no argument of a kernel that is called from outside."""
    return label_features.home(label_features.view_of(known, known.tables[0]), feature)


def naive_polynomial(text: bytes, point: int) -> int:
    whole = len(text) // 4 * 4
    blocks = [text[begin : begin + 4] for begin in range(0, whole, 4)]
    total = 1
    for block in [*blocks, text[whole:]]:
        total = total * point + int.from_bytes(block, "little")
    return (total * point + len(text)) * point % PRIME


@given(st.binary(max_size=40), st.integers(1, PRIME - 1))
def test_the_polynomial_is_the_naive_one(text, point):
    found = polynomial(np.frombuffer(text, np.uint8), 0, len(text), np.uint64(point))
    assert int(found) % PRIME == naive_polynomial(text, point)
    assert int(found) < 2**62


def chosen(count: int) -> np.ndarray:
    """Features that all met in one place of a table when the multiplier was known."""
    inverse = pow(OLD, -1, 2**32)
    return np.array([number * inverse % 2**32 for number in range(count)], np.uint32)


def fullest(homes: list[int]) -> int:
    return int(np.unique(homes, return_counts=True)[1].max())


def scattered(rows: int) -> label_features.LabelFeatures:
    """A label with so many rows, which are not dense."""
    known = label_features.make_label_features(1)
    known.tables["room"] = rows
    return known


def test_chosen_features_are_spread_out():
    features = chosen(2000)
    known = scattered(4096)
    lists = label_lists.make_label_lists(4096)
    for homes in (
        [int(keyed(feature, MULTIPLIER)) & 4095 for feature in features],
        [int(home_of_first(known, feature)) for feature in features],
        [int(label_lists.home(lists.heads, feature)) for feature in features],
    ):
        assert fullest(homes) < 60


def test_neighbours_share_a_cache_line():
    known = scattered(1 << 16)
    for first in range(256, 300, 4):
        homes = [int(home_of_first(known, np.uint32(first + place))) for place in range(4)]
        assert len(set(homes)) == 4
        assert max(homes) - min(homes) == 3


def probes(homes: list[int], rows: int) -> float:
    """How many rows are looked at for a key, on average, where each takes the first free one."""
    taken, looked = np.zeros(rows, bool), 0
    for home in homes:
        at = home
        while taken[at % rows]:
            at += 1
        taken[at % rows] = True
        looked += at - home + 1
    return looked / len(homes)


@pytest.mark.parametrize("step", [1, 8, 1000])
def test_even_steps_are_no_worse_than_chance_for_any_multiplier(step):
    """A multiplier by itself puts them at even distances: one in a hundred had runs of hundreds."""
    rng = np.random.default_rng(step)
    keys = [np.uint32(step * number) for number in range(1, 600)]
    for multiplier in rng.integers(2**60, 2**64, 60, np.uint64) | np.uint64(1):
        mixed = [int(keyed(key, multiplier)) for key in keys]
        assert probes([bits % 1024 for bits in mixed], 1024) < 3
        assert probes([bits * 1000 >> 32 for bits in mixed], 1000) < 3


@pytest.mark.parametrize("name", ["MULTIPLIER", "POINT", "OFFSET"])
def test_every_process_has_its_own(name):
    package = {**os.environ, "PYTHONPATH": os.path.dirname(secrets.__file__) + "/../.."}
    program = f"from lomtree.hashing import secrets; print(int(secrets.{name}))"
    done = subprocess.run([sys.executable, "-c", program], env=package, capture_output=True)
    assert int(done.stdout) != int(getattr(secrets, name))


def test_the_multiplier_is_odd_and_the_point_below_the_prime():
    assert int(MULTIPLIER) % 2 == 1
    assert 0 < int(POINT) < PRIME
