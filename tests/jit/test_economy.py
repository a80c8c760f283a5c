"""Kernels are compiled without what only numba's own callers need; those still get it."""

import gc

import numba
import numpy as np
import pytest

from lomtree.jit import native
from lomtree.jit.calling import load
from lomtree.jit.economy import _replaced, economy
from lomtree.jit.kernel import kernel, subroutine


@kernel
def half(x):
    return x / 2


@subroutine
def square(x):
    return x * x


def total(numbers):
    result = 0.0
    for number in numbers:
        result += square(half(number))
    return result


def test_inlined_and_called_functions_are_in_the_kernel():
    arguments = (np.arange(5.0),)
    code = native.compile_for(native.dispatcher_of(total, True), arguments)
    assert load(code, arguments)(*arguments) == 7.5


def test_a_callee_can_become_a_kernel_of_its_own_afterwards():
    arguments = (np.arange(5.0),)
    native.compile_for(native.dispatcher_of(total, True), arguments)
    assert half(3.0) == 1.5


def test_others_who_use_numba_compile_as_always():
    native.compile_for(native.dispatcher_of(total, True), (np.arange(3.0),))
    assert numba.njit(lambda x: 3 * x)(2) == 6


def test_after_an_error_numba_is_as_before():
    with pytest.raises(ZeroDivisionError), economy():
        raise ZeroDivisionError
    assert numba.njit(lambda x: 5 * x)(2) == 10


def test_after_it_numba_and_python_are_as_before():
    def state():
        owners = [(owner, name, getattr(owner, name)) for owner, name, _other in _replaced()]
        return owners, gc.get_threshold()

    before = state()
    with economy():
        assert state() != before
    assert state() == before


def loops_and_branches(rows, sums, limit):
    """What kernels are made of: fields, tuples, loops, branches, calls of each sort."""
    count, last = 0, (0, 0.0)
    for row in range(len(rows)):
        size = min(rows[row].size, np.float64(limit))
        if rows[row].mark > 1 or size < 2.0:
            continue
        while size > 1.0:
            size = half(size)
            sums[row, 0] += np.float32(square(size))
            count += 1
        last = (row, size)
    return count, last[0], last[1]


def test_the_passes_that_are_left_out_change_nothing():
    kinds = np.dtype([("mark", np.int32), ("size", np.float64)], align=True)
    rows = np.array([(1, 9.0), (2, 5.0), (0, 40.0)], kinds)
    arguments = rows, np.zeros((3, 2), np.float32), 20
    code = native.compile_for(native.dispatcher_of(loops_and_branches, True), arguments)
    assert load(code, arguments)(*arguments) == (9, 2, 0.625)
