"""Several trees over one stream, as one learner: their distributions are summed.

The first is what it would be alone. The others differ by chance: a LOMtree in the side that it
prefers for a label new to a node, the trees over the labels in the order of the labels.
"""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from lomtree.algorithms import learner_for
from lomtree.batch import Batch
from lomtree.leaf_labels import LeafLabels, joined
from lomtree.learner import Learner, Lesson
from lomtree.options import Options
from lomtree.parts import Parts
from lomtree.profiles import Likenesses, no_likenesses
from lomtree.ranking import Ranking
from lomtree.tree_learner import TreeLearner, rank_with


def _members(options: Options) -> list[Options]:
    """The options of each tree."""
    return [
        replace(options, trees=1, profiles=False, seed=(options.seed + number) % 2**63)
        for number in range(options.trees)
    ]


class Forest(Learner):
    """Its state is that of its trees, one after the other; all see the same scaled values."""

    trees: list[TreeLearner]

    @property
    def state(self) -> Any:
        return tuple(tree.state for tree in self.trees)

    @state.setter
    def state(self, states: Any) -> None:
        self._leaf_labels: LeafLabels | None = None
        self.trees = []
        for number, (member, state) in enumerate(zip(_members(self.options), states, strict=True)):
            tree = cast(TreeLearner, learner_for(member)(member, state, self.scaler.scales))
            tree.number = number
            self.trees.append(tree)

    def _new_state(self) -> Any:
        return (None,) * self.options.trees

    def learn_scaled(self, lesson: Lesson, count: int) -> None:
        """Every tree learns by itself, on as many cores as there may be. The answer is that of most
        trees, of the first one if none has most; the depth is that of the first tree."""
        self._leaf_labels = None
        several = np.empty((2, len(self.trees), count), np.int32)
        jobs = []
        for tree, options, given, at in zip(
            self.trees, _members(self.options), *several, strict=True
        ):
            tree.options = options
            own = lesson._replace(answers=given, depths=at)
            jobs.append(self.pool.submit(tree.learn_scaled, own, count))
        for job in jobs:
            job.result()
        given, at = several
        votes = (given[:, None] == given[None]).sum(axis=0)
        lesson.answers[:count] = np.take_along_axis(given, votes.argmax(axis=0)[None], axis=0)[0]
        lesson.depths[:count] = at[0]

    def _predict_run(
        self, batch: Batch, begin: int, end: int, answers: np.ndarray, depths: np.ndarray
    ) -> None:
        """One walk in each tree; the depth is the mean of theirs."""
        ranking = Ranking.of(end, 1)
        self._rank(batch, begin, end, 1, ranking, no_likenesses())
        answers[begin:end] = ranking.labels[begin:, 0]
        depths[begin:end] = ranking.asked[begin:] // len(self.trees)

    def _rank_run(self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking) -> None:
        self._rank(batch, begin, end, beam, ranking, self.likenesses)

    def _rank(
        self,
        batch: Batch,
        begin: int,
        end: int,
        beam: int,
        ranking: Ranking,
        likenesses: Likenesses,
    ) -> None:
        if self._leaf_labels is None:
            self._leaf_labels = joined([tree.leaf_labels for tree in self.trees])
        rank_with(self.trees, self._leaf_labels, likenesses, batch, begin, end, beam, ranking)

    @property
    def examples(self) -> int:
        return self.trees[0].examples

    @property
    def largest_depth(self) -> int:
        return max(tree.largest_depth for tree in self.trees)

    def summary(self) -> list[tuple[str, str]]:
        return [
            (f"tree {number}", ", ".join(f"{name} {value}" for name, value in tree.summary()))
            for number, tree in enumerate(self.trees)
        ]

    def store_state(self, parts: Parts, predict_only: bool) -> None:
        trees = [Parts({}, {}) for _ in self.trees]
        for tree, part in zip(self.trees, trees, strict=True):
            tree.store_state(part, predict_only)
        parts.add_trees(trees)

    @classmethod
    def load_state(cls, options: Options, parts: Parts, label_count: int, learning: bool) -> Any:
        return tuple(
            learner_for(member).load_state(member, parts.tree(number), label_count, learning)
            for number, member in enumerate(_members(options))
        )
