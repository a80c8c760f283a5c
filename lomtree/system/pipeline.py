"""Work done ahead: an iterator runs in a thread of its own, a few items before they are wanted."""

import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from lomtree.system.threads import leave_signals

Item = TypeVar("Item")
Result = TypeVar("Result")

DEPTH = 2  # items made in advance; with the one in use and the one in the making there are 4


def ahead(items: Iterable[Item]) -> Iterator[Item]:
    """The same items. Reading and parsing do without Python's lock, so they use a second core
    while the first one learns. An error is raised where its item would have come.

    The thread makes an item for each permit that it gets. When the consumer leaves, early or not,
    it gets none any more, and ends: at once, or when the item in the making is there. Only queues
    without locks are used, because the garbage collector may be the one that leaves, in any thread
    and while that holds any lock.
    """
    permits: queue.SimpleQueue[bool] = queue.SimpleQueue()
    made: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
    end = object()

    def work() -> None:
        leave_signals()
        iterator = iter(items)
        try:
            item = None
            while item is not end and permits.get():
                item = next(iterator, end)
                made.put((item, None))
        except BaseException as error:
            made.put((end, error))
        finally:
            close = getattr(iterator, "close", None)
            if close is not None:  # a generator: it lets go of its file
                close()

    for _ in range(DEPTH + 1):
        permits.put(True)
    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            item, error = made.get()
            if error is not None:
                raise error
            if item is end:
                return
            permits.put(True)
            yield item
    finally:
        permits.put(False)


@contextlib.contextmanager
def beside(work: Callable[[], object]) -> Iterator[None]:
    """Do this work in a thread of its own meanwhile; at the end it is done, or its error raised."""
    with ThreadPoolExecutor(1, initializer=leave_signals) as pool:
        done = pool.submit(work)
        yield
    done.result()


def side_by_side(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[Result]:
    """function(item) of each item, in their order; so many are worked on at once. If there is an
    error instead of an item, it is raised after the results of all before it.

    Whoever leaves early does not wait for what is being worked on: the garbage collector may be the
    one that leaves, in any thread and while it holds any lock, so joining could wait for ever.
    """
    waiting: deque[Future[Result]] = deque()
    error: Exception | None = None
    iterator = iter(items)
    pool = ThreadPoolExecutor(threads, initializer=leave_signals)
    try:
        while True:
            try:
                item = next(iterator)
            except StopIteration:
                break
            except Exception as found:
                error = found
                break
            waiting.append(pool.submit(function, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    if error is not None:
        raise error
