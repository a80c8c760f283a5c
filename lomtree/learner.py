"""What every algorithm does: learn from batches, answer them, and go to a file and back."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lomtree.batch import Batch
from lomtree.options import Options
from lomtree.parts import Parts
from lomtree.profiles import (
    Likenesses,
    Profiler,
    Profiles,
    has_profiles,
    load_profiles,
    no_likenesses,
    weight_of_likeness,
)
from lomtree.profiles import to_arrays as profiles_to_arrays
from lomtree.ranking import SHARPNESS, Ranking
from lomtree.scaling import Scaler, Scales, load_scales, make_scales, store_scales
from lomtree.stopwatch import watch

WORTH_A_THREAD = 256  # examples


class Lesson(NamedTuple):
    """Examples to be learned, and room for what learn() tells about each."""

    batch: Batch  # its values are scaled
    mean_squares: np.ndarray  # see Scaler.enter()
    answers: np.ndarray
    depths: np.ndarray
    asked: bool = True  # whether anybody wants to know the answers


class Learner(ABC):
    """`threads` is how many cores it may use; with any number it learns and answers the same.
    `sharpness` makes probabilities of masses (see ranking.py). Where it is not `asked`, it need not
    tell what it would have answered before it learned.

    All that training changes is in `state`, a NamedTuple of NamedTuples of arrays, in the scales of
    `scaler`, and in the profiles of `profiler`.
    """

    def __init__(
        self,
        options: Options,
        state: Any = None,
        scales: Scales | None = None,
        profiles: Profiles | None = None,
    ) -> None:
        self.options = options
        self.threads = 1
        self.asked = True
        self.sharpness = SHARPNESS
        self.scaler = Scaler(make_scales(options) if scales is None else scales)
        self.profiler = Profiler(options, profiles) if has_profiles(options) else None
        self.state = self._new_state() if state is None else state
        self._pool: ThreadPoolExecutor | None = None

    def learn(self, batch: Batch, count: int, answers: np.ndarray, depths: np.ndarray) -> None:
        """Learn from the first `count` examples of a batch.

        `answers` gets what would have been predicted just before each was learned (but with its
        values counted in their scales), `depths` the depth of the leaf that each was put in.
        """
        size = {"examples": count, "features": batch.starts[count]}
        with watch.stage("scale", **size):
            lesson = Lesson(*self.scaler.enter(batch, count), answers, depths, self.asked)
        with watch.stage("learn", **size):
            beside = self._learn_profiles(lesson.batch, count)
            self.learn_scaled(lesson, count)
            if beside is not None:
                beside.result()

    def _learn_profiles(self, scaled: Batch, count: int) -> Future | None:
        """On another core, if there is one; the caller has to wait for it then."""
        if self.profiler is None:
            return None
        if self.threads > 1:
            return self.pool.submit(self.profiler.learn, scaled, count)
        self.profiler.learn(scaled, count)
        return None

    @abstractmethod
    def learn_scaled(self, lesson: Lesson, count: int) -> None:
        """Learn from the first `count` examples of a lesson."""

    def predict(self, batch: Batch, count: int, answers: np.ndarray, depths: np.ndarray) -> None:
        """Answer the first `count` examples of a batch: label numbers and depths of the leaves."""

        def run(scaled: Batch, begin: int, end: int) -> None:
            self._predict_run(scaled, begin, end, answers, depths)

        self._answer(batch, count, run)

    def rank(
        self, batch: Batch, count: int, beam: int, top: int, sharpness: float | None = None
    ) -> Ranking:
        """The `top` best labels of the first `count` examples, with their probabilities; trees are
        searched for the best `beam` leaves."""
        ranking = Ranking.of(count, top, self.sharpness if sharpness is None else sharpness)

        def run(scaled: Batch, begin: int, end: int) -> None:
            self._rank_run(scaled, begin, end, beam, ranking)

        self._answer(batch, count, run)
        return ranking

    @property
    def likenesses(self) -> Likenesses:
        if self.profiler is None:
            return no_likenesses()
        profiles = self.profiler.profiles
        labels = int(np.count_nonzero(profiles.squares))
        examples = float(self.scaler.scales.norms[0])
        return Likenesses(profiles, weight_of_likeness(examples, labels) if labels else 0.0)

    def _answer(self, batch: Batch, count: int, run: Callable[[Batch, int, int], None]) -> None:
        """Scale and answer the first `count` examples; each thread takes a run of them."""
        scaled = self.scaler.outline(batch, count)

        def scale_and_run(begin: int, end: int) -> None:
            self.scaler.apply(batch, begin, end, scaled)
            run(scaled, begin, end)

        with watch.stage("predict", examples=count, features=batch.starts[count]):
            edges = np.linspace(0, count, self.threads + 1).astype(np.int64)
            runs = [(int(begin), int(end)) for begin, end in pairwise(edges) if begin < end]
            if len(runs) <= 1 or count < WORTH_A_THREAD:
                scale_and_run(0, count)
                return
            for job in [self.pool.submit(scale_and_run, *ends) for ends in runs]:
                job.result()

    @property
    def pool(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads)
        return self._pool

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

    def store(self, parts: Parts, predict_only: bool) -> None:
        """Add state and scales to the parts of a model.

        The same state always gives the same parts: nothing in them depends on how full a table is
        or in which order it was filled.
        """
        profiles = {} if self.profiler is None else profiles_to_arrays(self.profiler.profiles)
        self.store_state(parts, predict_only)
        store_scales(self.scaler.scales, parts)
        parts.arrays |= profiles

    @classmethod
    def load(cls, options: Options, parts: Parts, label_count: int, learning: bool) -> "Learner":
        """A learner from what a file holds; ModelError with the reason if that is no whole state.

        Everything that compiled code will use as an index is checked here. Without `learning` it
        can only answer, and what only training needs is left aside.
        """
        state = cls.load_state(options, parts, label_count, learning)
        profiles = None
        if has_profiles(options) and (learning or "profiles.mark" in parts.arrays):
            profiles = load_profiles(parts, options, label_count)
        return cls(options, state, load_scales(parts, options), profiles)

    @abstractmethod
    def store_state(self, parts: Parts, predict_only: bool) -> None: ...

    @classmethod
    @abstractmethod
    def load_state(cls, options: Options, parts: Parts, label_count: int, learning: bool) -> Any:
        """The state of a file."""

    @abstractmethod
    def _new_state(self) -> Any: ...

    @abstractmethod
    def _predict_run(
        self, batch: Batch, begin: int, end: int, answers: np.ndarray, depths: np.ndarray
    ) -> None: ...

    @abstractmethod
    def _rank_run(
        self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking
    ) -> None: ...
