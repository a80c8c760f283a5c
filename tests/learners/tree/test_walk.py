"""Examples walk side by side, and each goes as if it were alone."""

import numpy as np
import pytest

from lomtree.core.constants import NO_LABEL
from lomtree.learners.factory import new_learner
from lomtree.learners.tree.walk import ABREAST, LINES, end_of_row
from lomtree.ranking.shortlist import make_shortlist
from tests.generators.streams import Example, ask, batch_of, random_options, random_stream, teach


def examples_of(rng, lengths, classes=12):
    """Examples of so many features each."""
    return [
        Example(
            rng.integers(0, 20, length).tolist(),
            rng.normal(size=length).astype(np.float32).tolist(),
            int(rng.integers(classes)),
        )
        for length in lengths
    ]


@pytest.mark.parametrize("algorithm", ["lomtree", "rtree", "filter"])
@pytest.mark.parametrize("seed", range(3))
def test_each_is_predicted_as_if_it_were_alone(algorithm, seed):
    rng = np.random.default_rng(seed)
    learner = new_learner(random_options(rng, algorithm=algorithm))
    teach(learner, random_stream(rng, 500, 12))
    lengths = rng.choice([0, 1, 5, 20, LINES // 2, LINES, LINES + 1, 3 * LINES], 60)
    questions = examples_of(rng, lengths)
    alone = [prediction for one in questions for prediction in ask(learner, [one])]
    assert ask(learner, questions) == alone
    assert ask(learner, questions[:17]) + ask(learner, questions[17:]) == alone


def row_ends(lengths):
    batch, ends = batch_of(examples_of(np.random.default_rng(0), lengths)), [0]
    while ends[-1] < len(lengths):
        ends.append(end_of_row(batch, ends[-1], len(lengths)))
    return ends[1:]


def test_short_examples_walk_in_full_rows():
    assert row_ends([1] * (2 * ABREAST + 1)) == [ABREAST, 2 * ABREAST, 2 * ABREAST + 1]


def test_long_ones_walk_in_shorter_rows_or_alone():
    assert row_ends([LINES // 2] * 5) == [2, 4, 5]
    assert row_ends([1, LINES, LINES + 1, 1, 1]) == [1, 2, 3, 5]


def test_a_walk_confirms_guesses_that_it_comes_to():
    rng = np.random.default_rng(0)
    learner = new_learner(random_options(rng, algorithm="lomtree"))
    teach(learner, random_stream(rng, 500, 12))
    count, first = 40, 10
    batch = batch_of(examples_of(rng, [5] * count))
    labels, depths = np.empty((2, count), np.int32)
    learner.predict(batch, count, labels, depths)
    scaled = learner.scaler.outline(batch, count)
    learner.scaler.apply(batch, 0, count, scaled)
    shortlist, asked = make_shortlist(count - first, 1), np.ones(count, np.int32)
    shortlist.is_open[:2] = False  # named at once: there is no guess
    shortlist.guesses[2::2] = labels[first + 2 :: 2]
    shortlist.guesses[3::4] = (labels[first + 3 :: 4] + 1) % 12
    learner.confirm(scaled, first, count, shortlist, asked)
    guessed = shortlist.guesses != NO_LABEL
    right = guessed & (shortlist.guesses == labels[first:])
    assert 0 < right.sum() < guessed.sum() < count - first - 2
    assert not shortlist.is_open[right].any()
    assert shortlist.is_open[2:][~right[2:]].all()
    assert not shortlist.is_open[:2].any()
    assert (asked[first:] - 1 == np.where(guessed, depths[first:], 0)).all()
    assert (asked[:first] == 1).all()
