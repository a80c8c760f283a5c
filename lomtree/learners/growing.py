"""A learner whose tables grow while it learns."""

from abc import abstractmethod
from typing import Any

from lomtree.examples.batch import longest
from lomtree.learners.base import Learner
from lomtree.learners.lesson import Lesson


class GrowingLearner(Learner):
    """Kernels allocate nothing: they stop where there is no room, and go on when there is."""

    _scratch: Any = None  # room for one example, made when the first one comes
    _scratch_length = -1

    def learn_scaled(self, lesson: Lesson, begin: int, end: int) -> None:
        wanted = longest(lesson.batch, begin, end)
        if wanted > self._scratch_length:
            self._scratch_length = 2 * wanted
            self._scratch = self._make_scratch(2 * wanted)
        done = begin
        while True:
            done = self._learn_run(lesson, done, end)
            if done == end:
                return
            self._grow(int(lesson.batch.labels[done]))

    @abstractmethod
    def _make_scratch(self, length: int) -> Any:
        """Room for one example of up to `length` features."""

    @abstractmethod
    def _learn_run(self, lesson: Lesson, begin: int, end: int) -> int:
        """Learn the examples begin:end; returns where there was no room to go on, or end."""

    @abstractmethod
    def _grow(self, label: int) -> None:
        """Make room for an example of this label."""
