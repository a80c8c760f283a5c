"""Who does the tasks: this process, one after the other, or the workers of a Dask cluster.

Tasks are functions; an argument may be what submit() has given, alone or in a list.
"""

import uuid
from collections.abc import Callable
from typing import Any, Protocol

from lomtree.core.errors import LomtreeError

Number = tuple[int, ...]  # of a task among those of its kind
Progress = Callable[[Number, int], None]  # how many examples a task has learned so far

_TOPIC = "lomtree-progress"
LOST = "the connection to the scheduler was lost"


class Executor(Protocol):
    def submit(self, kind: str, number: Number, task: Callable, *arguments: Any) -> Any: ...

    def result(self, promised: Any) -> Any:
        """Wait for what a task returns; a LomtreeError says what went wrong."""

    def reporter(self, number: Number) -> Callable[[int], None]:
        """What a task calls with the number of examples that it has learned since the last call."""

    def cancel(self) -> None: ...


class Inline:
    """Does each task at once."""

    def __init__(self, progress: Progress = lambda _number, _done: None) -> None:
        self._progress = progress

    def submit(self, kind: str, number: Number, task: Callable, *arguments: Any) -> Any:
        return task(*arguments)

    def result(self, promised: Any) -> Any:
        return promised

    def reporter(self, number: Number) -> Callable[[int], None]:
        return _InlineReporter(self._progress, number)

    def cancel(self) -> None:
        pass


class _InlineReporter:
    def __init__(self, progress: Progress, number: Number) -> None:
        self._progress, self._number, self._done = progress, number, 0

    def __call__(self, count: int) -> None:
        self._done += count
        self._progress(self._number, self._done)


class OnDask:
    """Tasks are named, so that the dashboard shows what they are. What nobody refers to any more
    is forgotten by the cluster."""

    def __init__(self, client: Any, progress: Progress = lambda _number, _done: None) -> None:
        self._client = client
        self._run = uuid.uuid4().hex[:8]
        self._topic = f"{_TOPIC}-{self._run}"
        self._waiting: set[Any] = set()
        client.subscribe_topic(self._topic, lambda event: progress(*_told(event)))

    def submit(self, kind: str, number: Number, task: Callable, *arguments: Any) -> Any:
        key = (f"lomtree-{kind}-{self._run}", *number)
        return self._client.submit(task, *arguments, key=key, pure=False)

    def result(self, promised: Any) -> Any:
        import asyncio
        from concurrent.futures import CancelledError

        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        self._waiting.add(promised)
        try:
            return promised.result()
        except LomtreeError:
            raise
        except KilledWorker as error:
            raise LomtreeError(
                f"the task {promised.key[0]} was given up: each of the "
                f"{getattr(error, 'allowed_failures', 0) + 1} workers that tried it died; they may "
                "have too little memory (more --shards need less)"
            ) from None
        except (CancelledError, CommClosedError, TimeoutError, asyncio.TimeoutError):
            raise LomtreeError(LOST) from None
        except ModuleNotFoundError as error:
            raise LomtreeError(f"a worker lacks the module {error.name}") from None
        finally:
            self._waiting.discard(promised)

    def reporter(self, number: Number) -> Callable[[int], None]:
        return _Reporter(self._topic, number)

    def cancel(self) -> None:
        """Nobody waits for the tasks of this run any more."""
        keys = [key for key in self._client.futures if self._run in str(key)]
        from distributed import Future

        self._client.cancel([Future(key, self._client) for key in keys], force=True)


def _told(event: Any) -> tuple[Number, int]:
    _time, (number, done) = event
    return tuple(number), done


class _Reporter:
    """Travels to the worker with its task. Where the task was cancelled, it ends it."""

    def __init__(self, topic: str, number: Number) -> None:
        self._topic, self._number, self._done = topic, number, 0

    def __call__(self, count: int) -> None:
        from distributed import get_worker
        from distributed.worker import thread_state

        self._done += count
        worker = get_worker()
        worker.log_event(self._topic, (list(self._number), self._done))
        task = worker.state.tasks.get(getattr(thread_state, "key", None))
        if task is not None and task.state == "cancelled":
            raise LomtreeError("cancelled")
