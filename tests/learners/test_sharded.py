"""A tree in parts is one tree: for a walk, for a search, in a file, and for who looks at it."""

from contextlib import suppress
from dataclasses import replace
from math import exp
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.constants import BEAM, NO_LABEL, NO_NODE
from lomtree.core.errors import ModelError
from lomtree.examples.batch import Vector, make_batch, part
from lomtree.formats.reader import Reader
from lomtree.learners.sharded import TOP, ShardedTree
from lomtree.learners.tree.beam_search import SearchRoom, make_beam
from lomtree.learners.tree.leaf_labels import KEPT
from lomtree.learners.tree.learner import stretch_of
from lomtree.model.model import Model
from lomtree.model.model_file import read_model, write_model
from lomtree.ranking.exemplars import FIRST_ITEMS
from lomtree.ranking.label_features import FIRST_ROWS
from lomtree.ranking.label_lists import FIRST_POSTINGS
from lomtree.ranking.ranking import make_found
from lomtree.ranking.shortlist import make_shortlist
from lomtree.storage.purposes import Purpose
from tests.generators.sharded import OPTIONS, sharded
from tests.generators.strange_files import put_together, strange_model, take_apart


@pytest.fixture(scope="module")
def path(lines, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("data") / "data.vw"
    path.write_bytes(b"".join(lines))
    return str(path)


@pytest.fixture(scope="module")
def model(path) -> Model:
    return sharded(path)


@pytest.fixture(scope="module")
def whole(model, tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("model") / "model.lom"
    write_model(model, str(path), predict_only=True)
    return path.read_bytes()


@pytest.fixture(scope="module")
def batch(path):
    [examples] = Reader([path])
    return examples.batch._replace(labels=examples.batch.labels[: examples.count])


def vectors(learner, batch):
    count = len(batch.labels)
    scaled = learner.scaler.outline(batch, count)
    learner.scaler.apply(batch, 0, count, scaled)
    for example in range(count):
        begin, end = batch.starts[example : example + 2]
        yield Vector(scaled.features, scaled.values, begin, end)


def walked(learner, vector) -> list[int]:
    """The nodes of a walk, one step after the other."""
    way = [learner.root]
    while learner.nodes["left"][way[-1]] != NO_NODE:
        way.append(learner.step(way[-1], vector)[1])
    return way


def masses_of(learner, vector) -> dict[int, float]:
    """The probability of every leaf, by the scores of the nodes above it."""
    found, nodes = {}, learner.nodes
    stack = [(learner.root, 1.0)]
    while stack:
        v, mass = stack.pop()
        left, right = int(nodes["left"][v]), int(nodes["right"][v])
        if left == NO_NODE:
            found[v] = mass
            continue
        h, likely = learner.step(v, vector)
        other = left + right - likely
        if nodes["label"][other] == NO_LABEL:
            stack.append((likely, mass))
            continue
        share = 1.0 / (1.0 + exp(-stretch_of(learner.options) * abs(h)))
        stack += [(likely, mass * share), (other, mass * (1.0 - share))]
    return found


def test_it_has_a_top_and_shards(model):
    learner = model.learner
    assert isinstance(learner, ShardedTree)
    assert len(learner.parts) == model.options.shards + 1 == 5
    assert learner.internal_nodes == sum(part.internal_nodes for part in learner.parts)
    assert learner.examples == sum(part.examples for part in learner.parts[TOP + 1 :])
    assert [name for name, _ in learner.summary()] == ["internal nodes", "shards", "weight tables"]


def test_a_walk_goes_on_from_the_top_into_a_shard(model, batch):
    learner, count = model.learner, len(batch.labels)
    predictions, depths = np.empty((2, count), np.int32)
    learner.predict(batch, count, predictions, depths)
    leaves = learner.find_leaves(batch, count)
    for example, vector in enumerate(vectors(learner, batch)):
        way = walked(learner, vector)
        assert leaves[example] == way[-1]
        assert predictions[example] == learner.nodes["label"][way[-1]]
        assert depths[example] == len(way) - 1


def test_a_walk_confirms_guesses(model, batch):
    learner, count = model.learner, len(batch.labels)
    shortlist, asked = make_shortlist(count - 3, 1), np.zeros(count, np.int32)
    labels, depths = np.empty((2, count), np.int32)
    learner.predict(batch, count, labels, depths)
    shortlist.guesses[1::3] = labels[4::3]
    shortlist.guesses[2::3] = labels[5::3] + 1
    learner.confirm(scaled_by(learner, batch), 3, count, shortlist, asked)
    assert not shortlist.is_open[1::3].any()
    assert shortlist.is_open[2::3].all()
    assert shortlist.is_open[::3].all()
    guessed = shortlist.guesses != NO_LABEL
    assert (asked[3:] == np.where(guessed, depths[3:], 0)).all()
    first = part(batch, 0, 1)
    one = make_shortlist(1, 1)
    one.guesses[0] = labels[0]
    learner.bound_confirm(scaled_by(learner, first), one, np.zeros(1, np.int32))()
    assert not one.is_open[0]


def scaled_by(learner, batch):
    count = len(batch.labels)
    scaled = learner.scaler.outline(batch, count)
    learner.scaler.apply(batch, 0, count, scaled)
    return scaled


def test_a_search_finds_the_best_leaves_of_all_shards(model, batch):
    learner = model.learner
    beam, found = make_beam(BEAM), make_found(1, BEAM * KEPT)
    for vector in list(vectors(learner, batch))[:50]:
        one = make_batch(1, vector.end - vector.begin)
        one.starts[:] = 0, vector.end - vector.begin
        one.features[:] = vector.features[vector.begin : vector.end]
        one.values[:] = vector.values[vector.begin : vector.end]
        room = SearchRoom(0, beam, found, np.zeros(1, np.int32))
        learner.search(one, 0, 1, np.ones(1, np.bool_), room)
        masses = masses_of(learner, vector)
        best = max(masses, key=masses.__getitem__)
        kept, offered = learner.leaf_labels, {}
        for leaf, mass in masses.items():
            there = kept.labels[leaf] != NO_LABEL
            weights = kept.weights[leaf][there].astype(np.float64)
            shares = mass * weights / (1.0 + weights.sum())
            for label, share in zip(kept.labels[leaf][there].tolist(), shares, strict=True):
                offered.setdefault(label, []).append(share)
        rows = zip(found.labels[0].tolist(), found.masses[0], strict=True)
        named = [(label, mass) for label, mass in rows if label != NO_LABEL]
        assert named
        assert all(np.isclose(mass, offered[label], rtol=1e-4).any() for label, mass in named)
        assert named[0][0] == kept.labels[best, 0]


def test_it_learned_something(model, path):
    [examples] = Reader([path])
    labels = np.empty(examples.count, np.int32)
    model.labels.look_up(examples.labels, examples.problems, labels)
    best = model.learner.rank(examples.batch, examples.count, BEAM, 1).labels[:, 0]
    assert np.mean(best != labels) < 0.1


def test_a_file_gives_the_same_model(model, whole, batch, tmp_path):
    (tmp_path / "model.lom").write_bytes(whole)
    again = read_model(str(tmp_path / "model.lom"))
    write_model(again, str(tmp_path / "again.lom"), predict_only=True)
    assert (tmp_path / "again.lom").read_bytes() == whole
    before, after = (
        learner.rank(batch, len(batch.labels), BEAM, 3)
        for learner in (model.learner, again.learner)
    )
    assert np.mean(before.labels[:, 0] == after.labels[:, 0]) > 0.98  # weights are rounded
    np.testing.assert_allclose(before.probabilities[:, 0], after.probabilities[:, 0], atol=0.05)


def test_a_small_one_too_can_be_written(lines, tmp_path):
    """None of its arrays has few bits: the check of what was written sees them as they come."""
    (tmp_path / "data.vw").write_bytes(b"".join(lines[:60]))
    small = sharded(str(tmp_path / "data.vw"))
    write_model(small, str(tmp_path / "model.lom"), predict_only=True)
    assert len(read_model(str(tmp_path / "model.lom")).labels) == len(small.labels)


def test_what_fills_the_tables_of_all_shards_can_be_written(tmp_path):
    """A ranker of all shards has more than one shard may have, also where tables are smallest."""
    rng = Random(1)
    text = "".join(
        f"{n % 40} |f {' '.join(f'w{rng.randrange(999)}' for _ in range(30))}\n" for n in range(800)
    )
    (tmp_path / "data.vw").write_text(text)
    model = sharded(str(tmp_path / "data.vw"), replace(OPTIONS, bits=10), shards=3)
    known, lists, exemplars = model.learner.ranker.state[:3]
    assert known.used[1] > FIRST_ROWS
    assert lists.used[2] > FIRST_POSTINGS
    assert exemplars.used[1] > FIRST_ITEMS
    write_model(model, str(tmp_path / "model.lom"), predict_only=True)
    assert len(read_model(str(tmp_path / "model.lom")).labels) == 40


def test_its_training_has_ended(whole, tmp_path):
    (tmp_path / "model.lom").write_bytes(whole)
    with pytest.raises(ModelError, match="cannot go on"):
        read_model(str(tmp_path / "model.lom"), Purpose.LEARN)
    header, arrays = take_apart(whole)
    header["predict_only"] = False
    (tmp_path / "model.lom").write_bytes(put_together(header, arrays))
    with pytest.raises(ModelError, match="trained in shards, so its training cannot go on"):
        read_model(str(tmp_path / "model.lom"), Purpose.LEARN)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda header: header["trees"].pop(), "another number of leaves than it has shards"),
        (lambda header: header["trees"].append(header["trees"][1]), "another number of shards"),
        (lambda header: header["options"].update(shards=2), "another number of shards"),
        (lambda header: header["options"].update(shards=10**9), "shards must be from 1 to"),
        (lambda header: header.pop("trees"), "malformed"),
    ],
)
def test_parts_that_make_no_tree_are_refused(whole, tmp_path, change, sentence):
    header, arrays = take_apart(whole)
    change(header)
    (tmp_path / "model.lom").write_bytes(put_together(header, arrays))
    with pytest.raises(ModelError, match=sentence):
        read_model(str(tmp_path / "model.lom"))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**64))
def test_a_strange_file_is_refused_or_works(whole, batch, tmp_path_factory, seed):
    path = tmp_path_factory.mktemp("strange") / "model.lom"
    path.write_bytes(strange_model(Random(seed), whole))
    with suppress(ModelError):
        learner = read_model(str(path)).learner
        learner.rank(batch, 20, BEAM, 3)
        learner.predict(batch, 20, *np.empty((2, 20), np.int32))


def test_several_trees_in_shards_are_an_ensemble(path, batch):
    forest = sharded(path, replace(OPTIONS, trees=2), shards=3, passes=1)
    assert [type(tree) for tree in forest.learner.members] == [ShardedTree] * 2
    first, second = (tree.nodes["label"].tolist() for tree in forest.learner.members)
    assert first != second
    ranking = forest.learner.rank(batch, len(batch.labels), BEAM, 1)
    assert np.all(ranking.labels != NO_LABEL)
