"""A LOMtree that learns: the arrays of Algorithm 1 and its regressors, grown when they are full."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lomtree import tallies
from lomtree.batch import Batch
from lomtree.nodes import COUNTS, NO_LABEL, NODE, NONE, Growth, Scratch, Tree
from lomtree.options import LOSSES, Options
from lomtree.regressor import FULL, GROUP, Rule, Weights, make_weights
from lomtree.scaling import Scales, make_scales
from lomtree.tree import learn, predict

FIRST_NODES = 1 << 10
WORTH_A_THREAD = 256  # examples


class State(NamedTuple):
    """All that training changes."""

    tree: Tree
    weights: Weights
    scales: Scales


def new_state(options: Options) -> State:
    nodes = np.zeros(FIRST_NODES, NODE)
    nodes[0] = (NONE, NONE, NONE, NO_LABEL, 1, 0, 0.0, 0.0, 0.0, 0.0, 0, NONE)
    counts = np.zeros(1, COUNTS)
    counts["nodes"] = counts["generations"] = 1
    adaptive = options.update == "adaptive"
    return State(
        Tree(nodes, tallies.make_tallies(), counts, np.zeros(FIRST_NODES, np.int8)),
        make_weights(options.bits, adaptive),
        make_scales(adaptive),
    )


class Learner:
    """`threads` is how many cores predict() may use; learning is one example after the other."""

    def __init__(self, options: Options, state: State | None = None) -> None:
        self.options = options
        self.threads = 1
        self._pool: ThreadPoolExecutor | None = None
        self.state = state or new_state(options)
        self._scratch = _make_scratch(0)

    @property
    def _rule(self) -> Rule:
        options = self.options
        return Rule(
            LOSSES.index(options.loss),
            options.update == "adaptive",
            float(options.learning_rate),
            float(options.power_t),
            float(options.clip),
        )

    @property
    def _growth(self) -> Growth:
        options = self.options
        return Growth(
            int(options.max_nodes), float(options.nodes_per_class), float(options.swap_resistance)
        )

    def learn(self, batch: Batch, count: int, answers: np.ndarray, depths: np.ndarray) -> None:
        """Learn from the first `count` examples of a batch.

        `answers` gets what would have been predicted just before each was learned (but with its
        values counted in their scales), `depths` the depth of the leaf that each was put in.
        """
        scratch, rule, growth = self._room_for(batch, count), self._rule, self._growth
        done = 0
        while True:
            tree, weights, scales = self.state
            done = learn(
                tree, weights, scales, growth, rule, scratch, batch, done, count, answers, depths
            )
            if done == count:
                return
            self._grow()

    def predict(self, batch: Batch, count: int, answers: np.ndarray, depths: np.ndarray) -> None:
        """Answer the first `count` examples of a batch: label numbers and depths of the leaves.

        Each of the threads takes a run of them; the answers are the same with any number.
        """
        edges = np.linspace(0, count, self.threads + 1).astype(np.int64)
        runs = [(begin, end) for begin, end in pairwise(edges) if begin < end]
        if len(runs) <= 1 or count < WORTH_A_THREAD:
            self._predict_run(batch, 0, count, answers, depths)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads)
        for job in [
            self._pool.submit(self._predict_run, batch, begin, end, answers, depths)
            for begin, end in runs
        ]:
            job.result()

    def _predict_run(
        self, batch: Batch, begin: int, end: int, answers: np.ndarray, depths: np.ndarray
    ) -> None:
        tree, weights, scales = self.state
        scratch = _make_scratch(_longest(batch, begin, end))
        predict(tree, weights, scales, scratch, batch, begin, end, answers, depths)

    @property
    def examples(self) -> int:
        """How many examples were learned, passes counted."""
        return int(self.state.tree.counts["examples"][0])

    @property
    def internal_nodes(self) -> int:
        return int(self.state.tree.counts["t"][0])

    @property
    def swaps(self) -> int:
        return int(self.state.tree.counts["swaps"][0])

    @property
    def largest_depth(self) -> int:
        """Of the deepest leaf there ever was."""
        return int(self.state.tree.counts["depth"][0])

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

    def _room_for(self, batch: Batch, count: int) -> Scratch:
        longest = _longest(batch, 0, count)
        if longest > len(self._scratch.x):
            self._scratch = _make_scratch(2 * longest)
        return self._scratch

    def _grow(self) -> None:
        """Make room for more nodes and tallies; what recycled nodes have forgotten is dropped."""
        nodes, table, counts, members = self.state.tree
        count = counts[0]
        if count["nodes"] + 2 > len(nodes):
            nodes = np.concatenate([nodes, np.zeros(len(nodes), NODE)])
            members = np.concatenate([members, np.zeros(len(members), np.int8)])
        if not tallies.has_room(table, count["tallies"], count["depth"] + 2):
            alive = np.zeros(count["generations"] + 1, np.bool_)
            alive[nodes["generation"][: count["nodes"]]] = True
            living = int(np.count_nonzero(alive[table["generation"]]))
            target = tallies.make_tallies(tallies.rows_for(living + count["depth"] + 2))
            count["tallies"] = tallies.move_living(table, alive, target)
            table = target
        self.state = self.state._replace(tree=Tree(nodes, table, counts, members))


def _longest(batch: Batch, begin: int, end: int) -> int:
    """The most features that one of these examples has."""
    return int(np.diff(batch.starts[begin : end + 1]).max(initial=0))


def _make_scratch(length: int) -> Scratch:
    return Scratch(np.empty(length, np.float32), np.empty(length, np.float32))
