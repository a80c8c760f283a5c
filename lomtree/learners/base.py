"""What every algorithm does: learn from batches, predict them, and go to a file and back."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.execution import ONE_CORE, Execution
from lomtree.core.options import Options
from lomtree.examples.batch import Batch, Vector
from lomtree.features.scaling import Scaler, Scales, make_scales
from lomtree.learners.entry import PIECE, Entry
from lomtree.learners.follower import Follower
from lomtree.learners.lesson import Lesson
from lomtree.learners.shared_parts import SharedParts, check_shared, load_shared, store_shared
from lomtree.ranking.combination import FIRST_MEMORY, MEMORY, Combination, fade, make_combination
from lomtree.ranking.contributions import contributions, weights_of_label
from lomtree.ranking.probe import Probe
from lomtree.ranking.ranker import Ranker, has_ranker
from lomtree.ranking.ranking import Candidates, Ranking, Scorer, no_ranker
from lomtree.storage.state_dict import StateDict
from lomtree.system.threads import Workers, leave_signals
from lomtree.system.timing import watch

WORTH_A_THREAD = 1 << 12  # features


class Depths(NamedTuple):
    """How deep a tree is now."""

    mean: float
    mean_over: str  # what it is the mean over: the "examples" in the leaves, or the "leaves"
    largest: int


class Learner(ABC):
    """All that training changes is in `state`, a NamedTuple of NamedTuples of arrays, in the scales
    of `scaler`, in the `ranker`, and in the `combination` of what it and the trees say. They are
    the learner's own: who looks at a model from outside asks its methods. `inverse_temperature`
    sharpens probabilities, where held-out examples say so.
    """

    def __init__(
        self,
        options: Options,
        execution: Execution = ONE_CORE,
        state: Any = None,
        scales: Scales | None = None,
        ranker: Ranker | None = None,
        combination: Combination | None = None,
    ) -> None:
        self.options = options
        self.execution = execution
        self.inverse_temperature = 1.0
        self.scaler = Scaler(make_scales(options) if scales is None else scales)
        self.ranker = ranker
        if ranker is None and has_ranker(options):
            self.ranker = Ranker(options)
        self.combination = combination or make_combination()
        self.probe = Probe(self.ranker is not None)
        self.state = self._new_state() if state is None else state
        self._workers = Workers(execution.threads)
        self._ranker_thread = Follower()

    @property
    def ranks(self) -> bool:
        """Whether a ranker chooses among the labels that it finds."""
        return self.ranker is not None

    def reconfigure(self, options: Options) -> None:
        """Learn on with other options."""
        self.options = options

    def use(self, execution: Execution) -> None:
        """Work on otherwise; what comes out stays the same."""
        if execution != self.execution:
            self.execution, self._workers = execution, Workers(execution.threads)

    @property
    def members(self) -> list[Any]:
        """The trees of an ensemble; otherwise this learner alone."""
        return [self]

    def learn(
        self,
        batch: Batch,
        count: int,
        predictions: np.ndarray,
        depths: np.ndarray,
        probed: Sequence[int] = (),
        reserved: bool = False,
        are_new: bool = True,
    ) -> None:
        """Learn from the first `count` examples of a batch. Those that are `probed` are ranked just
        before they are learned, and nothing has been learned from them so far; `reserved` tells
        whether they have waited for that while others were learned. Examples `are_new` unless they
        were learned in an earlier pass.

        `predictions` gets what one walk would have predicted just before each was learned (but with
        its values counted in their scales), `depths` the depth of the leaf that each was put in.
        """
        cores = self.pool if self.execution.threads > 1 else None
        self._entry = Entry(self.scaler, batch, count, cores)
        lesson, scaled = self._lesson(predictions, depths), self._entry.scaled
        beside = self.ranker is not None and cores is not None
        stage, begin = watch.stage("learn", examples=count, features=batch.starts[count]), 0
        with closing(self._entry), stage, self._ranker_thread.working(beside):
            for example in probed:
                self._learn_part(lesson, begin, example, are_new)
                self._probe(scaled, example, reserved)
                begin = example
                if reserved:  # it is new, even where the others are not
                    self._learn_part(lesson, example, example + 1, True)
                    begin = example + 1
            self._learn_part(lesson, begin, count, are_new)
        del self._entry  # and with it the batch

    def drawn_probes(self, batch: Batch, count: int) -> list[int]:
        """Which of the next examples are probed, if they are new: none in the paper's model."""
        if self.options.paper:
            return []
        return self.probe.drawn(batch, self.examples, count)

    def begin_probing_pass(self) -> None:
        """What probes have told so far is of a model that had learned less."""
        fade(self.combination)
        self.probe = Probe(self.ranker is not None)

    def _lesson(self, predictions: np.ndarray, depths: np.ndarray) -> Lesson:
        ranked, entry = self.ranker is not None, self._entry
        progressive = self.execution.progressive or ranked
        rivals = np.empty((len(self.members), len(predictions)), np.int32)
        return Lesson(
            entry.scaled, entry.mean_squares, predictions, depths, rivals, progressive, ranked
        )

    def _learn_part(self, lesson: Lesson, begin: int, end: int, are_new: bool) -> None:
        """Learn the examples begin:end. The ranker learns after the trees, whose rivals it wants;
        on another core, if there is one, a chunk behind them. How this is cut does not matter."""
        beside = self._ranker_thread.beside and begin < end
        chunk = len(self.members) * lesson.chunk(begin, end) if beside else PIECE
        for first in range(begin, end, chunk):
            last = min(first + chunk, end)
            self._entry.reach(last)
            self.learn_scaled(lesson, first, last)
            if self.ranker is not None:
                task = (lesson.batch, lesson.rivals, lesson.mean_squares, first, last, are_new)
                self._ranker_thread.do(self.ranker.learn, *task)

    def _probe(self, scaled: Batch, example: int, reserved: bool) -> None:
        """Rank the labels of an example that is learned next, and learn from how that went. Trees
        are searched now; the ranker comes to it when it has learned what came before."""
        self._entry.reach(example + 1)
        y, importance = int(scaled.labels[example]), float(scaled.weights[example])
        found, number = self._search(scaled, example), self.examples
        # In a first pass most labels are new for a while. In a later one few are: as many as
        # examples to be predicted will have.
        teaches = reserved or self._has_seen(y)
        memory = MEMORY if reserved else FIRST_MEMORY

        def learn_to_rank() -> None:
            candidates, count = self._compare(scaled, example, found)
            self.probe.look(candidates, count, y, importance, number)
            if teaches:
                self.probe.teach(self.combination, candidates, count, y, importance, memory)

        self._ranker_thread.do(learn_to_rank)

    @abstractmethod
    def learn_scaled(self, lesson: Lesson, begin: int, end: int) -> None:
        """Learn from the examples begin:end of a lesson."""

    @abstractmethod
    def _search(self, scaled: Batch, example: int) -> Any:
        """What is found for one example as the learner is now, without the ranker."""

    @abstractmethod
    def _compare(self, scaled: Batch, example: int, found: Any) -> tuple[Candidates, int]:
        """The candidates of an example for which this was found, and which the ranker finds now,
        compared, and their number."""

    @abstractmethod
    def _has_seen(self, label: int) -> bool:
        """Whether an example of this label has been learned."""

    def predict(
        self, batch: Batch, count: int, predictions: np.ndarray, depths: np.ndarray
    ) -> None:
        """Predict the first `count` examples of a batch: label numbers and depths of the leaves."""

        def run(scaled: Batch, begin: int, end: int) -> None:
            self._predict_run(scaled, begin, end, predictions, depths)

        self._in_runs(batch, count, run)

    def rank(self, batch: Batch, count: int, beam: int, top: int) -> Ranking:
        """The `top` best labels of the first `count` examples, with their probabilities; trees are
        searched for the best `beam` leaves."""
        ranking = Ranking.of(count, top)

        def run(scaled: Batch, begin: int, end: int) -> None:
            self._rank_run(scaled, begin, end, beam, ranking)

        self._in_runs(batch, count, run)
        return ranking

    @property
    def scorer(self) -> Scorer:
        """What candidates are compared by now."""
        weights = self.combination.weights * self.inverse_temperature
        if self.ranker is None:
            return no_ranker(weights)
        known, lists, exemplars = self.ranker.state[:3]
        return Scorer(known, lists, exemplars, weights, True)

    def candidates(self, batch: Batch) -> tuple[Candidates, int]:
        """The candidates of the first example of a batch, compared, and their number; they live
        until the next ones are found."""
        scaled = self.scaler.outline(batch, 1)
        self.scaler.apply(batch, 0, 1, scaled)
        return self._compare(scaled, 0, self._search(scaled, 0))

    def contributions(self, vector: Vector, label: int) -> np.ndarray:
        """What each feature of an example, scaled, adds to each sign of a label: float64[signs,
        features], see combination."""
        return contributions(self.scorer, vector, label)

    def label_weights(self, label: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The features that a label knows, their weights in its regressor and their sums in its
        centroid; none without a ranker."""
        return weights_of_label(self.scorer.known, label)

    def _in_runs(self, batch: Batch, count: int, run: Callable[[Batch, int, int], None]) -> None:
        """Scale and `run` the first `count` examples; each thread takes a run of them."""
        scaled = self.scaler.outline(batch, count)

        def scale_and_run(begin: int, end: int) -> None:
            self.scaler.apply(batch, begin, end, scaled)
            run(scaled, begin, end)

        with watch.stage("predict", examples=count, features=batch.starts[count]):
            edges = np.linspace(0, count, self.execution.threads + 1).astype(np.int64)
            runs = [(int(begin), int(end)) for begin, end in pairwise(edges) if begin < end]
            if len(runs) <= 1 or batch.starts[count] < WORTH_A_THREAD:
                scale_and_run(0, count)
                return
            for job in [self.pool.submit(scale_and_run, *ends) for ends in runs]:
                job.result()

    @property
    def pool(self) -> ThreadPoolExecutor:
        return self._workers.pool

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
        parts = SharedParts(self.scaler.scales, self.ranker, self.combination)
        shared = StateDict({}, {})
        with ThreadPoolExecutor(1, initializer=leave_signals) as beside:
            storing = beside.submit(store_shared, parts, shared, predict_only)
            self.store_state(state_dict, predict_only)
            storing.result()
        state_dict.header |= shared.header
        state_dict.arrays |= shared.arrays

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
        with ThreadPoolExecutor(1, initializer=leave_signals) as beside:
            shared = beside.submit(load_shared, state_dict, options, label_count, learning)
            state = cls.load_state(options, state_dict, label_count, learning)
            return cls(options, execution, state, *shared.result())

    @classmethod
    def check(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> None:
        """ModelError if load() would raise one: the same functions look at what a file holds."""
        cls.check_state(options, state_dict, label_count, learning)
        check_shared(state_dict, options, label_count, learning)

    @abstractmethod
    def store_state(self, state_dict: StateDict, predict_only: bool) -> None: ...

    @classmethod
    @abstractmethod
    def load_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> Any:
        """The state of a file."""

    @classmethod
    @abstractmethod
    def check_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> None:
        """The part of check() that is the algorithm's own."""

    @abstractmethod
    def _new_state(self) -> Any: ...

    @abstractmethod
    def _predict_run(
        self, batch: Batch, begin: int, end: int, predictions: np.ndarray, depths: np.ndarray
    ) -> None: ...

    @abstractmethod
    def _rank_run(
        self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking
    ) -> None: ...
