"""Work done ahead: an iterator runs in a thread of its own, a few items before they are wanted."""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

DEPTH = 2  # items made in advance; with the one in use and the one in the making there are 4


def ahead(items: Iterable[Item]) -> Iterator[Item]:
    """The same items. Reading and parsing do without Python's lock, so they use a second core
    while the first one learns. An error is raised where its item would have come."""
    made: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue(DEPTH)
    abandoned = threading.Event()
    end = object()

    def work() -> None:
        try:
            for item in items:
                made.put((item, None))
                if abandoned.is_set():
                    return
            made.put((end, None))
        except BaseException as error:
            made.put((end, error))

    threading.Thread(target=work, daemon=True).start()
    try:
        while True:
            item, error = made.get()
            if error is not None:
                raise error
            if item is end:
                return
            yield item
    finally:
        abandoned.set()


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
    pool = ThreadPoolExecutor(threads)
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
