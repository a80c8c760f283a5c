"""What every algorithm does: learn from batches, answer them, and go to a file and back."""

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from lomtree.batch import Batch
from lomtree.options import Options
from lomtree.parts import Parts
from lomtree.stopwatch import watch

WORTH_A_THREAD = 256  # examples


class Learner(ABC):
    """`threads` is how many cores predict() may use; learning is one example after the other.

    `state` is all that training changes: a NamedTuple of NamedTuples of arrays.
    """

    def __init__(self, options: Options, state: Any = None) -> None:
        self.options = options
        self.threads = 1
        self.state = self._new_state() if state is None else state
        self._pool: ThreadPoolExecutor | None = None
        self._scratch = self._make_scratch(0)
        self._scratch_length = 0

    def learn(self, batch: Batch, count: int, answers: np.ndarray, depths: np.ndarray) -> None:
        """Learn from the first `count` examples of a batch.

        `answers` gets what would have been predicted just before each was learned (but with its
        values counted in their scales), `depths` the depth of the leaf that each was put in.
        """
        wanted = longest(batch, 0, count)
        if wanted > self._scratch_length:
            self._scratch_length = 2 * wanted
            self._scratch = self._make_scratch(2 * wanted)
        done = 0
        with watch.stage("learn", examples=count, features=batch.starts[count]):
            while True:
                done = self._learn_run(batch, done, count, answers, depths)
                if done == count:
                    return
                self._grow(int(batch.labels[done]))

    def predict(self, batch: Batch, count: int, answers: np.ndarray, depths: np.ndarray) -> None:
        """Answer the first `count` examples of a batch: label numbers and depths of the leaves.

        Each of the threads takes a run of them; the answers are the same with any number.
        """
        with watch.stage("predict", examples=count, features=batch.starts[count]):
            self._predict(batch, count, answers, depths)

    def _predict(self, batch: Batch, count: int, answers: np.ndarray, depths: np.ndarray) -> None:
        edges = np.linspace(0, count, self.threads + 1).astype(np.int64)
        runs = [(begin, end) for begin, end in pairwise(edges) if begin < end]
        if len(runs) <= 1 or count < WORTH_A_THREAD:
            self._predict_run(batch, 0, count, answers, depths)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads)
        for job in [
            self._pool.submit(self._predict_run, batch, begin, end, answers, depths)
            for begin, end in runs
        ]:
            job.result()

    @property
    @abstractmethod
    def examples(self) -> int:
        """How many examples were learned, passes counted."""

    @property
    @abstractmethod
    def largest_depth(self) -> int | None:
        """Of the deepest leaf there ever was; None where there is no tree."""

    @abstractmethod
    def summary(self) -> list[tuple[str, str]]:
        """What has grown, for a person: names and values."""

    @abstractmethod
    def store(self, parts: Parts, predict_only: bool) -> None:
        """Add the state to the parts of a model.

        The same state always gives the same parts: nothing in them depends on how full a table is
        or in which order it was filled.
        """

    @classmethod
    @abstractmethod
    def load(cls, options: Options, parts: Parts, label_count: int, learning: bool) -> "Learner":
        """A learner from what a file holds; ModelError with the reason if that is no whole state.

        Everything that compiled code will use as an index is checked here. Without `learning` it
        can only answer, and what only training needs is left aside.
        """

    @abstractmethod
    def _new_state(self) -> Any: ...

    @abstractmethod
    def _make_scratch(self, length: int) -> Any:
        """Room for one example of up to `length` features."""

    @abstractmethod
    def _learn_run(
        self, batch: Batch, begin: int, end: int, answers: np.ndarray, depths: np.ndarray
    ) -> int:
        """Learn the examples begin:end; returns where there was no room to go on, or end."""

    @abstractmethod
    def _grow(self, label: int) -> None:
        """Make room for an example of this label."""

    @abstractmethod
    def _predict_run(
        self, batch: Batch, begin: int, end: int, answers: np.ndarray, depths: np.ndarray
    ) -> None: ...


def longest(batch: Batch, begin: int, end: int) -> int:
    """The most features that one of these examples has."""
    return int(np.diff(batch.starts[begin : end + 1]).max(initial=0))
