"""A bound kernel does what the kernel does with the same arguments."""

from typing import NamedTuple

import numpy as np
import pytest

from lomtree.jit import binding
from lomtree.jit.binding import bind, chain
from lomtree.jit.kernel import kernel


class Pair(NamedTuple):
    numbers: np.ndarray
    factor: float


@kernel
def add_up(pair, more, flag, begin, out):
    total = 0.0
    for place in range(begin, len(pair.numbers)):
        total += pair.factor * pair.numbers[place]
    out[0] = total + more[0, 1] + (100.0 if flag else 0.0)


def arguments():
    more, out = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), np.zeros(1)
    return Pair(np.arange(5, dtype=np.int32), 0.5), more, True, 2, out


def test_a_bound_kernel_sees_what_its_arrays_hold_now():
    given = arguments()
    call = bind(add_up, *given)
    call()
    assert given[-1][0] == 0.5 * 9 + 2 + 100
    given[0].numbers[:] = 10
    given[1][0, 1] = 7
    call()
    assert given[-1][0] == 0.5 * 30 + 7 + 100
    add_up(*given)
    assert given[-1][0] == 0.5 * 30 + 7 + 100


@pytest.mark.parametrize("error", [ImportError, OSError, RuntimeError])
def test_where_it_cannot_be_had_the_kernel_is_called_as_ever(monkeypatch, error):
    def fail(_types):
        raise error

    monkeypatch.setattr(binding, "_caller", fail)
    given = arguments()
    bind(add_up, *given)()
    assert given[-1][0] == 106.5


def test_arguments_live_as_long_as_the_bound_kernel():
    given = arguments()
    out, call = given[-1], bind(add_up, *given)
    del given
    for _ in range(3):
        np.ones(5, np.int32)
        call()
    assert out[0] == 106.5


@kernel
def double(out, calls):
    out[0] = 2 * out[0]
    calls[0] += 1


@kernel
def add_one(out):
    out[0] += 1


@pytest.mark.parametrize("native", [True, False])
def test_a_chain_calls_bound_kernels_in_their_order(monkeypatch, native):
    if not native:
        monkeypatch.setattr(binding, "_compile_each", lambda: 1 / 0)
        monkeypatch.setattr(binding, "_MISSING", (*binding._MISSING, ZeroDivisionError))
        monkeypatch.setattr(binding.cache, "find", lambda _name: None)
    out, calls = np.array([3.0]), np.zeros(1, np.int64)
    steps = [bind(double, out, calls), bind(add_one, out), bind(double, out, calls)]
    call = chain(*steps)
    del steps
    call()
    assert (out[0], calls[0]) == ((2 * 3 + 1) * 2, 2)
    chain(call, bind(add_one, out))()
    assert (out[0], calls[0]) == ((2 * 14 + 1) * 2 + 1, 4)


def test_a_chain_of_what_is_not_compiled(monkeypatch):
    seen = []
    chain(lambda: seen.append(1), lambda: seen.append(2))()
    assert seen == [1, 2]
