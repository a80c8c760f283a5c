"""Items come from a thread of their own as they would come without it."""

import threading

import pytest

from lomtree.ahead import DEPTH, ahead


def test_the_items_and_their_order_are_the_same():
    assert list(ahead(range(1000))) == list(range(1000))
    assert list(ahead([])) == []


def test_items_are_made_in_another_thread_and_only_a_few_in_advance():
    threads, made = set(), []

    def items():
        for number in range(100):
            threads.add(threading.current_thread())
            made.append(number)
            yield number

    for taken in ahead(items()):
        # The one in use, those waiting, and the one that waits to wait.
        assert len(made) <= taken + 1 + DEPTH + 1
    assert threading.current_thread() not in threads
    assert made == list(range(100))


def test_an_error_comes_where_its_item_would_have_come():
    def items():
        yield 1
        yield 2
        raise ValueError("the third one is broken")

    coming = ahead(items())
    assert (next(coming), next(coming)) == (1, 2)
    with pytest.raises(ValueError, match="the third one is broken"):
        next(coming)
