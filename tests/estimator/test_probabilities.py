"""What a ranking leaves to other labels is spread over them, and no order changes."""

import numpy as np
import pytest

from lomtree.core.constants import NO_LABEL
from lomtree.estimator.probabilities import all_probabilities, best_of, spread

NUMBERS = np.array([[2, 0, NO_LABEL], [1, NO_LABEL, NO_LABEL], [0, 1, 2]], np.int32)
NAMED = np.array([[0.6, 0.2, 0.0], [0.3, 0.0, 0.0], [0.5, 0.25, 0.125]], np.float32)


def test_each_of_the_others_gets_an_equal_share_but_no_more_than_a_named_one():
    named, each = spread(NUMBERS, NAMED, 5)
    assert named[0] == pytest.approx([0.6, 0.2, 0])
    assert each[0] == pytest.approx(0.2 / 3)
    assert each[1] == pytest.approx(0.7 / 4)
    assert each[2] == pytest.approx(0.125 / 2)
    named, each = spread(NUMBERS[1:2], NAMED[1:2], 2)  # 0.7 would be left for the other one
    assert (named[0, 0], each[0]) == (0.5, 0.5)


@pytest.mark.parametrize("total", [3, 4, 50])
def test_rows_sum_up_to_one_and_the_best_stays_the_best(total):
    of_number = np.random.default_rng(0).permutation(total)
    found = all_probabilities(NUMBERS, NAMED, of_number, total)
    assert found.sum(axis=1) == pytest.approx(1)
    assert found.argmax(axis=1).tolist() == of_number[NUMBERS[:, 0]].tolist()
    assert found.min() >= 0


def test_the_best_are_filled_up_with_others():
    numbers, probabilities = best_of(NUMBERS, NAMED, 5, 3)
    assert numbers.tolist() == [[2, 0, 1], [1, 0, 2], [0, 1, 2]]
    assert probabilities[1] == pytest.approx([0.3, 0.175, 0.175])
