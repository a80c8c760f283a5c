"""What workers do to train a model: the tasks, each a function of what it is given alone.

parse    a chunk of the data becomes a piece of examples
count    the sums of a piece's values, for the scales of all
sample   the examples of a piece that the top is trained on
top      a small tree from the samples of all pieces
apart    the examples of a piece that no tree learns
route    a piece is put in the order of the leaves of the top that its examples come to
shard    the examples of a leaf, of all pieces, grow the subtree there
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lomtree.cluster.parsing import Parsed
from lomtree.cluster.pieces import Piece, numbered, picked
from lomtree.cluster.roles import ASIDE, HELD_OUT, LEARNED, Shares, roles_of, sampled
from lomtree.cluster.scratch import Scratch
from lomtree.cluster.shuffle import Routed, by_shard
from lomtree.core.errors import ModelError
from lomtree.core.execution import Execution
from lomtree.core.options import Options
from lomtree.features.scale_sums import ScaleSums, scales_from, sums_of
from lomtree.features.scaling import Scaler, Scales
from lomtree.learners.sharded import of_part
from lomtree.learners.tree.structure import leaf_depths
from lomtree.model.model import Model, from_state_dict, to_state_dict
from lomtree.model.model_file import MALFORMED_HEADER
from lomtree.storage.container import Arrays, at_once, read_arrays, write_arrays
from lomtree.storage.state_dict import StateDict
from lomtree.training.sources import Numbered
from lomtree.training.trainer import Trainer

WORK = Execution(threads=1, progressive=False)  # of a task: workers have a core each

Tell = Callable[[int], None]  # told how many more examples were learned


class TreePlan(NamedTuple):
    """How one tree is trained."""

    options: Options  # of the whole model
    passes: int
    number: int = 0  # of the tree

    @property
    def part(self) -> Options:
        """The options of its parts; only those of the first tree have a ranker."""
        own = of_part(self.options)
        seed = (self.options.seed + self.number) % 2**63
        return replace(own, seed=seed, holdout=0.0, ranker=self.options.ranker and not self.number)


class Part(NamedTuple):
    """What a file of a model that predicts would have: plain arrays, which travel as they are."""

    header: dict[str, Any]
    arrays: Arrays


def count(options: Options, parsed: Parsed) -> ScaleSums:
    return sums_of(options, parsed.piece.batch)


def sample_of(parsed: Parsed, options: Options, shares: Shares, first: int) -> Piece:
    """`first` is the number of the first example in the stream."""
    return picked(parsed.piece, sampled(options, shares, first, parsed.piece.examples))


class Apart(NamedTuple):
    """Examples that no tree learns."""

    aside: Piece
    held_out: Piece


def apart_of(parsed: Parsed, options: Options, shares: Shares, first: int) -> Apart:
    roles = roles_of(options, shares, first, parsed.piece.examples)
    aside, held_out = (np.flatnonzero(roles == role) for role in (ASIDE, HELD_OUT))
    return Apart(picked(parsed.piece, aside), picked(parsed.piece, held_out))


def make_scales(options: Options, sums: ScaleSums) -> Scales:
    return scales_from(options, sums)


def train_top(
    plan: TreePlan,
    scales: Scales,
    samples: list[Piece],
    shards: int,
    tell: Tell = lambda _count: None,
) -> Part:
    """A tree with so many leaves, or fewer if it has no use for them; a model that predicts. What
    it learns is not counted, but who is told may end it."""
    options = replace(plan.part, ranker=False, max_nodes=max(shards - 1, 1))
    return part_of(_trained(options, plan, scales, samples, lambda _count: tell(0)))


def leaves_of(top: Part) -> int:
    return len(_leaves(_read_top(top)))


def _read_top(top: Part) -> Any:
    """The tree's learner."""
    return from_state_dict(StateDict(*top), learning=False, execution=WORK).learner


def _leaves(learner: Any) -> np.ndarray:
    """The leaves from left to right: the shards in their order."""
    return leaf_depths(learner.nodes, learner.root)[0]


class RouteJob(NamedTuple):
    options: Options
    shares: Shares


def route(parsed: Parsed, job: RouteJob, scales: Scales, top: Part, first: int) -> Routed:
    """The examples that are learned, by their shards."""
    learner, piece = _read_top(top), parsed.piece
    learner.scaler = Scaler(scales)
    leaves = _leaves(learner)
    number = np.zeros(len(learner.nodes), np.int64)
    number[leaves] = np.arange(len(leaves))
    shard_of = number[learner.find_leaves(piece.batch, piece.examples)]
    shard_of[roles_of(*job, first, piece.examples) != LEARNED] = len(leaves)
    return by_shard(piece, shard_of, len(leaves))


class ShardJob(NamedTuple):
    """A shard to be trained, and where it is kept when it is."""

    plan: TreePlan
    number: tuple[int, ...]  # of the tree, and of the shard in it
    scratch: Scratch | None
    tell: Tell

    def found(self) -> bytes | None:
        """What an earlier run has kept, if it is a model with these options: the folder may be
        anybody's."""
        shard = self.scratch.find(self.number) if self.scratch else None
        return shard if shard is not None and _is_model(shard, self.plan.part) else None


def _is_model(data: bytes, options: Options) -> bool:
    try:
        part = StateDict(*unstored(data))
        return from_state_dict(part, learning=False, execution=WORK).options == options
    except (ModelError, *MALFORMED_HEADER):
        return False


def train_shard(job: ShardJob, scales: Scales, pieces: list[Piece]) -> Part:
    """The subtree of a leaf, as a model of its own that predicts."""
    shard = part_of(_trained(job.plan.part, job.plan, scales, pieces, job.tell))
    if job.scratch is not None:
        job.scratch.keep(job.number, stored(shard))
    return shard


def _trained(
    options: Options, plan: TreePlan, scales: Scales, pieces: list[Piece], tell: Tell
) -> Model:
    """By the ordinary trainer, for all passes. How to rank, only the whole model learns."""
    model = Model.new(options, WORK)
    learner: Any = model.learner
    learner.scaler = Scaler(scales, frozen=True)
    learner.number = plan.number

    def again() -> Iterator[Numbered]:
        return _told(numbered(pieces, model.labels), tell)

    Trainer(model, probes=False).run(again(), plan.passes, again)
    return model


def _told(examples: Iterable[Numbered], tell: Tell) -> Iterator[Numbered]:
    for batch, count in examples:
        yield batch, count
        tell(count)


def part_of(model: Model) -> Part:
    """(A model without labels is none, but may be a part of one.)"""
    state_dict = to_state_dict(model, predict_only=True)
    arrays = {name: at_once(array) for name, array in state_dict.arrays.items()}
    return Part(state_dict.header, arrays)


def stored(part: Part) -> bytes:
    """The bytes of a model file."""
    with tempfile.TemporaryDirectory(prefix="lomtree-") as folder:
        path = os.path.join(folder, "part.lom")
        write_arrays(path, part.header, part.arrays)
        with open(path, "rb") as file:
            return file.read()


def unstored(data: bytes) -> Part:
    with tempfile.NamedTemporaryFile(prefix="lomtree-") as file:
        file.write(data)
        file.flush()
        return Part(*read_arrays(file.name, lambda _name: True, lambda _name: False))
