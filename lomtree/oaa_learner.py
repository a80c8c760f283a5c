"""One-against-all as a learner."""

from typing import NamedTuple

import numpy as np

from lomtree.batch import Batch, longest
from lomtree.class_weights import (
    ClassWeights,
    grown,
    load_class_weights,
    make_class_weights,
    store_class_weights,
)
from lomtree.errors import ModelError
from lomtree.growing_learner import GrowingLearner
from lomtree.learner import Lesson
from lomtree.one_against_all import Scratch, learn, make_scratch, predict, rank
from lomtree.options import Options
from lomtree.parts import Parts
from lomtree.ranking import Ranking
from lomtree.regressor import rule_of


class State(NamedTuple):
    table: ClassWeights
    seen: np.ndarray  # uint8[width]: 1 for each label that was learned
    totals: np.ndarray  # float64[2]: examples learned, their importance


class OaaLearner(GrowingLearner):
    state: State

    def _new_state(self) -> State:
        table = make_class_weights(self.options, self.options.classes)
        seen = np.zeros(table.weights.shape[1], np.uint8)
        return State(table, seen, np.zeros(2))

    def _make_scratch(self, length: int) -> Scratch:
        return make_scratch(length, len(self.state.seen))

    def _learn_run(self, lesson: Lesson, begin: int, end: int) -> int:
        return learn(
            *self.state, rule_of(self.options), self._scratch, lesson.batch, lesson.mean_squares,
            begin, end, lesson.answers, lesson.depths,
        )  # fmt: skip

    def _predict_run(
        self, batch: Batch, begin: int, end: int, answers: np.ndarray, depths: np.ndarray
    ) -> None:
        table, seen, _totals = self.state
        scratch = self._make_scratch(longest(batch, begin, end))
        predict(table, seen, scratch, batch, begin, end, answers, depths)

    def _rank_run(self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking) -> None:
        table, seen, _totals = self.state
        scratch = self._make_scratch(longest(batch, begin, end))
        labels, masses = np.empty(len(seen), np.int32), np.empty(len(seen))
        rank(table, seen, scratch, batch, begin, end, labels, masses, ranking)

    def _grow(self, label: int) -> None:
        table = grown(self.state.table, self.options, label)
        seen = np.zeros(table.weights.shape[1], np.uint8)
        seen[: len(self.state.seen)] = self.state.seen
        self.state = self.state._replace(table=table, seen=seen)
        self._scratch = self._make_scratch(len(self._scratch.x))

    @property
    def examples(self) -> int:
        return int(self.state.totals[0])

    @property
    def largest_depth(self) -> None:
        return None

    def summary(self) -> list[tuple[str, str]]:
        rows, limit, labels = self.state.table.size
        crowded = ": crowded, a larger -b would help" if rows == limit else ""
        return [("weights", f"{rows:,} features times {labels:,} labels{crowded}")]

    def store_state(self, parts: Parts, predict_only: bool) -> None:
        table, seen, totals = self.state
        store_class_weights(table, parts, predict_only)
        parts.arrays["rows.seen"] = seen[: table.size[2]]
        parts.arrays["totals"] = totals

    @classmethod
    def load_state(cls, options: Options, parts: Parts, label_count: int, learning: bool) -> State:
        table = load_class_weights(parts, options, label_count, learning)
        labels = int(table.size[2])
        seen = np.zeros(table.weights.shape[1], np.uint8)
        seen[:labels] = parts.column("rows.seen", np.uint8, labels)
        totals = np.zeros(2)
        if learning or "totals" in parts.arrays:
            totals[:] = parts.column("totals", np.float64, 2)
            if not np.all(np.isfinite(totals)) or totals.min() < 0:
                raise ModelError("its totals are not positive numbers")
        return State(table, seen, totals)
