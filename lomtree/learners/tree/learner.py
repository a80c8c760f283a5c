"""What the learners that walk down a tree have in common."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.constants import BEAM
from lomtree.core.execution import ONE_CORE, Execution
from lomtree.core.options import Options
from lomtree.examples.batch import Batch, Vector, longest, part
from lomtree.features.scaling import Scales
from lomtree.jit.binding import bind
from lomtree.learners.base import Depths
from lomtree.learners.growing import GrowingLearner
from lomtree.learners.lesson import Lesson
from lomtree.learners.tree.beam_search import Beam, SearchRoom, SearchSettings, make_beam, search
from lomtree.learners.tree.leaf_labels import KEPT, LeafLabels
from lomtree.learners.tree.structure import leaf_depths
from lomtree.learners.tree.walk import Arrivals, Router, child, confirm, find_leaves, predict
from lomtree.linear.hashed_weights import BLOCK, GROW_AT, offset_of, sharing
from lomtree.linear.prefault import Prefaulter
from lomtree.linear.update import score, threshold_score
from lomtree.ranking.combination import Combination
from lomtree.ranking.ranker import Ranker
from lomtree.ranking.ranking import (
    Candidates,
    FoundLabels,
    Ranking,
    Scorer,
    find_candidates,
    make_found,
    make_scratch,
    rank,
)
from lomtree.ranking.shortlist import Shortlist, make_shortlist, may_answer_at_once, shorten
from lomtree.storage.state_dict import StateDict

CHUNK = 256  # examples that are searched in one tree after the other


class TreeLearner(GrowingLearner):
    """The state of each has a tree and weights. `number` is its own among several trees."""

    state: Any
    _router: Router | None = None  # that of the tree as it was last

    def __init__(
        self,
        options: Options,
        execution: Execution = ONE_CORE,
        state: Any = None,
        scales: Scales | None = None,
        ranker: Ranker | None = None,
        combination: Combination | None = None,
        number: int = 0,
    ) -> None:
        super().__init__(options, execution, state, scales, ranker, combination)
        self.number = number

    @cached_property
    def _finder(self) -> "Finder":
        return Finder(1)

    @cached_property
    def _prefaulter(self) -> Prefaulter:
        return Prefaulter()

    def learn_scaled(self, lesson: Lesson, begin: int, end: int) -> None:
        if self.execution.threads > 1:
            self._prefaulter.run(self.state.weights, self.pool)
        super().learn_scaled(lesson, begin, end)

    @property
    def router(self) -> Router:
        if self._router is None or self._router.tree is not self.state.tree:
            self._router = Router(self.state.tree, self.state.weights)
        return self._router

    @property
    @abstractmethod
    def leaf_labels(self) -> LeafLabels:
        """What its leaves offer; empty where each of them is one label's."""

    def _predict_run(
        self, batch: Batch, begin: int, end: int, predictions: np.ndarray, depths: np.ndarray
    ) -> None:
        predict(self.router, batch, begin, end, predictions, depths)

    def _rank_run(self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking) -> None:
        rank_with([self], self.scorer, batch, begin, end, beam, ranking)

    def _search(self, scaled: Batch, example: int) -> FoundLabels:
        return self._finder.search([self], scaled, example, example + 1)

    def _compare(self, scaled: Batch, example: int, found: FoundLabels) -> tuple[Candidates, int]:
        return self._finder.compare(self.scorer, scaled, example, found)

    def confirm(
        self, batch: Batch, first: int, last: int, shortlist: Shortlist, asked: np.ndarray
    ) -> None:
        """Walk with those of the examples first:last for which there are guesses; see walk."""
        confirm(*self._confirm_arguments(batch, first, last, shortlist, asked))

    def bound_confirm(
        self, one: Batch, shortlist: Shortlist, asked: np.ndarray
    ) -> Callable[[], Any]:
        """A call of confirm() for a batch of one example, which costs next to nothing itself."""
        return bind(confirm, *self._confirm_arguments(one, 0, 1, shortlist, asked))

    def _confirm_arguments(
        self, batch: Batch, first: int, last: int, shortlist: Shortlist, asked: np.ndarray
    ) -> tuple[Any, ...]:
        return self.router, batch, first, last, shortlist.guesses, shortlist.is_open, asked

    def search(
        self, batch: Batch, first: int, last: int, is_open: np.ndarray, room: SearchRoom
    ) -> None:
        """Write the labels found for those of the examples first:last that are open, whose values
        are scaled; see beam_search."""
        search(*self._search_arguments(batch, first, last, is_open, room))

    def bound_search(self, one: Batch, is_open: np.ndarray, room: SearchRoom) -> Callable[[], Any]:
        """The same for search()."""
        return bind(search, *self._search_arguments(one, 0, 1, is_open, room))

    def _search_arguments(
        self, batch: Batch, first: int, last: int, is_open: np.ndarray, room: SearchRoom
    ) -> tuple[Any, ...]:
        column, *places = room
        settings = SearchSettings(stretch_of(self.options), column)
        return self.router, self.leaf_labels, batch, first, last, is_open, settings, *places

    def bound_walk(
        self, one: Batch, predictions: np.ndarray, depths: np.ndarray
    ) -> Callable[[], Any]:
        """The same for predict()."""
        return bind(predict, self.router, one, 0, 1, predictions, depths)

    @property
    def labels_seen(self) -> int:
        return int(self.state.tree.counts["labels"][0])

    def _has_seen(self, label: int) -> bool:
        return label < self.labels_seen

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

    def cell_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """The cells of the table whose weight is not 0, and their weights."""
        weights = self.state.weights.table[: int(self.state.weights.size[0]), 0]
        cells = np.flatnonzero(weights)
        return cells, weights[cells]

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


def store_trees(trees: Iterable[TreeLearner], state_dict: StateDict, predict_only: bool) -> None:
    """Add the states of several trees to the state dict of a model, one after the other."""
    stored = []
    for tree in trees:
        stored.append(StateDict({}, {}))
        tree.store_state(stored[-1], predict_only)
    state_dict.add_trees(stored)


def stretch_of(options: Options) -> float:
    """What scores are multiplied by to be read as those of the logistic loss."""
    if options.loss == "logistic":
        return 1.0
    return threshold_score(ALGORITHMS[options.algorithm].gradient_threshold)


def search_with(
    trees: list[TreeLearner],
    batch: Batch,
    first: int,
    last: int,
    is_open: np.ndarray,
    beam: Beam,
    found: FoundLabels,
    asked: np.ndarray,
) -> None:
    """Search each of the trees for those of the examples first:last that are open."""
    columns = len(beam.nodes[0]) * KEPT
    for number, tree in enumerate(trees):
        room = SearchRoom(number * columns, beam, found, asked)
        tree.search(batch, first, last, is_open, room)


def rank_with(
    trees: list[TreeLearner],
    scorer: Scorer,
    batch: Batch,
    begin: int,
    end: int,
    width: int,
    ranking: Ranking,
) -> None:
    """Search each of the trees for the examples begin:end, and rank the labels found."""
    beam, columns, top = make_beam(width), width * len(trees) * KEPT, ranking.labels.shape[1]
    scratch = make_scratch(columns, top, longest(batch, begin, end))
    found = make_found(min(CHUNK, end - begin), columns)
    shortlist = make_shortlist(min(CHUNK, end - begin), top)
    at_once = may_answer_at_once(trees[0].labels_seen, top)
    for first in range(begin, end, CHUNK):
        last = min(first + CHUNK, end)
        shorten(scorer, batch, first, last, at_once, scratch, shortlist, ranking)
        if scorer.ranked and at_once:
            trees[0].confirm(batch, first, last, shortlist, ranking.asked)
        search_with(trees, batch, first, last, shortlist.is_open, beam, found, ranking.asked)
        rank(scorer, batch, found, shortlist, first, last, at_once, scratch, ranking)


class Finder:
    """Finds the candidates of examples, of so many at once at most, in so many trees. What was
    found may be compared later, and in another thread: when the ranker has learned as much as trees
    had when they were searched. It keeps no tree alive."""

    def __init__(self, trees: int, rows: int = 1) -> None:
        self._beam, self._columns = make_beam(BEAM), BEAM * trees * KEPT
        self._is_open, self._asked = np.ones(rows, np.bool_), np.zeros(rows, np.int32)
        self._scratch = make_scratch(self._columns, 1, 0)
        self._shortlist, self._ranking = make_shortlist(rows, 1), Ranking.of(rows, 1)

    def search(self, trees: list[TreeLearner], batch: Batch, first: int, last: int) -> FoundLabels:
        """The labels that trees find for the examples first:last as they are now."""
        some, found = part(batch, first, last), make_found(last - first, self._columns)
        rows = (0, last - first, self._is_open)
        search_with(trees, some, *rows, self._beam, found, self._asked)
        return found

    def compare(
        self, scorer: Scorer, batch: Batch, example: int, found: FoundLabels
    ) -> tuple[Candidates, int]:
        """The candidates of one example."""
        return next(self.compare_each(scorer, batch, example, example + 1, found))

    def compare_each(
        self, scorer: Scorer, batch: Batch, first: int, last: int, found: FoundLabels
    ) -> Iterator[tuple[Candidates, int]]:
        """The candidates of each of these examples, compared, and their number; they live until the
        next ones are."""
        some, count = part(batch, first, last), last - first
        features = longest(some, 0, count)
        if features > len(self._scratch.sizes):
            self._scratch = make_scratch(self._columns, 1, 2 * features)
        scratch, shortlist = self._scratch, self._shortlist
        shorten(scorer, some, 0, count, False, scratch, shortlist, self._ranking)
        for row in range(count):
            vector = Vector(some.features, some.values, *some.starts[row : row + 2].tolist())
            compared = find_candidates(scorer, vector, found, shortlist, row, scratch, False)
            yield scratch.candidates, compared
