"""Several trees over one stream, as one learner: their distributions are summed.

The first is what it would be alone. The others differ by chance: a LOMtree by tie-break noise for a
label new to a node, the trees over the labels by the order of the labels.
"""

from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from lomtree.core.options import Options
from lomtree.examples.batch import Batch
from lomtree.learners.base import Depths, Learner
from lomtree.learners.lesson import Lesson
from lomtree.learners.registry import learner_of
from lomtree.learners.sharded import ShardedTree
from lomtree.learners.tree.learner import Finder, TreeLearner, rank_with, store_trees
from lomtree.ranking.combination import FIRST
from lomtree.ranking.ranking import Candidates, FoundLabels, Ranking, no_ranker
from lomtree.storage.state_dict import StateDict


def _member_options(options: Options) -> list[Options]:
    """The options of each tree."""
    return [
        replace(options, trees=1, ranker=False, seed=(options.seed + number) % 2**63)
        for number in range(options.trees)
    ]


def _kind_of(options: Options) -> type[TreeLearner]:
    if options.shards > 1:
        return ShardedTree
    return cast(type[TreeLearner], learner_of(options.algorithm))


class Ensemble(Learner):
    """Its state is that of its trees, one after the other; all see the same scaled values."""

    trees: list[TreeLearner]

    @property
    def state(self) -> Any:
        return tuple(tree.state for tree in self.trees)

    @state.setter
    def state(self, states: Any) -> None:
        alone = self.execution._replace(threads=1)
        self.trees = []
        members = zip(_member_options(self.options), states, strict=True)
        for number, (options, state) in enumerate(members):
            kind = _kind_of(options)
            scales = self.scaler.scales
            self.trees.append(kind(options, alone, state, scales, number=number))

    @cached_property
    def _finder(self) -> Finder:
        return Finder(len(self.trees))

    @property
    def members(self) -> list[TreeLearner]:
        return self.trees

    def reconfigure(self, options: Options) -> None:
        super().reconfigure(options)
        for tree, own in zip(self.trees, _member_options(options), strict=True):
            tree.reconfigure(own)

    def _new_state(self) -> Any:
        return (None,) * self.options.trees

    def learn_scaled(self, lesson: Lesson, begin: int, end: int) -> None:
        """Every tree learns by itself, on as many cores as there may be. The prediction is that of
        most trees, of the first one if none has most; the depth is that of the first tree."""
        several = np.empty((2, len(self.trees), end), np.int32)
        jobs = []
        for number, (tree, predicted, depths) in enumerate(zip(self.trees, *several, strict=True)):
            rivals = lesson.rivals[number : number + 1]
            own = lesson._replace(predictions=predicted, depths=depths, rivals=rivals)
            jobs.append(self.pool.submit(tree.learn_scaled, own, begin, end))
        for job in jobs:
            job.result()
        predicted, depths = several[:, :, begin:]
        votes = (predicted[:, None] == predicted[None]).sum(axis=0)
        winners = np.take_along_axis(predicted, votes.argmax(axis=0)[None], axis=0)
        lesson.predictions[begin:end] = winners[0]
        lesson.depths[begin:end] = depths[0]

    def _predict_run(
        self, batch: Batch, begin: int, end: int, predictions: np.ndarray, depths: np.ndarray
    ) -> None:
        """One walk in each tree; the depth is the mean of theirs."""
        ranking = Ranking.of(end, 1)
        rank_with(self.trees, no_ranker(np.array(FIRST)), batch, begin, end, 1, ranking)
        predictions[begin:end] = ranking.labels[begin:, 0]
        depths[begin:end] = ranking.asked[begin:] // len(self.trees)

    def _rank_run(self, batch: Batch, begin: int, end: int, beam: int, ranking: Ranking) -> None:
        rank_with(self.trees, self.scorer, batch, begin, end, beam, ranking)

    def _search(self, scaled: Batch, example: int) -> FoundLabels:
        return self._finder.search(self.trees, scaled, example, example + 1)

    def _compare(self, scaled: Batch, example: int, found: FoundLabels) -> tuple[Candidates, int]:
        return self._finder.compare(self.scorer, scaled, example, found)

    def _has_seen(self, label: int) -> bool:
        return self.trees[0]._has_seen(label)

    @property
    def examples(self) -> int:
        return self.trees[0].examples

    def depths(self) -> Depths:
        """The mean is over all trees."""
        each = [tree.depths() for tree in self.trees]
        mean = sum(one.mean for one in each) / len(each)
        return Depths(mean, each[0].mean_over, max(one.largest for one in each))

    def weights_summary(self) -> dict[str, Any]:
        return self.trees[0].weights_summary()

    def summary(self) -> list[tuple[str, str]]:
        return [
            (f"tree {number}", ", ".join(f"{name} {value}" for name, value in tree.summary()))
            for number, tree in enumerate(self.trees)
        ]

    def store_state(self, state_dict: StateDict, predict_only: bool) -> None:
        store_trees(self.trees, state_dict, predict_only)

    @classmethod
    def load_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> Any:
        return tuple(
            _kind_of(member).load_state(member, state_dict.tree(number), label_count, learning)
            for number, member in enumerate(_member_options(options))
        )

    @classmethod
    def check_state(
        cls, options: Options, state_dict: StateDict, label_count: int, learning: bool
    ) -> None:
        for number, member in enumerate(_member_options(options)):
            tree = state_dict.tree(number)
            _kind_of(member).check_state(member, tree, label_count, learning)
