"""What the learners that walk down a tree have in common."""

from abc import abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from lomtree.batch import Batch
from lomtree.forerunner import Forerunner
from lomtree.growing_learner import GrowingLearner
from lomtree.leaf_labels import LeafLabels
from lomtree.learner import Lesson
from lomtree.profiles import Likenesses
from lomtree.ranking import Ranking, make_bag, rank
from lomtree.regressor import SURE_SCORE
from lomtree.search import make_beam, search
from lomtree.walk import find_leaves, predict
from lomtree.weights import FULL, GROUP

_CHUNK = 256  # examples that are searched in one tree after the other


class TreeLearner(GrowingLearner):
    """The state of each has a tree and weights. `number` is its own among several trees."""

    state: Any

    number = 0

    @cached_property
    def _forerunner(self) -> Forerunner:
        return Forerunner()

    def learn_scaled(self, lesson: Lesson, count: int) -> None:
        if self.threads > 1:
            self._forerunner.run(self.state.weights, self.pool)
        super().learn_scaled(lesson, count)

    @property
    @abstractmethod
    def leaf_labels(self) -> LeafLabels:
        """What its leaves answer with."""

    def _predict_run(
        self, batch: Batch, begin: int, end: int, answers: np.ndarray, depths: np.ndarray
    ) -> None:
        predict(self.state.tree, self.state.weights, batch, begin, end, answers, depths)

    def _rank_run(self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking) -> None:
        rank_with([self], self.leaf_labels, self.likenesses, batch, begin, end, beam, ranking)

    def find_leaves(self, batch: Batch, count: int) -> np.ndarray:
        """The leaf (a node's number) where each of the first `count` examples ends."""
        leaves, depths = np.empty(count, np.int32), np.empty(count, np.int32)
        scaled = self.scaler.outline(batch, count)
        self.scaler.apply(batch, 0, count, scaled)
        find_leaves(self.state.tree, self.state.weights, scaled, 0, count, leaves, depths)
        return leaves

    @property
    def examples(self) -> int:
        return int(self.state.tree.counts["examples"][0])

    @property
    def largest_depth(self) -> int:
        return int(self.state.tree.counts["depth"][0])

    @property
    def internal_nodes(self) -> int:
        return int(self.state.tree.counts["t"][0])

    @property
    def table_bits(self) -> int:
        return int(self.state.weights.size[0]).bit_length() - 1

    @property
    def table_load(self) -> float:
        """The part of the weight table that holds weights."""
        slots, lines = self.state.weights.size
        return float(lines * GROUP / slots)

    @property
    def table_crowded(self) -> bool:
        """Whether the table should double, but may not."""
        return self.table_load > FULL and self.table_bits == self.options.bits

    def summary(self) -> list[tuple[str, str]]:
        crowded = ": crowded, a larger -b would help" if self.table_crowded else ""
        return [
            ("internal nodes", f"{self.internal_nodes:,}"),
            ("weight table", f"2^{self.table_bits} slots, {self.table_load:.0%} in use{crowded}"),
        ]


def rank_with(
    trees: list[TreeLearner],
    leaf_labels: LeafLabels,
    likenesses: Likenesses,
    batch: Batch,
    begin: int,
    end: int,
    width: int,
    ranking: Ranking,
) -> None:
    """Search each of the trees for the examples begin:end, and rank the labels of all leaves found.
    `leaf_labels` are those of all trees, joined."""
    beam, bag = make_beam(width), make_bag(width * len(trees))
    leaves = np.empty((min(_CHUNK, end - begin), width * len(trees)), np.int64)
    masses = np.empty(leaves.shape)
    for first in range(begin, end, _CHUNK):
        last = min(first + _CHUNK, end)
        nodes_before = 0
        for number, tree in enumerate(trees):
            stretch = 1.0 if tree.options.loss == "logistic" else SURE_SCORE
            search(
                tree.state.tree, tree.state.weights, batch, first, last, stretch, beam,
                nodes_before, number * width, leaves, masses, ranking.asked,
            )  # fmt: skip
            nodes_before += int(tree.state.tree.counts["nodes"][0])
        rank(leaf_labels, likenesses, batch, leaves, masses, first, last, bag, ranking)
