"""Where Python runs kernels itself, numbers are what they are in compiled code."""

import math
import os
import subprocess
import sys
import warnings
from math import exp
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from lomtree.jit import kernel as module
from lomtree.jit.kernel import Kernel, kernel

PAIR = np.dtype([("mark", np.uint32), ("sum", np.float32)], align=True)


class Pairs(NamedTuple):
    table: np.ndarray
    factor: float


class Sums(NamedTuple):
    pairs: Pairs
    count: int


@kernel
def half(number):
    return number / 2.0


@kernel
def add_up(sums, marks):
    """Rows by their attributes, one of them with a method's name; and one row as another."""
    table, total = sums.pairs.table, 0.0
    for row in range(sums.count):
        pair = table[row]
        pair.sum += half(sums.pairs.factor)
        total += pair.sum * sums.pairs.factor
        marks[row] = pair.mark
    table[0] = table[1]
    table[0].mark += np.uint32(1)
    return total


@kernel
def stir(seed, numbers, begin, end):
    """Unsigned numbers that wrap, and indices without a sign."""
    bits = np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15)
    for position in range(np.uint64(begin), np.uint64(end)):
        bits ^= np.uint64(numbers[position]) * (position + np.uint64(3)) << np.uint64(7)
    short = np.uint32(np.uint32(bits >> np.uint64(32)) * np.uint32(0x9E3779B1))
    return bits, short, np.int64(short) << 40, np.uint32(np.int64(seed) - 1)


@kernel
def overflow(number, nothing, small):
    """Numbers that are infinite, or none; and one that is small beside another."""
    return exp(number), -1.0 / (1.0 + exp(number)), nothing / nothing, small * number + 1.0


def both_ways(function: Kernel, *arguments) -> tuple:
    """What the compiled kernel and what the interpreter makes of copies of the same arguments."""
    compiled, interpreted = (_copied(arguments) for _ in range(2))
    results = [function(*compiled)]
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("error")
        patch.setattr(module, "INTERPRETED", True)
        patch.setattr(Kernel, "_load", None)
        results.append(function(*interpreted))
    _assert_same(compiled, interpreted)
    _assert_same(*results)
    return results[1], interpreted


def _copied(value):
    if isinstance(value, tuple):
        fields = map(_copied, value)
        return value._make(fields) if hasattr(value, "_make") else tuple(fields)
    return value.copy() if isinstance(value, np.ndarray) else value


def _assert_same(one, other):
    assert type(one) is type(other)
    if isinstance(one, tuple):
        for pair in zip(one, other, strict=True):
            _assert_same(*pair)
    elif isinstance(one, np.ndarray):
        assert one.tobytes() == other.tobytes()
    else:
        assert one == other or (math.isnan(one) and math.isnan(other))


def test_rows_of_structured_arrays(kept):
    table = np.zeros(3, PAIR)
    table["mark"], table["sum"] = (7, 8, 2**32 - 1), (0.1, 1e-8, 3e38)
    marks = np.zeros(3, np.int64)
    _total, after = both_ways(add_up, Sums(Pairs(table, 0.3), 3), marks)
    assert after[1].tolist() == [7, 8, 2**32 - 1]
    assert after[0].pairs.table["mark"].tolist() == [9, 8, 2**32 - 1]


def test_unsigned_numbers(kept):
    result, _ = both_ways(stir, 2**62 + 5, np.arange(2**40, 2**40 + 9), 2, 8)
    assert [type(number) for number in result] == [int] * 4
    assert result[0] > 2**32
    both_ways(stir, 0, np.arange(4), 1, 1)


@pytest.mark.parametrize("number", [1e4, 0.5, -1e4, 1e308])
def test_overflow_and_nothing(kept, number):
    result, _ = both_ways(overflow, number, 0.0, np.float32(1e-9))
    assert math.isnan(result[2])
    assert result[3] > 1.0 or number < 0


def test_a_kernel_that_fails_does_not_spoil_the_next(kept, monkeypatch):
    monkeypatch.setattr(module, "INTERPRETED", True)

    @kernel
    def fail(number):
        raise IndexError(number)

    for _ in range(2):
        with pytest.raises(IndexError):
            fail(1)
    assert type(half(3)) is float


def test_a_kernel_may_use_what_surrounds_it(kept, monkeypatch):
    monkeypatch.setattr(module, "INTERPRETED", True)
    more = 5
    assert kernel(lambda number: half(number + more))(1) == 3.0


@pytest.mark.parametrize(("value", "is_on"), [("1", True), ("0", False), ("", False)])
def test_numba_s_own_switch_turns_it_on(value, is_on):
    package = str(Path(module.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": package, "NUMBA_DISABLE_JIT": value}
    program = "from lomtree.jit.kernel import INTERPRETED; print(INTERPRETED)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{is_on}\n"
