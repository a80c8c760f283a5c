"""Kernels are compiled without what only numba's own callers need; those still get it."""

import numba
import numpy as np
import pytest

from lomtree.jit import native
from lomtree.jit.calling import load
from lomtree.jit.economy import economy
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
