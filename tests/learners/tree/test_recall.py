"""The places of the right labels are those of slow lists, sorted."""

import numpy as np
import pytest

from lomtree.core.constants import BEAM
from lomtree.core.options import Options
from lomtree.examples.batch import part
from lomtree.learners.factory import new_learner
from lomtree.learners.tree.beam_search import make_beam
from lomtree.learners.tree.leaf_labels import KEPT
from lomtree.learners.tree.learner import search_with
from lomtree.learners.tree.recall import places_of_labels
from lomtree.ranking.ranking import BUDGET, make_found
from lomtree.ranking.recall import CANDIDATES, LISTS, NOT_FOUND, TREES
from tests.generators.streams import BITS, batch_of, random_stream, teach

WIDTH = BEAM


def place_in(masses: dict, label: int) -> int:
    order = sorted(masses, key=lambda other: -masses[other])  # of equals, the first stays first
    return order.index(label) if label in masses else NOT_FOUND


def by_trees(learner, batch) -> dict:
    found = make_found(1, WIDTH * len(learner.members) * KEPT)
    is_open, asked = np.ones(1, np.bool_), np.zeros(1, np.int32)
    search_with(learner.members, batch, 0, 1, is_open, make_beam(WIDTH), found, asked)
    masses: dict = {}
    for label, mass in zip(found.labels[0].tolist(), found.masses[0].tolist(), strict=True):
        if label >= 0:
            masses[label] = masses.get(label, 0.0) + mass
    return masses


def by_lists(learner, batch) -> dict:
    """The features with the largest values first, as long as there are votes."""
    heads, postings, _used = learner.ranker.state.lists
    votes: dict = {}
    asked = 0
    values = batch.values
    for place in sorted(range(len(batch.features)), key=lambda place: -abs(values[place])):
        chosen = heads[(heads["feature"] == batch.features[place]) & (heads["length"] > 0)]
        length = int(chosen["length"].sum())
        if values[place] == 0 or asked + length > BUDGET:
            break
        asked += length
        for head in chosen:
            for posting in postings[head["start"] : head["start"] + length]:
                part = float(posting["weight"]) * float(values[place])
                votes[int(posting["label"])] = votes.get(int(posting["label"]), 0.0) + part
    return votes


def by_rank(learner, batch) -> dict:
    candidates, count = learner.candidates(batch)
    logits = candidates.logits[:count].tolist()
    return dict(zip(candidates.labels[:count].tolist(), logits, strict=True))


@pytest.mark.parametrize("ranker", [True, False])
@pytest.mark.parametrize("kind", [{}, {"algorithm": "filter"}, {"trees": 3}])
def test_the_places_are_those_of_sorted_lists(kind, ranker):
    rng = np.random.default_rng(3)
    options = Options(bits=BITS, ranker=ranker, **kind)
    learner = new_learner(options)
    teach(learner, random_stream(rng, 400, 40))
    questions = random_stream(rng, 300, 45)
    batch = batch_of(questions)
    places = places_of_labels(learner, batch, len(questions), WIDTH)
    assert places.shape == (len(questions), 3)
    scaled = learner.scaler.outline(batch, len(questions))
    learner.scaler.apply(batch, 0, len(questions), scaled)
    scaled = scaled._replace(values=scaled.values.copy())
    for number, one in enumerate(questions):
        alone = part(scaled, number, number + 1)
        expected = [place_in(by_trees(learner, alone), one.label), NOT_FOUND, NOT_FOUND]
        if ranker:
            expected[LISTS] = place_in(by_lists(learner, alone), one.label)
            raw = part(batch, number, number + 1)
            expected[CANDIDATES] = place_in(by_rank(learner, raw), one.label)
        if one.label < 0:
            expected = [NOT_FOUND] * 3
        assert places[number].tolist() == expected
    assert (places[:, TREES] == NOT_FOUND).any()
    assert len(set(places[:, TREES].tolist())) > 3
