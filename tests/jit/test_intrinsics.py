"""An instruction computes the same bits natively, plainly, and as a function of Python's."""

import numpy as np
import pytest

from lomtree.jit import callee, kernel
from lomtree.jit.intrinsics import (
    LANES,
    add16,
    add_products16,
    add_squares16,
    divide_by_root16,
    find16,
    load32,
    load64,
    move8,
    prefetch,
    trailing_zeros,
)
from lomtree.jit.kernel import Kernel

WAYS = ("native", "plain", "interpreted")


def look_at(text, words, numbers):
    """What the instructions for text say of every place in it."""
    for place in range(len(text) - 15):
        prefetch(text, place + 10**6)
        numbers[place, 0] = load32(text, place)
        numbers[place, 1] = load64(text, np.uint64(place))
        numbers[place, 2] = find16(text, place, 5)
        numbers[place, 3] = find16(text, place, text[place])
    for place in range(len(words)):
        numbers[place, 4] = trailing_zeros(words[place])


def compute(table, factors, results, value, smallest):
    """What the instructions for vectors make of the numbers in a table."""
    for row in range(len(table)):
        at = row * LANES
        add16(results, at, table, at, value, table[row, 0])
        add_products16(results, at, factors, table, at, np.float32(1e30))
        add_squares16(results, at, factors, value, np.float32(1e30))
        divide_by_root16(results, len(table) * LANES + at, table, at, value, smallest)
    move8(table, 3 * LANES, 5 * LANES + 4)


def each_way(function, arguments, monkeypatch) -> list:
    """The arguments after the function has been called in each of the ways."""
    after = []
    for way in WAYS:
        monkeypatch.setattr(callee, "_why_plain", "a test" if way == "plain" else "")
        monkeypatch.setattr(kernel, "INTERPRETED", way == "interpreted")
        given = [value.copy() for value in arguments]
        assert Kernel(function)(*given) is None
        after.append(given)
    return after


@pytest.mark.parametrize("seed", range(3))
def test_text(kept, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    text = rng.integers(0, 8, 100, np.uint8) * np.uint8(rng.integers(1, 30))
    words = np.append(np.uint64(1) << np.arange(64, dtype=np.uint64), np.uint64(0))
    words[: 64 // 2] |= rng.integers(0, 2**63, 32, np.uint64) & ~(words[: 64 // 2] - np.uint64(1))
    numbers = np.zeros((100, 5), np.uint64)
    native, *others = each_way(look_at, (text, words, numbers), monkeypatch)
    assert native[2][64, 4] == 64
    assert native[2][:64, 4].tolist() == list(range(64))
    assert native[2][3, 1] == int.from_bytes(text[3:11].tobytes(), "little")
    for other in others:
        np.testing.assert_array_equal(native[2], other[2])


@pytest.mark.parametrize("seed", range(3))
def test_vectors(kept, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    table = (rng.normal(size=(20, LANES)) * 10.0 ** rng.integers(-20, 20, (20, LANES))).astype("f")
    table = abs(table)
    table[3], table[4, :3], table[7, 2], table[8, 3] = 0, 1e-45, np.inf, np.float32(3e38)
    factors, results = rng.normal(size=LANES).astype("f"), np.zeros((40, LANES), np.float32)
    value, smallest = np.float32(rng.normal()), np.float32(1e-30)
    arguments = table, factors, results, value, smallest
    native, *others = each_way(compute, arguments, monkeypatch)
    assert np.isfinite(native[2][20:]).all()
    np.testing.assert_array_equal(native[0].ravel()[48:56], table.ravel()[84:92])
    assert not native[0].ravel()[84:92].any()
    for other in others:
        for before, after in zip(native[:3], other[:3], strict=True):
            np.testing.assert_array_equal(before.view(np.uint32), after.view(np.uint32))
