"""What workers do to train a model: the tasks, each a function of what it is given alone.

parse    a chunk of the data becomes a piece of examples
count    the sums of a piece's values, for the scales of all
sample   the examples of a piece that the top is trained on
top      a small tree from the samples of all pieces
route    a piece is cut by the leaf of the top that each example comes to
shard    the examples of a leaf, of all pieces, grow the subtree there
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lomtree.cluster.pieces import Piece, numbered, picked
from lomtree.cluster.roles import ASIDE, HELD_OUT, LEARNED, Shares, roles_of, sampled
from lomtree.cluster.scratch import Scratch
from lomtree.core.execution import Execution
from lomtree.core.options import Options
from lomtree.features.scale_sums import ScaleSums, scales_from
from lomtree.features.scaling import Scaler, Scales
from lomtree.learners.sharded import of_part
from lomtree.learners.tree.structure import leaf_depths
from lomtree.model.model import Model, from_state_dict, to_state_dict
from lomtree.storage.container import read_arrays, write_arrays
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


def sample_of(piece: Piece, options: Options, shares: Shares, first: int) -> Piece:
    return picked(piece, sampled(options, shares, first, piece.examples))


def make_scales(options: Options, sums: ScaleSums) -> Scales:
    return scales_from(options, sums)


def train_top(plan: TreePlan, scales: Scales, samples: list[Piece], shards: int) -> bytes:
    """A tree with so many leaves, or fewer if it has no use for them; a model that predicts."""
    options = replace(plan.part, ranker=False, max_nodes=max(shards - 1, 1))
    model = _trained(options, plan, scales, samples, lambda _count: None)
    return stored(model)


def leaves_of(top: bytes) -> int:
    return len(_leaves(_read_top(top)))


def _read_top(top: bytes) -> Any:
    """The tree's learner."""
    return from_state_dict(unstored(top), learning=False, execution=WORK).learner


def _leaves(learner: Any) -> np.ndarray:
    """The leaves from left to right: the shards in their order."""
    return leaf_depths(learner.nodes, learner.root)[0]


class RouteJob(NamedTuple):
    options: Options
    shares: Shares


def route(piece: Piece, job: RouteJob, scales: Scales, top: bytes, first: int) -> tuple[Piece, ...]:
    """A piece for each shard; behind them what is set aside, and what is held out. `first` is the
    number of its first example in the stream."""
    learner = _read_top(top)
    learner.scaler = Scaler(scales)
    leaves = _leaves(learner)
    shard_of = np.zeros(len(learner.nodes), np.int64)
    shard_of[leaves] = np.arange(len(leaves))
    places = shard_of[learner.find_leaves(piece.batch, piece.examples)]
    roles = roles_of(*job, first, piece.examples)
    for role in (ASIDE, HELD_OUT):
        places[roles == role] = len(leaves) - LEARNED - 1 + role
    return tuple(picked(piece, np.flatnonzero(places == n)) for n in range(len(leaves) + 2))


def pick_part(routed: tuple[Piece, ...], place: int) -> Piece:
    return routed[place]


class ShardJob(NamedTuple):
    """A shard to be trained, and where it is kept when it is."""

    plan: TreePlan
    number: tuple[int, ...]  # of the tree, and of the shard in it
    scratch: Scratch | None
    tell: Tell

    def found(self) -> bytes | None:
        return self.scratch.find(self.number) if self.scratch else None


def train_shard(job: ShardJob, scales: Scales, pieces: list[Piece]) -> bytes:
    """The subtree of a leaf, as a model of its own that predicts."""
    shard = stored(_trained(job.plan.part, job.plan, scales, pieces, job.tell))
    if job.scratch is not None:
        job.scratch.keep(job.number, shard)
    return shard


def _trained(
    options: Options, plan: TreePlan, scales: Scales, pieces: list[Piece], tell: Tell
) -> Model:
    """By the ordinary trainer, for all passes."""
    model = Model.new(options, WORK)
    learner: Any = model.learner
    learner.scaler = Scaler(scales, frozen=True)
    learner.number = plan.number

    def again() -> Iterator[Numbered]:
        return _told(numbered(pieces, model.labels), tell)

    Trainer(model).run(again(), plan.passes, again)
    return model


def _told(examples: Iterable[Numbered], tell: Tell) -> Iterator[Numbered]:
    for batch, count in examples:
        yield batch, count
        tell(count)


def stored(model: Model) -> bytes:
    """The bytes of a model file. (One without labels is none, but may be a part of one.)"""
    state_dict = to_state_dict(model, predict_only=True)
    with tempfile.TemporaryDirectory(prefix="lomtree-") as folder:
        path = os.path.join(folder, "part.lom")
        write_arrays(path, state_dict.header, state_dict.arrays)
        with open(path, "rb") as file:
            return file.read()


def unstored(data: bytes) -> StateDict:
    with tempfile.NamedTemporaryFile(prefix="lomtree-") as file:
        file.write(data)
        file.flush()
        return StateDict(*read_arrays(file.name, lambda _name: True, lambda _name: False))
