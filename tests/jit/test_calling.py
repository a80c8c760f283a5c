"""What is remembered of a call makes the next one faster, and nothing else."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest

from lomtree.jit import calling
from lomtree.jit.calling import Recent, form_of
from lomtree.jit.kernel import kernel


class Inner(NamedTuple):
    numbers: np.ndarray
    factor: float


class Outer(NamedTuple):
    inner: Inner
    table: np.ndarray


@kernel
def weigh(outer, numbers, more):
    total = more
    for number in outer.inner.numbers:
        total += outer.inner.factor * number
    for row in range(outer.table.shape[0]):
        for column in range(outer.table.shape[1]):
            total += outer.table[row, column]
    for number in numbers:
        total += number
    return total


def outer(numbers, factor=1.0, rows=1):
    return Outer(Inner(np.array(numbers, np.float64), factor), np.ones((rows, 2)))


def expected(one, numbers, more):
    return one.inner.factor * one.inner.numbers.sum() + one.table.sum() + numbers.sum() + more


def looked_through(monkeypatch):
    """A list that gets every value whose words are looked for."""
    seen, add_words = [], calling.add_words

    def note(value, words):
        seen.append(value)
        add_words(value, words)

    monkeypatch.setattr(calling, "add_words", note)
    return seen


def test_a_tuple_that_comes_again_is_not_looked_through_again(monkeypatch):
    recent, one, numbers = Recent(), outer([1, 2]), np.ones(3)
    first = recent.look_at((one, numbers, 2.0))
    seen = looked_through(monkeypatch)
    again = recent.look_at((one, numbers, 2.0))
    assert again == first
    assert again[0] == tuple(map(form_of, (one, numbers, 2.0)))
    assert not any(value is one for value in seen)
    assert any(value is numbers for value in seen)


def test_an_equal_tuple_that_is_another_one_is_looked_through(monkeypatch):
    recent, one, other = Recent(), outer([1, 2]), outer([1, 2])
    _, before = recent.look_at((one,))
    seen = looked_through(monkeypatch)
    _, after = recent.look_at((other,))
    assert any(value is other for value in seen)
    assert before != after  # arrays of their own


def test_a_tuple_at_another_place_is_looked_through():
    recent, one, other = Recent(), outer([1.0]), outer([2.0], rows=3)
    _, words = recent.look_at((one, other))
    _, turned = recent.look_at((other, one))
    assert turned != words
    assert recent.look_at((one,))[1] == words[: len(recent.look_at((one,))[1])]


def test_what_is_in_the_arrays_is_read_at_every_call():
    one, numbers = outer([1, 2]), np.ones(3)
    for value in (0.0, 5.0, -1.0):
        one.inner.numbers[:] = value
        numbers[:] = 2 * value
        assert weigh(one, numbers, 1.0) == expected(one, numbers, 1.0)


def test_changed_arguments_between_calls():
    """Of another length, form, type or place; the same tuples in between."""
    rng = np.random.default_rng(0)
    tuples = [
        outer(rng.normal(size=size), factor, 1 + size) for size in (0, 3) for factor in (1, 2.5)
    ]
    arrays = [np.ones(3), np.arange(4), np.arange(20.0)[::3], np.ones(0), np.ones(7, np.float32)]
    for _ in range(300):
        one, numbers = tuples[rng.integers(4)], arrays[rng.integers(5)]
        more = [2, 2.5, np.float32(0.5)][rng.integers(3)]
        assert weigh(one, numbers, more) == pytest.approx(expected(one, numbers, more))


def test_a_scalar_in_a_tuple_that_was_replaced():
    one, numbers = outer([1.0, 2.0]), np.ones(1)
    assert weigh(one, numbers, 0.0) == 6
    one = one._replace(inner=one.inner._replace(factor=10.0))
    assert weigh(one, numbers, 0.0) == 33


def test_tuples_made_and_forgotten_are_never_taken_for_others():
    """The next one may lie where the last one lay."""
    numbers = np.zeros(1)
    for value in range(500):
        assert weigh(outer([value], rows=1 + value % 3), numbers, 0.0) == value + 2 * (
            1 + value % 3
        )


def test_an_array_that_is_an_argument_is_not_held_on_to():
    one, numbers = outer([1.0]), np.ones(100)
    weigh(one, numbers, 0.0)
    gone = weakref.ref(numbers)
    del numbers
    gc.collect()
    assert gone() is None


def test_many_threads_call_with_tuples_of_their_own():
    def call(number):
        one, numbers = outer([number] * (1 + number % 5), rows=1 + number % 3), np.ones(number)
        wanted = expected(one, numbers, 0.0)
        return all(weigh(one, numbers, 0.0) == wanted for _ in range(200))

    weigh(outer([1.0]), np.ones(1), 0.0)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(40)))
