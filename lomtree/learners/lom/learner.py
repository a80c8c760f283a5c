"""The LOMtree as a learner: the arrays of Algorithm 1, grown when they are full."""

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from math import inf

import numpy as np

from lomtree.core.options import Options
from lomtree.learners.lesson import Lesson
from lomtree.learners.lom import statistics
from lomtree.learners.lom.eviction import DECAY, KEEP_SHARE, evict
from lomtree.learners.lom.lesson import learn, most_statistics
from lomtree.learners.lom.path_prefetch import make_paths, with_label
from lomtree.learners.lom.state import Growth, LomScratch, LomSettings, LomState
from lomtree.learners.tree import leaf_labels
from lomtree.learners.tree.leaf_labels import (
    LeafLabels,
    load_leaf_labels,
    make_leaf_labels,
    store_leaf_labels,
)
from lomtree.learners.tree.learner import TreeLearner
from lomtree.learners.tree.nodes import (
    Tree,
    generations_of,
    load_tree,
    make_tree,
    store_tree,
    with_room,
)
from lomtree.linear.hashed_weights import (
    check_weights,
    decay,
    load_weights,
    make_weights,
    store_weights,
)
from lomtree.linear.update import LARGEST_SCORE, rule_of
from lomtree.storage.state_dict import StateDict
from lomtree.system.threads import leave_signals

_LEARNING_COLUMNS = ("parent", "labels", "C", "m", "n", "l_max", "recycled")  # of the nodes

SETTLING = 3.0  # see opinion() in algorithm1
TIE_BREAK_NOISE = 0.1  # of all trees but the first, which is Algorithm 1 without it


class LomLearner(TreeLearner):
    state: LomState

    def _new_state(self) -> LomState:
        tree, adaptive = make_tree(), self.options.update == "adaptive"
        return LomState(
            tree,
            statistics.make_statistics(),
            make_weights(self.options.bits, adaptive),
            make_leaf_labels(len(tree.nodes)),
        )

    def _make_scratch(self, length: int) -> LomScratch:
        paths = make_paths(0) if self._scratch is None else self._scratch.paths
        return LomScratch(np.empty(length, np.float32), paths)

    @property
    def _growth(self) -> Growth:
        options = self.options
        return Growth(
            int(options.max_nodes),
            float(options.nodes_per_class),
            int(options.classes),
            float(options.swap_resistance),
            float(options.min_impurity),
            int(options.max_statistics),
            inf if options.paper else SETTLING,
            LARGEST_SCORE if options.paper else 1.0,
            TIE_BREAK_NOISE if self.number else 0.0,
            options.seed,
        )

    def _learn_run(self, lesson: Lesson, begin: int, end: int) -> int:
        return learn(self.state, self._settings, self._scratch, lesson, begin, end)

    def reconfigure(self, options: Options) -> None:
        super().reconfigure(options)
        self.__dict__.pop("_settings", None)

    @cached_property
    def _settings(self) -> LomSettings:
        return LomSettings(self._growth, rule_of(self.options))

    def _grow(self, label: int) -> None:
        """Make room for more nodes and statistics; those of recycled nodes are dropped."""
        tree, table, _weights, kept = self.state
        count = tree.counts[0]
        self._scratch = self._scratch._replace(paths=with_label(self._scratch.paths, label))
        if count["nodes"] + 2 > len(tree.nodes):
            tree = with_room(tree, int(count["nodes"]) + 2)
            kept = leaf_labels.with_room(kept, len(tree.nodes))
        more = int(count["depth"]) + 2
        most = most_statistics(self._growth, more)
        full = count["living"] + more > most
        if full or not statistics.has_room(table, count["rows"], more):
            table = self._rebuilt(tree, table, int(KEEP_SHARE * most) - more if full else None)
        self.state = self.state._replace(tree=tree, statistics=table, leaf_labels=kept)

    def _rebuilt(self, tree: Tree, table: np.ndarray, keep: int | None) -> np.ndarray:
        """The living statistics, the `keep` best of them at most, in a table with room for more.

        Generations are numbered anew: each swap takes two, and a long run would use them up.
        """
        count = tree.counts[0]
        more = int(count["depth"]) + 2
        nodes = tree.nodes[: count["nodes"]]
        number_of = np.zeros(count["generations"] + 1, np.int32)
        number_of[nodes["generation"]] = np.arange(1, len(nodes) + 1)
        if keep is not None:
            evict(table, number_of, nodes, keep)
            decay(self.state.weights, np.float32(DECAY))
        count["living"] = nodes["labels"].sum()
        most = most_statistics(self._growth, more)
        rows = statistics.rows_for(int(count["living"]) + more, most)
        cores = self.pool if self.execution.threads > 1 else None
        renewed, generations = np.zeros_like(number_of), generations_of(len(nodes))
        renewed[nodes["generation"]] = generations
        target, count["rows"] = statistics.rebuilt(table, renewed, rows, cores)
        nodes["generation"] = generations
        count["generations"] = generations[-1]
        return target

    @property
    def leaf_labels(self) -> LeafLabels:
        return self.state.leaf_labels

    def _statistics_in_order(self) -> statistics.Listed:
        counts = self.state.tree.counts
        living, labels = int(counts["living"][0]), int(counts["labels"][0])
        return statistics.in_order(self.state.statistics, self.nodes["generation"], living, labels)

    @property
    def _has_statistics(self) -> bool:
        return bool(self.state.tree.counts["rows"][0])

    def leaf_statistics(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        if not self._has_statistics:
            return None
        return statistics.of_leaves(self.state.statistics, self.nodes)

    def leaf_weights(self) -> np.ndarray | None:
        return self.nodes["n"] if self._has_statistics else None

    def summary(self) -> list[tuple[str, str]]:
        nodes, *others = super().summary()
        return [(nodes[0], f"{nodes[1]}, {self.swaps:,} swaps"), *others]

    def store_state(self, state_dict: StateDict, predict_only: bool) -> None:
        """Statistics are sorted while weights are written."""
        tree, table, weights, kept = self.state
        ordered = ThreadPoolExecutor(1, initializer=leave_signals).submit(self._statistics_in_order)
        store_tree(tree, state_dict, () if predict_only else _LEARNING_COLUMNS)
        store_weights(weights, state_dict, predict_only)
        store_leaf_labels(kept, self.nodes, state_dict)
        if not predict_only:
            living = int(tree.counts["living"][0])
            generations = self.nodes["generation"]
            state_dict.arrays |= statistics.to_arrays(table, generations, living, ordered.result)

    @classmethod
    def load_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> LomState:
        """Weights are read and put in their places beside the rest."""
        with ThreadPoolExecutor(1, initializer=leave_signals) as beside:
            weights = beside.submit(load_weights, state_dict, options, learning)
            tree, listed = _load_tree(state_dict, label_count, learning)
            table = statistics.make_statistics()
            if listed is not None:
                generations = tree.nodes["generation"]
                table = statistics.table_of(listed, generations, options.max_statistics)
            kept = load_leaf_labels(state_dict, tree.nodes, label_count)
            return LomState(tree, table, weights.result(), kept)

    @classmethod
    def check_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> None:
        tree, _listed = _load_tree(state_dict, label_count, learning)
        check_weights(state_dict, options, learning)
        load_leaf_labels(state_dict, tree.nodes, label_count)


def _load_tree(
    state_dict: StateDict, label_count: int, learning: bool
) -> tuple[Tree, statistics.Columns | None]:
    """The tree, and its statistics where they are needed or there."""
    counted = learning or "statistics.label" in state_dict.arrays
    tree = load_tree(state_dict, _LEARNING_COLUMNS if counted else (), label_count)
    if not counted:
        return tree, None
    listed = statistics.check(state_dict, tree.nodes["labels"], int(tree.counts["labels"][0]))
    tree.counts["rows"] = tree.counts["living"] = len(listed["label"])
    return tree, listed
