"""Work that follows is done in its order, whole or not at all."""

import threading

import pytest

from lomtree.learners.follower import Follower


@pytest.mark.parametrize("beside", [False, True])
def test_all_is_done_in_order_when_the_block_ends(beside):
    follower, done = Follower(), []
    for turn in range(2):
        with follower.working(beside):
            for number in range(100):
                follower.do(done.append, (turn, number))
        assert done == [(one, number) for one in range(turn + 1) for number in range(100)]


@pytest.mark.parametrize("beside", [False, True])
def test_it_works_in_one_thread(beside):
    follower, threads = Follower(), []
    with follower.working(beside):
        for _ in range(10):
            follower.do(lambda: threads.append(threading.get_ident()))
    assert len(set(threads)) == 1
    assert (threads[0] == threading.get_ident()) is not beside


def test_outside_a_block_work_is_done_at_once():
    follower, done = Follower(), []
    with follower.working(True):
        pass
    follower.do(done.append, threading.get_ident())
    assert done == [threading.get_ident()]


@pytest.mark.parametrize("beside", [False, True])
def test_an_error_of_the_work_is_raised(beside):
    follower = Follower()
    with pytest.raises(ZeroDivisionError), follower.working(beside):
        follower.do(lambda: 1 // 0)


def test_where_the_block_fails_what_has_begun_is_done_and_the_rest_is_left_undone():
    follower, began, cancelled, done = Follower(), threading.Event(), threading.Event(), []

    def work() -> None:
        began.set()
        cancelled.wait()
        done.append(0)

    def fail() -> None:
        with follower.working(True):
            follower.do(work)
            follower.do(done.append, 1)
            follower._jobs[-1].add_done_callback(lambda _job: cancelled.set())
            began.wait()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert done == [0]
    with follower.working(True):
        follower.do(done.append, 2)
    assert done == [0, 2]
