"""Linking by hand gives what llvmlite gives, or leaves it to llvmlite."""

import math
import os
import struct
import sys

import numpy as np
import pytest

from lomtree.core.errors import LomtreeError
from lomtree.jit import cache, calling, elf, native
from lomtree.jit.elf import link
from lomtree.jit.kernel import kernel, subroutine

by_hand = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine != "x86_64", reason="only for x86-64"
)


@kernel
def curve(values, power):
    """Constants, vectors, and functions of the C library."""
    total = 0.25
    for value in values:
        total += math.exp(value) * 3.0**power - math.log(value + 7.0)
    for place in range(len(values)):
        values[place] = 0.0
    return total


@pytest.fixture(scope="module")
def code() -> cache.Code:
    return native.compile_for(curve._dispatcher, (np.ones(3), 0.5))


@by_hand
def test_it_is_the_function_that_llvm_links(code):
    linked = link(code.object_file, code.symbol)
    assert linked is not None
    assert linked.address != 0
    results = []
    for loaded in (calling.load(code, (np.ones(3), 0.5)), curve):
        values = np.linspace(0.1, 2, 9)
        results.append(loaded(values, 1.5))
        assert not values.any()
    expected = 0.25 + sum(math.exp(v) * 3**1.5 - math.log(v + 7) for v in np.linspace(0.1, 2, 9))
    assert results[0] == results[1] == pytest.approx(expected)


@subroutine
def steps_to_one(number):
    steps = 0
    while number != 1:
        number = 3 * number + 1 if number % 2 else number // 2
        steps += 1
    return steps


@kernel
def longest_way(most):
    longest = 0
    for number in range(1, most):
        longest = max(longest, steps_to_one(number))
    return longest


@by_hand
def test_a_kernel_that_calls_others_is_linked(monkeypatch):
    code = native.compile_for(longest_way._dispatcher, (10,))
    monkeypatch.setattr(calling, "_link_with_llvm", None)
    assert calling.load(code, (10,))(28) == 111  # from 27 on


def test_llvm_does_it_where_it_is_not_easy(code, monkeypatch):
    monkeypatch.setattr(calling, "link", lambda *_: None)
    assert calling.load(code, (np.ones(3), 0.5))(np.zeros(1), 2.0) == pytest.approx(
        0.25 + 9 - math.log(7)
    )


@by_hand
def test_what_is_not_easy_is_left_alone(code, monkeypatch):
    whole, symbol = code.object_file, code.symbol
    assert link(b"", symbol) is None
    assert link(whole[: len(whole) // 2], symbol) is None
    assert link(b"\x7fELG" + whole[4:], symbol) is None
    assert link(whole[:18] + struct.pack("<H", 183) + whole[20:], symbol) is None  # another machine
    assert link(whole, "another_function") is None
    assert link(whole.replace(b"\0exp\0", b"\0exq\0"), symbol) is None  # no such function
    monkeypatch.setattr(elf, "_WHOLE_ADDRESS", 2)  # as if there were others
    assert link(whole, symbol) is None


@pytest.mark.parametrize(("platform", "machine"), [("darwin", "x86_64"), ("linux", "aarch64")])
def test_other_machines_leave_it_to_llvm(code, monkeypatch, platform, machine):
    system = os.uname_result(("", "", "", "", machine))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(os, "uname", lambda: system)
    assert link(code.object_file, code.symbol) is None


@by_hand
def test_an_object_file_that_was_cut_is_not_linked(code):
    assert elf.is_whole(code.object_file, code.symbol)
    assert not elf.is_whole(code.object_file, "another")
    for length in range(0, len(code.object_file), 7):
        assert not elf.is_whole(code.object_file[:length], code.symbol)


@by_hand
def test_code_that_was_cut_and_has_a_right_checksum_is_compiled_anew(code, kept):
    [whole] = [curve(np.ones(3), 0.5)]
    curve._loaded.clear()
    for name, one in list(kept.items()):
        kept[name] = one._replace(object_file=one.object_file[:-100])
    assert curve(np.ones(3), 0.5) == whole
    curve._loaded.clear()
    for name, one in list(kept.items()):
        assert elf.is_whole(one.object_file, one.symbol)
        kept[name] = one._replace(returns="Z")
    assert curve(np.ones(3), 0.5) == whole
    curve._loaded.clear()


@by_hand
@pytest.mark.parametrize("warm", [True, False])
def test_where_memory_cannot_be_executed_a_sentence_says_so(code, kept, monkeypatch, warm):
    if warm:
        curve(np.ones(3), 0.5)
    curve._loaded.clear()
    monkeypatch.setattr(elf, "_protect", lambda _base, _size: -1)
    elf.check_executable_memory.cache_clear()
    with pytest.raises(LomtreeError, match="the system refuses memory for compiled code"):
        curve(np.ones(3), 0.5)
    monkeypatch.undo()
    elf.check_executable_memory.cache_clear()
