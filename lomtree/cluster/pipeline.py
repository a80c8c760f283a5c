"""The training of a model as tasks: which there are, and what each of them waits for.

How many workers there are, and when they do what, changes nothing: a task's result depends on its
arguments alone, and what they are depends on the data, the options and the number of shards.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from lomtree.cluster import tasks
from lomtree.cluster.executors import Executor, Number
from lomtree.cluster.parsing import Facts, facts_of, piece_in
from lomtree.cluster.pieces import Piece
from lomtree.cluster.roles import Shares
from lomtree.cluster.scratch import Scratch
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN, Reading
from lomtree.features.scale_sums import add_sums, sums_of
from lomtree.model.assembly import Assembly, TreeParts
from lomtree.model.model import Model

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
        submit, options = self._executor.submit, self._options
        firsts = [sum(one.examples for one in facts[:n]) for n in range(len(facts))]
        total = sum(one.examples for one in facts)
        self._expect(total * self._passes * options.trees)
        shards = self._shards or default_shards(sum(one.nbytes for one in facts))
        shares = Shares.of(options, total, self._sample)
        pieces = [submit("piece", (n,), piece_in, one) for n, one in enumerate(parsed)]
        parsed.clear()
        scales = self._scales(pieces)
        samples = [
            submit("sample", (n,), tasks.sample_of, piece, options, shares, firsts[n])
            for n, piece in enumerate(pieces)
        ]
        tops = []
        for tree in range(options.trees):
            plan = tasks.TreePlan(options, self._passes, tree)
            tops.append(submit("top", (tree,), tasks.train_top, plan, scales, samples, shards))
        routed = [
            self._shards_of(tree, top, pieces, scales, shares, firsts)
            for tree, top in enumerate(tops)
        ]
        pieces.clear()
        result = self._executor.result
        trees = [
            TreeParts(
                tasks.unstored(result(top)),
                [tasks.unstored(result(shard)) for shard in own[0]],
            )
            for top, own in zip(tops, routed, strict=True)
        ]
        whole = replace(options, shards=max(2, *(len(tree.shards) for tree in trees)))
        assembly = Assembly(whole, result(scales), trees, format, reading, total)
        aside, held_out = ([result(one) for one in some] for some in routed[0][1:])
        return Trained(assembly.model(), aside, held_out)

    def _scales(self, pieces: list[Any]) -> Any:
        """Added up in a tree whose shape depends on the number of pieces alone."""
        submit, options = self._executor.submit, self._options
        sums = [submit("count", (0, n), _count, options, piece) for n, piece in enumerate(pieces)]
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
        self, tree: int, top: Any, pieces: list[Any], scales: Any, shares: Shares, firsts: list[int]
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """The shards of a tree, as promised; what was set aside, and what was held out."""
        submit, plan = self._executor.submit, tasks.TreePlan(self._options, self._passes, tree)
        routing = tasks.RouteJob(self._options, shares)
        leaves = self._executor.result(submit("leaves", (tree,), tasks.leaves_of, top))
        routed = [
            submit("route", (tree, n), tasks.route, piece, routing, scales, top, firsts[n])
            for n, piece in enumerate(pieces)
        ]

        def column(place: int) -> list[Any]:
            return [
                submit("pick", (tree, n, place), tasks.pick_part, one, place)
                for n, one in enumerate(routed)
            ]

        shards = []
        for shard in range(leaves):
            number: Number = (tree, shard)
            job = tasks.ShardJob(plan, number, self._scratch, self._executor.reporter(number))
            found = job.found()
            if found is None:
                task = tasks.train_shard
                shards.append(submit("shard", number, task, job, scales, column(shard)))
            else:
                shards.append(submit("found", number, bytes, found))
        return shards, column(leaves), column(leaves + 1)


def _count(options: Options, piece: Piece) -> Any:
    return sums_of(options, piece.batch)
