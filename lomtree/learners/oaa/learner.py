"""One-against-all as a learner."""

from typing import Any

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.examples.batch import Batch, longest, part
from lomtree.learners.growing import GrowingLearner
from lomtree.learners.lesson import Lesson
from lomtree.learners.oaa.one_against_all import (
    OaaScratch,
    OaaState,
    Ranked,
    learn,
    make_scratch,
    predict,
    rank,
)
from lomtree.linear.dense_weights import (
    check_class_weights,
    grown,
    load_class_weights,
    make_class_weights,
    store_class_weights,
)
from lomtree.linear.update import rule_of
from lomtree.ranking.combination import MASS
from lomtree.ranking.ranking import Candidates, Ranking
from lomtree.ranking.ranking import make_scratch as make_scratch_of_ranking
from lomtree.storage.state_dict import StateDict

_PROBED = 64  # labels that an example is probed with


class OaaLearner(GrowingLearner):
    state: OaaState

    def _new_state(self) -> OaaState:
        table = make_class_weights(self.options, self.options.classes)
        seen = np.zeros(table.weights.shape[1], np.uint8)
        return OaaState(table, seen, np.zeros(2))

    def _make_scratch(self, length: int) -> OaaScratch:
        return make_scratch(length, len(self.state.seen))

    def _learn_run(self, lesson: Lesson, begin: int, end: int) -> int:
        return learn(self.state, rule_of(self.options), self._scratch, lesson, begin, end)

    def _predict_run(
        self, batch: Batch, begin: int, end: int, predictions: np.ndarray, depths: np.ndarray
    ) -> None:
        scratch = self._make_scratch(longest(batch, begin, end))
        predict(self.state, scratch, batch, begin, end, predictions, depths)

    def _rank_run(self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking) -> None:
        power = float(self.combination.weights[MASS]) * self.inverse_temperature
        self._rank(batch, begin, end, power, ranking)

    def _rank(self, batch: Batch, begin: int, end: int, power: float, ranking: Ranking) -> None:
        scratch, labels = self._make_scratch(longest(batch, begin, end)), len(self.state.seen)
        ranked = Ranked(np.empty(labels, np.int32), np.empty(labels))
        rank(self.state, scratch, batch, begin, end, ranked, power, ranking)

    def _search(self, scaled: Batch, example: int) -> tuple[Candidates, int]:
        """The labels with the largest scores, as if they had been found by a tree."""
        ranking = Ranking.of(1, _PROBED)
        self._rank(part(scaled, example, example + 1), 0, 1, 1.0, ranking)
        found = int(np.count_nonzero(ranking.probabilities > 0))
        candidates = make_scratch_of_ranking(0, found, 0).candidates
        candidates.labels[:found] = ranking.labels[0, :found]
        candidates.signs[:found] = 0.0
        candidates.signs[:found, MASS] = np.log(ranking.probabilities[0, :found])
        candidates.logits[:found] = candidates.signs[:found, MASS]
        return candidates, found

    def _compare(
        self, scaled: Batch, example: int, found: tuple[Candidates, int]
    ) -> tuple[Candidates, int]:
        return found  # there is no ranker

    def _has_seen(self, label: int) -> bool:
        return label < len(self.state.seen) and bool(self.state.seen[label])

    def _grow(self, label: int) -> None:
        table = grown(self.state.table, self.options, label)
        seen = np.zeros(table.weights.shape[1], np.uint8)
        seen[: len(self.state.seen)] = self.state.seen
        self.state = self.state._replace(table=table, seen=seen)
        self._scratch = self._make_scratch(len(self._scratch.x))

    def label_weights(self, label: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As of a ranker; there is no centroid."""
        rows = int(self.state.table.size[0])
        order = np.argsort(self.state.table.features[:rows])
        weights = self.state.table.weights[order, label]
        return self.state.table.features[order], weights, np.zeros(rows, np.float32)

    @property
    def examples(self) -> int:
        return int(self.state.totals[0])

    def weights_summary(self) -> dict[str, Any]:
        rows, limit, labels = self.state.table.size.tolist()
        return {"features": rows, "labels": labels, "full": rows == limit}

    def summary(self) -> list[tuple[str, str]]:
        rows, limit, labels = self.state.table.size
        crowded = ": crowded, a larger -b would help" if rows == limit else ""
        return [("weights", f"{rows:,} features times {labels:,} labels{crowded}")]

    def store_state(self, state_dict: StateDict, predict_only: bool) -> None:
        table, seen, totals = self.state
        store_class_weights(table, state_dict, predict_only)
        state_dict.arrays["rows.seen"] = seen[: table.size[2]]
        state_dict.arrays["totals"] = totals

    @classmethod
    def load_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> OaaState:
        table = load_class_weights(state_dict, options, label_count, learning)
        labels = int(table.size[2])
        seen = np.zeros(table.weights.shape[1], np.uint8)
        seen[:labels] = state_dict.column("rows.seen", np.uint8, labels)
        return OaaState(table, seen, _totals(state_dict, learning))

    @classmethod
    def check_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> None:
        form = check_class_weights(state_dict, options, label_count, learning)
        state_dict.column("rows.seen", np.uint8, form.labels)
        _totals(state_dict, learning)


def _totals(state_dict: StateDict, learning: bool) -> np.ndarray:
    totals = np.zeros(2)
    if learning or "totals" in state_dict.arrays:
        totals[:] = state_dict.column("totals", np.float64, 2)
        if not np.all(np.isfinite(totals)) or totals.min() < 0:
            raise ModelError("its totals are not positive numbers")
    return totals
