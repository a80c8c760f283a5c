"""What the learners that walk down a tree have in common."""

from typing import Any

import numpy as np

from lomtree.batch import Batch
from lomtree.learner import Learner, longest
from lomtree.walk import find_leaves, predict
from lomtree.weights import FULL, GROUP


class TreeLearner(Learner):
    """The state of each has a tree, weights and scales."""

    state: Any

    def _predict_run(
        self, batch: Batch, begin: int, end: int, answers: np.ndarray, depths: np.ndarray
    ) -> None:
        state, x = self.state, np.empty(longest(batch, begin, end), np.float32)
        predict(state.tree, state.weights, state.scales, x, batch, begin, end, answers, depths)

    def find_leaves(self, batch: Batch, count: int) -> np.ndarray:
        """The leaf (a node's number) where each of the first `count` examples ends."""
        state, leaves = self.state, np.empty(count, np.int64)
        x = np.empty(longest(batch, 0, count), np.float32)
        find_leaves(state.tree, state.weights, state.scales, x, batch, count, leaves)
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
