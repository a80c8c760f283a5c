"""The training of a model as tasks: which there are, and what each of them waits for.

How many workers there are, and when they do what, changes nothing: a task's result depends on its
arguments alone, and what they are depends on the data, the options and the number of shards.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from lomtree.cluster import shuffle, tasks
from lomtree.cluster.executors import Executor, Number
from lomtree.cluster.parsing import Facts, facts_of
from lomtree.cluster.pieces import Piece
from lomtree.cluster.roles import Shares
from lomtree.cluster.scratch import Scratch
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN, Reading
from lomtree.features.scale_sums import add_sums
from lomtree.model.assembly import Assembly, TreeParts
from lomtree.model.model import Model
from lomtree.storage.state_dict import StateDict

SHARD_BYTES = 256 << 20  # of its examples, if nobody says how many shards there are
FEWEST_SHARDS, MOST_SHARDS = 8, 256
_TOGETHER = 8  # sums that are added by one task


@dataclass
class Trained:
    """A model, and the examples that no tree has learned."""

    model: Model
    aside: list[Piece]
    held_out: list[Piece]


def default_shards(nbytes: int) -> int:
    """A power of two: so many that a shard's examples fit into SHARD_BYTES."""
    shards = FEWEST_SHARDS
    while shards < MOST_SHARDS and nbytes > shards * SHARD_BYTES:
        shards *= 2
    return shards


class Pipeline:
    """`shards` 0 is a number that fits the data; the top may have fewer leaves than asked for."""

    def __init__(
        self,
        executor: Executor,
        options: Options,
        passes: int,
        sample: int,
        shards: int = 0,
        scratch: Scratch | None = None,
        expect: Callable[[int], None] = lambda _total: None,
    ) -> None:
        self._executor = executor
        self._options = options
        self._passes = passes
        self._sample = sample
        self._shards = shards
        self._scratch = scratch
        self._expect = expect  # told how many examples there are to learn

    def facts(self, parsed: list[Any]) -> Iterable[Facts]:
        """Of each piece, in their order, as they come."""
        submit = self._executor.submit
        futures = [submit("facts", (n,), facts_of, one) for n, one in enumerate(parsed)]
        return map(self._executor.result, futures)

    def train(
        self,
        parsed: list[Any],
        facts: list[Facts],
        format: str | None = None,
        reading: Reading = PLAIN,
    ) -> Trained:
        """`parsed` are what tasks have promised, in the order of the stream; emptied here, so that
        nobody keeps them when they have been used."""
        submit, result, options = self._executor.submit, self._executor.result, self._options
        firsts = list(accumulate((one.examples for one in facts), initial=0))
        total = firsts.pop()
        self._expect(total * self._passes * options.trees)
        shards = self._shards or default_shards(sum(one.nbytes for one in facts))
        shares = Shares.of(options, total, self._sample)
        scales = self._scales(parsed)
        samples, apart = (
            [
                submit(kind, (n,), task, one, options, shares, firsts[n])
                for n, one in enumerate(parsed)
            ]
            for kind, task in (("sample", tasks.sample_of), ("apart", tasks.apart_of))
        )
        tops = []
        for tree in range(options.trees):
            plan = tasks.TreePlan(options, self._passes, tree)
            tell = self._executor.reporter((tree,))
            tops.append(
                submit("top", (tree,), tasks.train_top, plan, scales, samples, shards, tell)
            )
        samples.clear()
        grown = [
            self._shards_of(tree, top, parsed, scales, shares, firsts)
            for tree, top in enumerate(tops)
        ]
        parsed.clear()
        trees = [
            TreeParts(StateDict(*result(top)), [StateDict(*result(one)) for one in own])
            for top, own in zip(tops, grown, strict=True)
        ]
        whole = replace(options, shards=max(2, *(len(tree.shards) for tree in trees)))
        assembly = Assembly(whole, result(scales), trees, format, reading, total)
        left = [result(one) for one in apart]
        aside, held_out = [one.aside for one in left], [one.held_out for one in left]
        return Trained(assembly.model(), aside, held_out)

    def _scales(self, parsed: list[Any]) -> Any:
        """Added up in a tree whose shape depends on the number of pieces alone."""
        submit, options = self._executor.submit, self._options
        sums = [submit("count", (0, n), tasks.count, options, one) for n, one in enumerate(parsed)]
        level = 1
        while len(sums) > 1:
            groups = [sums[n : n + _TOGETHER] for n in range(0, len(sums), _TOGETHER)]
            sums = [
                submit("count", (level, n), add_sums, options, group)
                for n, group in enumerate(groups)
            ]
            level += 1
        return submit("scales", (0,), tasks.make_scales, options, sums[0])

    def _shards_of(
        self, tree: int, top: Any, parsed: list[Any], scales: Any, shares: Shares, firsts: list[int]
    ) -> list[Any]:
        """The shards of a tree, as promised."""
        submit, plan = self._executor.submit, tasks.TreePlan(self._options, self._passes, tree)
        routing = tasks.RouteJob(self._options, shares)
        leaves = self._executor.result(submit("leaves", (tree,), tasks.leaves_of, top))
        numbers: list[Number] = [(tree, shard) for shard in range(leaves)]
        jobs = [
            tasks.ShardJob(plan, number, self._scratch, self._executor.reporter(number))
            for number in numbers
        ]
        found = [job.found() for job in jobs]
        routed = []
        if None in found:
            routed = [
                submit("route", (tree, n), tasks.route, one, routing, scales, top, firsts[n])
                for n, one in enumerate(parsed)
            ]
        pieces = shuffle.send(submit, tree, routed, [one is None for one in found])
        return [
            submit("shard", job.number, tasks.train_shard, job, scales, own)
            if kept is None
            else submit("found", job.number, tasks.unstored, kept)
            for job, own, kept in zip(jobs, pieces, found, strict=True)
        ]
