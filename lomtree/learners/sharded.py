"""One tree in parts: a top that was frozen, and a subtree below each of its leaves, the shards.

Each part was grown by itself and has a weight table of its own. From outside they are one tree: a
walk goes on from the top into a shard, and a search takes the best leaves of all shards that it
reaches. Such a tree predicts; it does not learn any more.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.core.errors import ModelError, OptionError, PredictOnlyError
from lomtree.core.execution import ONE_CORE
from lomtree.core.options import Options
from lomtree.examples.batch import Batch, Vector, pick, vector_of
from lomtree.jit.kernel import kernel
from lomtree.learners.lesson import Lesson
from lomtree.learners.registry import learner_of
from lomtree.learners.tree.beam_search import Beam, SearchRoom, offer, put, search_example
from lomtree.learners.tree.leaf_labels import KEPT, LeafLabels
from lomtree.learners.tree.learner import TreeLearner, store_trees, stretch_of
from lomtree.learners.tree.nodes import COUNTS, NODE, Tree, generations_of
from lomtree.learners.tree.structure import leaf_depths
from lomtree.learners.tree.walk import Router, descend
from lomtree.ranking.shortlist import Shortlist
from lomtree.storage.state_dict import StateDict

MOST_NODES = 2**31 - 2
TOP = 0  # the number of the top among the parts


def of_part(options: Options) -> Options:
    """The options of a part."""
    return replace(options, trees=1, shards=1, ranker=False)


class ShardedState(NamedTuple):
    tree: Tree  # of all parts
    parts: tuple[Any, ...]  # the state of each: the top, then the shards from left to right
    leaf_labels: LeafLabels  # of all parts
    part: np.ndarray  # int32[nodes]: the part that a node is in
    number: np.ndarray  # int32[nodes]: its number there
    shard_of: np.ndarray  # int64[nodes of the top]: of its leaves


@kernel
def reach_shards(router, batch, first, last, is_open, stretch, shard_of, beam, reach, asked):
    """Write the probability that each of the examples first:last that is open comes to each
    shard; 0 for the others."""
    for example in range(first, last):
        row = example - first
        for shard in range(reach.shape[1]):
            reach[row, shard] = 0.0
        if not is_open[row]:
            continue
        level, held, count = search_example(router, vector_of(batch, example), stretch, beam)
        asked[example] += count
        for place in range(held):
            reach[row, shard_of[beam.nodes[level, place]]] += beam.masses[level, place]


@kernel
def search_shard(router, batch, first, rows, masses, stretch, first_node, beam, best, held, asked):
    """Put the leaves that are found for some examples among the best of each. `first` is the
    example of row 0, `first_node` the number of the shard's first node in the whole tree."""
    for place in range(len(rows)):
        row, example = rows[place], first + rows[place]
        level, found, count = search_example(router, vector_of(batch, example), stretch, beam)
        asked[example] += count
        for leaf in range(found):
            v = first_node + beam.nodes[level, leaf]
            held[row] = put(best, row, held[row], v, masses[place] * beam.masses[level, leaf])


@kernel
def walk_shard(router, batch, first, rows, nodes, depths):
    """Walk some examples to leaves of a shard; their depths are added to."""
    for place in range(len(rows)):
        example = first + rows[place]
        leaf, steps = descend(router, vector_of(batch, example), router.tree.counts[0].root)
        nodes[example] = leaf
        depths[example] += steps


@kernel
def walk_top(router, batch, first, last, shard_of, shards, depths):
    for example in range(first, last):
        leaf, steps = descend(router, vector_of(batch, example), router.tree.counts[0].root)
        shards[example - first] = shard_of[leaf]
        depths[example] = steps


@kernel
def offer_best(router, kept, best, held, found, column):
    """Write the labels of the best leaves of each row."""
    for row in range(len(held)):
        for at in range(column, column + best.nodes.shape[1] * KEPT):
            found.labels[row, at] = NO_LABEL
        offer(router, kept, best, row, held[row], found, row, column)


def join(parts: tuple[Any, ...]) -> ShardedState:
    """The whole tree: the inner nodes of the top, then those of each shard."""
    top, shards = parts[TOP].tree, [state.tree for state in parts[TOP + 1 :]]
    upper = top.nodes[: top.counts["nodes"][0]]
    leaves, _depths = leaf_depths(upper, int(top.counts["root"][0]))
    if len(leaves) != len(shards):
        raise ModelError("its top has another number of leaves than it has shards")
    shard_of = np.zeros(len(upper), np.int64)
    shard_of[leaves] = np.arange(len(leaves))
    inner = np.flatnonzero(upper["left"] != NO_NODE)
    sizes = [int(tree.counts["nodes"][0]) for tree in shards]
    firsts = len(inner) + np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if firsts[-1] > MOST_NODES:
        raise ModelError("its shards have too many nodes")
    place = np.empty(len(upper), np.int64)  # of each node of the top in the whole tree
    place[inner] = np.arange(len(inner))
    place[leaves] = firsts[:-1] + [int(tree.counts["root"][0]) for tree in shards]
    nodes = np.zeros(int(firsts[-1]), NODE)
    nodes[: len(inner)] = upper[inner]
    for side in ("left", "right"):
        nodes[side][: len(inner)] = place[upper[side][inner]]
    for tree, first, size in zip(shards, firsts, sizes, strict=False):
        own = nodes[first : first + size]
        own[:] = tree.nodes[:size]
        for side in ("left", "right"):
            own[side] = np.where(own[side] == NO_NODE, NO_NODE, own[side] + first)
    nodes["generation"] = generations_of(len(nodes))
    part = np.concatenate([np.zeros(len(inner)), np.repeat(np.arange(len(shards)) + 1, sizes)])
    number = np.concatenate([inner, *map(np.arange, sizes)])
    counts = _counts_of(nodes, shards, int(place[top.counts["root"][0]]))
    tree = Tree(nodes, counts, np.zeros(0, np.int8))
    kept = [
        [np.repeat(parts[TOP + 1].leaf_labels[column][:1], len(inner), axis=0)]
        + [state.leaf_labels[column][:size] for state, size in zip(parts[1:], sizes, strict=True)]
        for column in range(len(LeafLabels._fields))
    ]
    labels = LeafLabels(*map(np.concatenate, kept))
    return ShardedState(
        tree, parts, labels, part.astype(np.int32), number.astype(np.int32), shard_of
    )


def _counts_of(nodes: np.ndarray, shards: list[Tree], root: int) -> np.ndarray:
    counts = np.zeros(1, COUNTS)
    counts["t"], counts["nodes"], counts["root"] = len(nodes) // 2, len(nodes), root
    counts["labels"] = max(int(tree.counts["labels"][0]) for tree in shards)
    for name in ("swaps", "examples"):
        counts[name] = sum(int(tree.counts[name][0]) for tree in shards)
    return counts


class ShardedTree(TreeLearner):
    state: ShardedState
    _parts: list[TreeLearner] | None = None

    def _new_state(self) -> ShardedState:
        raise OptionError("--shards needs workers: --workers N, or --scheduler ADDRESS")

    @property
    def parts(self) -> list[TreeLearner]:
        """The top and the shards, as trees of their own."""
        if self._parts is None:
            kind: Any = learner_of(self.options.algorithm)
            own, scales = of_part(self.options), self.scaler.scales
            self._parts = [kind(own, ONE_CORE, state, scales) for state in self.state.parts]
        return self._parts

    @property
    def leaf_labels(self) -> LeafLabels:
        return self.state.leaf_labels

    @property
    def router(self) -> Router:
        """Of the whole tree; its weights are those of the top."""
        return Router(self.state.tree, self.parts[TOP].router.weights)

    # Predicting.

    def confirm(
        self, batch: Batch, first: int, last: int, shortlist: Shortlist, asked: np.ndarray
    ) -> None:
        rows = np.flatnonzero(shortlist.guesses[: last - first] != NO_LABEL)
        some, (labels, depths) = pick(batch, first + rows), np.zeros((2, len(rows)), np.int32)
        self._predict_run(some, 0, len(rows), labels, depths)
        shortlist.is_open[rows] = labels != shortlist.guesses[rows]
        asked[first + rows] += depths

    def bound_confirm(
        self, one: Batch, shortlist: Shortlist, asked: np.ndarray
    ) -> Callable[[], Any]:
        return partial(self.confirm, one, 0, 1, shortlist, asked)

    def search(
        self, batch: Batch, first: int, last: int, is_open: np.ndarray, room: SearchRoom
    ) -> None:
        """The best leaves of all shards that the top may lead to."""
        column, beam, found, asked = room
        stretch, width, state = stretch_of(self.options), beam.nodes.shape[1], self.state
        top, *shards = self.parts
        reach = np.empty((last - first, len(shards)))
        place = (first, last, is_open, stretch, state.shard_of, beam, reach, asked)
        reach_shards(top.router, batch, *place)
        best = Beam(np.empty((last - first, width), np.int64), np.empty((last - first, width)))
        held, first_node = np.zeros(last - first, np.int64), top.internal_nodes
        for number, shard in enumerate(shards):
            rows = np.flatnonzero(reach[:, number])
            if len(rows):
                masses = reach[rows, number]
                search_shard(
                    shard.router, batch, first, rows, masses, stretch, first_node, beam, best,
                    held, asked,
                )  # fmt: skip
            first_node += len(shard.nodes)
        offer_best(self.router, self.leaf_labels, best, held, found, column)

    def bound_search(self, one: Batch, is_open: np.ndarray, room: SearchRoom) -> Callable[[], Any]:
        return partial(self.search, one, 0, 1, is_open, room)

    def bound_walk(
        self, one: Batch, predictions: np.ndarray, depths: np.ndarray
    ) -> Callable[[], Any]:
        return partial(self._predict_run, one, 0, 1, predictions, depths)

    def _walk(
        self, scaled: Batch, begin: int, end: int, nodes: np.ndarray, depths: np.ndarray
    ) -> None:
        """Write the leaf (in the whole tree) where each of the examples begin:end ends."""
        top, *shards = self.parts
        chosen = np.empty(end - begin, np.int64)
        walk_top(top.router, scaled, begin, end, self.state.shard_of, chosen, depths)
        first_node = top.internal_nodes
        for number, shard in enumerate(shards):
            rows = np.flatnonzero(chosen == number)
            if len(rows):
                walk_shard(shard.router, scaled, begin, rows, nodes, depths)
                nodes[begin + rows] += first_node
            first_node += len(shard.nodes)

    def _predict_run(
        self, batch: Batch, begin: int, end: int, predictions: np.ndarray, depths: np.ndarray
    ) -> None:
        self._walk(batch, begin, end, predictions, depths)
        predictions[begin:end] = self.nodes["label"][predictions[begin:end]]

    def find_leaves(self, batch: Batch, count: int) -> np.ndarray:
        nodes, depths = np.empty((2, count), np.int32)
        scaled = self.scaler.outline(batch, count)
        self.scaler.apply(batch, 0, count, scaled)
        self._walk(scaled, 0, count, nodes, depths)
        return nodes

    # What can be seen of the tree.

    def step(self, node: int, vector: Vector) -> tuple[float, int]:
        part = self.parts[int(self.state.part[node])]
        own = int(self.state.number[node])
        h, child = part.step(own, vector)
        side = "left" if child == part.nodes["left"][own] else "right"
        return h, int(self.nodes[side][node])

    def weights_at(self, node: int, features: np.ndarray) -> np.ndarray:
        part = self.parts[int(self.state.part[node])]
        return part.weights_at(int(self.state.number[node]), features)

    def cell_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """The cells of all tables, that of the top first."""
        cells, weights, first = [], [], 0
        for part in self.parts:
            own, values = part.cell_weights()
            cells.append(own + first)
            weights.append(values)
            first += 1 << part.table_bits
        return np.concatenate(cells), np.concatenate(weights)

    def weights_summary(self) -> dict[str, Any]:
        """Of all tables."""
        each = [part.weights_summary() for part in self.parts]
        cells = sum(one["cells"] for one in each)
        mean = {
            name: sum(one[name] * one["cells"] for one in each) / cells
            for name in ("load", "sharing")
        }
        return {"cells": cells, **mean}

    def summary(self) -> list[tuple[str, str]]:
        examples = [part.examples for part in self.parts[TOP + 1 :]]
        mean = sum(examples) / len(examples)
        bits = [part.table_bits for part in self.parts]
        crowded = any(part.table_crowded for part in self.parts)
        return [
            ("internal nodes", f"{self.internal_nodes:,}"),
            ("shards", f"{len(examples)}, the largest {max(examples) / max(mean, 1):.2f} of mean"),
            (
                "weight tables",
                f"2^{min(bits)} to 2^{max(bits)} weights"
                + (": some are crowded, a larger -b would help" if crowded else ""),
            ),
        ]

    def learn_scaled(self, lesson: Lesson, begin: int, end: int) -> None:
        self._learn_run(lesson, begin, end)

    def _make_scratch(self, length: int) -> Any: ...

    def _learn_run(self, lesson: Lesson, begin: int, end: int) -> int:
        raise PredictOnlyError("a tree in shards cannot be trained further")

    def _grow(self, label: int) -> None: ...

    # To a file and back.

    def store_state(self, state_dict: StateDict, predict_only: bool) -> None:
        store_trees(self.parts, state_dict, predict_only)

    @classmethod
    def load_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> ShardedState:
        if learning:
            raise PredictOnlyError("it was trained in shards, so its training cannot go on")
        parts = len(state_dict.header["trees"])
        if not 2 <= parts <= options.shards + 1:
            raise ModelError("it has another number of shards than it says")
        kind, own = learner_of(options.algorithm), of_part(options)
        return join(
            tuple(
                kind.load_state(own, state_dict.tree(number), label_count, learning=False)
                for number in range(parts)
            )
        )

    @classmethod
    def check_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> None:
        """To be joined is part of what is asked of the shards, and costs little."""
        cls.load_state(options, state_dict, label_count, learning)
