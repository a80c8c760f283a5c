"""What every algorithm does: learn from batches, predict them, and go to a file and back."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.execution import ONE_CORE, Execution
from lomtree.core.options import Options
from lomtree.examples.batch import Batch
from lomtree.features.scaling import Scaler, Scales, load_scales, make_scales, store_scales
from lomtree.ranking import centroids
from lomtree.ranking.centroids import CentroidLearner, Centroids, WeightedCentroids
from lomtree.ranking.ranking import INVERSE_TEMPERATURE, Ranking
from lomtree.storage.state_dict import StateDict
from lomtree.system.timing import watch

WORTH_A_THREAD = 256  # examples


class Lesson(NamedTuple):
    """Examples to be learned, and room for what learn() tells about each."""

    batch: Batch  # its values are scaled
    mean_squares: np.ndarray  # see Scaler.enter()
    predictions: np.ndarray
    depths: np.ndarray
    progressive: bool = True  # whether anybody wants to know the predictions


class Depths(NamedTuple):
    """How deep a tree is now."""

    mean: float
    mean_over: str  # what it is the mean over: the "examples" in the leaves, or the "leaves"
    largest: int


class Learner(ABC):
    """`inverse_temperature` makes probabilities of masses (see ranking/ranking.py).

    All that training changes is in `state`, a NamedTuple of NamedTuples of arrays, in the scales of
    `scaler`, and in the centroids of `centroid_learner`. They are the learner's own: who looks at a
    model from outside asks its methods.
    """

    def __init__(
        self,
        options: Options,
        execution: Execution = ONE_CORE,
        state: Any = None,
        scales: Scales | None = None,
        known_centroids: Centroids | None = None,
    ) -> None:
        self.options = options
        self.execution = execution
        self.inverse_temperature = INVERSE_TEMPERATURE
        self.scaler = Scaler(make_scales(options) if scales is None else scales)
        self.centroid_learner: CentroidLearner | None = None
        if centroids.has_centroids(options):
            self.centroid_learner = CentroidLearner(options, known_centroids)
        self.state = self._new_state() if state is None else self._adopt(state)
        self._pool: ThreadPoolExecutor | None = None

    def reconfigure(self, options: Options) -> None:
        """Learn on with other options."""
        self.options = options

    @property
    def members(self) -> list[Any]:
        """The trees of an ensemble; otherwise this learner alone."""
        return [self]

    def learn(self, batch: Batch, count: int, predictions: np.ndarray, depths: np.ndarray) -> None:
        """Learn from the first `count` examples of a batch.

        `predictions` gets what would have been predicted just before each was learned (but with its
        values counted in their scales), `depths` the depth of the leaf that each was put in.
        """
        size = {"examples": count, "features": batch.starts[count]}
        with watch.stage("scale", **size):
            scaled, mean_squares = self.scaler.enter(batch, count)
        progressive = self.execution.progressive
        lesson = Lesson(scaled, mean_squares, predictions, depths, progressive)
        with watch.stage("learn", **size):
            beside = self._learn_centroids(lesson.batch, count)
            self.learn_scaled(lesson, count)
            if beside is not None:
                beside.result()

    def _learn_centroids(self, scaled: Batch, count: int) -> Future | None:
        """On another core, if there is one; the caller has to wait for it then."""
        if self.centroid_learner is None:
            return None
        if self.execution.threads > 1:
            return self.pool.submit(self.centroid_learner.learn, scaled, count)
        self.centroid_learner.learn(scaled, count)
        return None

    @abstractmethod
    def learn_scaled(self, lesson: Lesson, count: int) -> None:
        """Learn from the first `count` examples of a lesson."""

    def predict(
        self, batch: Batch, count: int, predictions: np.ndarray, depths: np.ndarray
    ) -> None:
        """Predict the first `count` examples of a batch: label numbers and depths of the leaves."""

        def run(scaled: Batch, begin: int, end: int) -> None:
            self._predict_run(scaled, begin, end, predictions, depths)

        self._in_runs(batch, count, run)

    def rank(
        self, batch: Batch, count: int, beam: int, top: int, power: float | None = None
    ) -> Ranking:
        """The `top` best labels of the first `count` examples, with their probabilities; trees are
        searched for the best `beam` leaves. `power` replaces the inverse temperature."""
        ranking = Ranking.of(count, top, self.inverse_temperature if power is None else power)

        def run(scaled: Batch, begin: int, end: int) -> None:
            self._rank_run(scaled, begin, end, beam, ranking)

        self._in_runs(batch, count, run)
        return ranking

    @property
    def weighted_centroids(self) -> WeightedCentroids:
        if self.centroid_learner is None:
            return centroids.no_centroids()
        known = self.centroid_learner.centroids
        labels = int(np.count_nonzero(known.squares))
        examples = float(self.scaler.scales.norms[0])
        weight = centroids.cosine_weight(examples, labels) if labels else 0.0
        return WeightedCentroids(known, weight)

    def _in_runs(self, batch: Batch, count: int, run: Callable[[Batch, int, int], None]) -> None:
        """Scale and `run` the first `count` examples; each thread takes a run of them."""
        scaled = self.scaler.outline(batch, count)

        def scale_and_run(begin: int, end: int) -> None:
            self.scaler.apply(batch, begin, end, scaled)
            run(scaled, begin, end)

        with watch.stage("predict", examples=count, features=batch.starts[count]):
            edges = np.linspace(0, count, self.execution.threads + 1).astype(np.int64)
            runs = [(int(begin), int(end)) for begin, end in pairwise(edges) if begin < end]
            if len(runs) <= 1 or count < WORTH_A_THREAD:
                scale_and_run(0, count)
                return
            for job in [self.pool.submit(scale_and_run, *ends) for ends in runs]:
                job.result()

    @property
    def pool(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.execution.threads)
        return self._pool

    @property
    @abstractmethod
    def examples(self) -> int:
        """How many examples were learned, passes counted."""

    def depths(self) -> Depths | None:
        """How deep the tree is now; None where there is no tree."""
        return None

    @abstractmethod
    def summary(self) -> list[tuple[str, str]]:
        """What has grown, for a person: names and values."""

    @abstractmethod
    def weights_summary(self) -> dict[str, Any]:
        """How full the weights are, as plain values."""

    def store(self, state_dict: StateDict, predict_only: bool) -> None:
        """Add state and scales to the state dict of a model.

        The same state always gives the same bytes: nothing in them depends on how full a table is
        or in which order it was filled.
        """
        listed = {}
        if self.centroid_learner is not None:
            listed = centroids.to_arrays(self.centroid_learner.centroids)
        self.store_state(state_dict, predict_only)
        store_scales(self.scaler.scales, state_dict)
        state_dict.arrays |= listed

    @classmethod
    def load(
        cls,
        options: Options,
        state_dict: StateDict,
        label_count: int,
        learning: bool,
        execution: Execution = ONE_CORE,
    ) -> "Learner":
        """A learner from what a file holds; ModelError with the reason if that is no whole state.

        Everything that compiled code will use as an index is checked here. Without `learning` it
        can only predict, and what only training needs is left aside.
        """
        state = cls.load_state(options, state_dict, label_count, learning)
        known = None
        if centroids.has_centroids(options) and (learning or "centroids.mark" in state_dict.arrays):
            known = centroids.load_centroids(state_dict, options, label_count)
        return cls(options, execution, state, load_scales(state_dict, options), known)

    @abstractmethod
    def store_state(self, state_dict: StateDict, predict_only: bool) -> None: ...

    @classmethod
    @abstractmethod
    def load_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> Any:
        """The state of a file."""

    @abstractmethod
    def _new_state(self) -> Any: ...

    def _adopt(self, loaded: Any) -> Any:
        """The state in what load_state() gave."""
        return loaded

    @abstractmethod
    def _predict_run(
        self, batch: Batch, begin: int, end: int, predictions: np.ndarray, depths: np.ndarray
    ) -> None: ...

    @abstractmethod
    def _rank_run(
        self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking
    ) -> None: ...
