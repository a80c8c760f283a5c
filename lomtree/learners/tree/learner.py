"""What the learners that walk down a tree have in common."""

from abc import abstractmethod
from functools import cached_property
from math import exp, log
from typing import Any

import numpy as np

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.execution import ONE_CORE, Execution
from lomtree.core.options import Options
from lomtree.examples.batch import Batch, Vector
from lomtree.features.scaling import Scales
from lomtree.learners.base import Depths, Lesson
from lomtree.learners.growing import GrowingLearner
from lomtree.learners.tree.beam_search import SearchSettings, make_beam, search
from lomtree.learners.tree.structure import leaf_depths
from lomtree.learners.tree.walk import Arrivals, Router, child, find_leaves, predict
from lomtree.linear.hashed_weights import BLOCK, GROW_AT, offset_of
from lomtree.linear.prefault import Prefaulter
from lomtree.linear.update import score, threshold_score
from lomtree.ranking.centroids import Centroids
from lomtree.ranking.leaf_distribution import LeafLabels
from lomtree.ranking.ranking import Ranking, Scorer, make_bag, make_found, rank

_CHUNK = 256  # examples that are searched in one tree after the other


class TreeLearner(GrowingLearner):
    """The state of each has a tree and weights. `number` is its own among several trees."""

    state: Any

    def __init__(
        self,
        options: Options,
        execution: Execution = ONE_CORE,
        state: Any = None,
        scales: Scales | None = None,
        known_centroids: Centroids | None = None,
        number: int = 0,
    ) -> None:
        super().__init__(options, execution, state, scales, known_centroids)
        self.number = number

    @cached_property
    def _prefaulter(self) -> Prefaulter:
        return Prefaulter()

    def learn_scaled(self, lesson: Lesson, count: int) -> None:
        if self.execution.threads > 1:
            self._prefaulter.run(self.state.weights, self.pool)
        super().learn_scaled(lesson, count)

    @property
    def router(self) -> Router:
        return Router(self.state.tree, self.state.weights)

    @property
    @abstractmethod
    def leaf_labels(self) -> LeafLabels:
        """What its leaves predict."""

    def _predict_run(
        self, batch: Batch, begin: int, end: int, predictions: np.ndarray, depths: np.ndarray
    ) -> None:
        predict(self.router, batch, begin, end, predictions, depths)

    def _rank_run(self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking) -> None:
        scorer = Scorer(self.leaf_labels, self.weighted_centroids)
        rank_with([self], scorer, batch, begin, end, beam, ranking)

    # What can be seen of the tree.

    @property
    def nodes(self) -> np.ndarray:
        """NODE[nodes] (see nodes.py); to look at."""
        tree = self.state.tree
        return tree.nodes[: tree.counts["nodes"][0]]

    @property
    def root(self) -> int:
        return int(self.state.tree.counts["root"][0])

    @property
    def swaps(self) -> int:
        return int(self.state.tree.counts["swaps"][0])

    def leaf_statistics(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """(leaf, label, importance) of what came to each leaf since it is one; None where nothing
        is counted: in trees without statistics, and in models without theirs."""
        return None

    def leaf_weights(self) -> np.ndarray | None:
        """float64[nodes]: the importance of the examples in each leaf; None as above."""
        return None

    def find_leaves(self, batch: Batch, count: int) -> np.ndarray:
        """The leaf (a node's number) where each of the first `count` examples ends."""
        arrivals = Arrivals(np.empty(count, np.int32), np.empty(count, np.int32))
        scaled = self.scaler.outline(batch, count)
        self.scaler.apply(batch, 0, count, scaled)
        find_leaves(self.router, scaled, 0, count, arrivals)
        return arrivals.nodes

    def step(self, node: int, vector: Vector) -> tuple[float, int]:
        """The score of an example, scaled, in an inner node, and the child that it leads to."""
        h = score(self.state.weights, int(self.nodes["slot"][node]), vector)
        return h, int(child(self.state.tree.nodes, node, h))

    def weights_at(self, node: int, features: np.ndarray) -> np.ndarray:
        """The weights of these features in a node's regressor."""
        offset = int(offset_of(int(self.nodes["slot"][node])))
        cells = (features.astype(np.int64) * BLOCK + offset) & (int(self.state.weights.size[0]) - 1)
        return self.state.weights.table[cells, 0]

    def depths(self) -> Depths:
        leaves, depth = leaf_depths(self.nodes, self.root)
        weights = self.leaf_weights()
        if weights is None or not weights[leaves].any():
            return Depths(float(depth.mean()), "leaves", int(depth.max()))
        mean = np.average(depth, weights=weights[leaves])
        return Depths(float(mean), "examples", int(depth.max()))

    @property
    def examples(self) -> int:
        return int(self.state.tree.counts["examples"][0])

    @property
    def internal_nodes(self) -> int:
        return int(self.state.tree.counts["t"][0])

    @property
    def table_bits(self) -> int:
        return int(self.state.weights.size[0]).bit_length() - 1

    @property
    def table_load(self) -> float:
        """The part of the weight table that holds weights."""
        cells, lines = self.state.weights.size
        return float(lines * BLOCK / cells)

    @property
    def table_crowded(self) -> bool:
        """Whether the table should double, but may not."""
        return self.table_load > GROW_AT and self.table_bits == self.options.bits

    def weights_summary(self) -> dict[str, Any]:
        load = self.table_load
        return {"cells": 1 << self.table_bits, "load": load, "sharing": sharing(load)}

    def summary(self) -> list[tuple[str, str]]:
        crowded = ": crowded, a larger -b would help" if self.table_crowded else ""
        return [
            ("internal nodes", f"{self.internal_nodes:,}"),
            ("weight table", f"2^{self.table_bits} weights, {self.table_load:.0%} in use{crowded}"),
        ]


def sharing(load: float) -> float:
    """The share of the lines in use that belong to more than one feature, if hits are random.

    A share `load` of the lines in use means x = -ln(1 - load) hits a line on average, and of the
    lines that were hit x e^-x / (1 - e^-x) were hit once.
    """
    if not 0 < load < 1:
        return float(load >= 1)
    hits = -log(1 - load)
    return 1 - hits * exp(-hits) / load


def _stretch(options: Options) -> float:
    """What scores are multiplied by to be read as those of the logistic loss."""
    if options.loss == "logistic":
        return 1.0
    return threshold_score(ALGORITHMS[options.algorithm].gradient_threshold)


def rank_with(
    trees: list[TreeLearner],
    scorer: Scorer,
    batch: Batch,
    begin: int,
    end: int,
    width: int,
    ranking: Ranking,
) -> None:
    """Search each of the trees for the examples begin:end, and rank the labels of all leaves found.
    The scorer has the leaves of all trees."""
    beam, bag = make_beam(width), make_bag(width * len(trees))
    found = make_found(min(_CHUNK, end - begin), width * len(trees))
    for first in range(begin, end, _CHUNK):
        last = min(first + _CHUNK, end)
        nodes_before = 0
        for number, tree in enumerate(trees):
            settings = SearchSettings(_stretch(tree.options), nodes_before, number * width)
            search(tree.router, batch, first, last, settings, beam, found, ranking.asked)
            nodes_before += len(tree.nodes)
        rank(scorer, batch, found, first, last, bag, ranking)
