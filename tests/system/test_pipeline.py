"""Items come from a thread of their own as they would come without it."""

import gc
import sys
import threading

import pytest

from lomtree.system.pipeline import DEPTH, ahead, beside, side_by_side
from tests.generators.processes import SECONDS


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


class Items:
    """Numbers without end; tells which thread asks for them, and when it was closed."""

    def __init__(self) -> None:
        self.thread: threading.Thread | None = None
        self.closed = threading.Event()

    def __iter__(self):
        self.thread = threading.current_thread()
        try:
            number = 0
            while True:
                yield number
                number += 1
        finally:
            self.closed.set()


def leave_early(items: Items) -> None:
    for number in ahead(items):
        if number == 5:
            return


def fail_in_between(items: Items) -> None:
    def consume():
        for number in ahead(items):
            if number == 5:
                raise ValueError("5")

    with pytest.raises(ValueError, match="5"):
        consume()


def leave_before_the_first(items: Items) -> None:
    coming = ahead(items)
    next(coming)
    coming.close()


@pytest.mark.parametrize("leave", [leave_early, fail_in_between, leave_before_the_first])
def test_the_thread_ends_when_its_consumer_leaves(leave):
    items = Items()
    leave(items)
    gc.collect()
    assert items.closed.wait(60)
    items.thread.join(60)
    assert not items.thread.is_alive()


def test_the_thread_ends_with_its_items():
    threads = []

    def items():
        threads.append(threading.current_thread())
        yield 1

    assert list(ahead(items())) == [1]
    threads[0].join(60)
    assert not threads[0].is_alive()


def test_results_come_in_order_whichever_is_ready_first():
    """An even number is not ready before the odd one after it."""
    ready = [threading.Event() for _ in range(20)]

    def odd_ones_first(number):
        if number % 2 == 0:
            assert ready[number + 1].wait(60)
        ready[number].set()
        return number

    assert list(side_by_side(odd_ones_first, range(20), 3)) == list(range(20))
    assert list(side_by_side(odd_ones_first, [], 3)) == []


def test_so_many_are_worked_on_at_once():
    together = threading.Barrier(3, timeout=SECONDS)
    assert len(list(side_by_side(lambda _: together.wait(), range(9), 3))) == 9


def test_an_error_comes_after_the_results_before_it():
    def items():
        yield 1
        yield 2
        raise ValueError("no third")

    found = side_by_side(lambda number: number + 1, items(), 2)
    assert [next(found), next(found)] == [2, 3]
    with pytest.raises(ValueError, match="no third"):
        next(found)


def test_whoever_leaves_early_does_not_wait():
    release, finished = threading.Event(), threading.Semaphore(0)
    started: list[int] = []

    def begun() -> int:
        return sum(number > 0 for number in started)

    def work(number):
        started.append(number)
        if number > 0:
            assert release.wait(60)
            finished.release()
        return number

    found = side_by_side(work, range(100), 2)
    assert next(found) == 0
    found.close()
    assert not finished.acquire(blocking=False)
    release.set()
    for _ in range(begun()):
        assert finished.acquire(timeout=SECONDS)
    assert begun() <= 3  # what was not begun never is


def test_the_garbage_collector_may_be_the_one_that_leaves_in_a_thread_of_the_pool(monkeypatch):
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    collecting, done = threading.Event(), threading.Event()

    def work(number):
        if number == 2:
            assert collecting.wait(60)
            gc.collect()
            done.set()
        return number

    cycle = [side_by_side(work, range(100), 2)]
    assert next(cycle[0]) == 0
    cycle.append(cycle)
    del cycle
    collecting.set()
    assert done.wait(60)
    assert unraisable == []


def test_an_error_of_the_work_comes_in_its_place():
    found = side_by_side(lambda number: 1 // number, [1, 0, 1], 2)
    assert next(found) == 1
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_work_beside_is_done_meanwhile_or_raises_in_the_end():
    meanwhile, done = threading.Event(), []

    def work() -> None:
        assert meanwhile.wait(SECONDS)
        done.append(threading.current_thread())

    with beside(work):
        assert not done
        meanwhile.set()
    assert done != [threading.current_thread()]
    assert len(done) == 1
    with pytest.raises(ZeroDivisionError), beside(lambda: 1 / 0):
        done.append(None)
    assert done[1:] == [None]
    with pytest.raises(KeyError), beside(lambda: done.append("whatever comes")):
        raise KeyError
    assert done[2:] == ["whatever comes"]
