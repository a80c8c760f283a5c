"""Examples walk side by side, and each goes as if it were alone."""

import numpy as np
import pytest

from lomtree.learners.factory import new_learner
from lomtree.learners.tree.walk import ABREAST, LINES, end_of_row
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
