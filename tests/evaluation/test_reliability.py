"""Error at K, log loss and calibration, against what a person computes."""

from math import log

import numpy as np
import pytest

from lomtree.evaluation.reliability import LEAST, Reliability
from lomtree.learners.tree.structure import NO_LABEL
from lomtree.ranking.ranking import Ranking

# labels best first, their probabilities, the true label
ROWS = [
    ([4, 1, 2], [0.75, 0.125, 0.0625], 4),  # right
    ([4, 1, 2], [0.75, 0.125, 0.0625], 1),  # second
    ([3, 1, 2], [0.5, 0.25, 0.125], 2),  # third
    ([3, 1, 2], [0.5, 0.25, 0.125], 9),  # not found
    ([3, NO_LABEL, NO_LABEL], [1.0, 0.0, 0.0], 3),  # right, and sure
    ([3, NO_LABEL, NO_LABEL], [1.0, 0.0, 0.0], -1),  # a label that training never saw
]


def ranking_of(rows) -> Ranking:
    labels, chances, _ = zip(*rows, strict=True)
    return Ranking(
        np.array(labels, np.int32), np.array(chances, np.float32), np.zeros(len(rows), np.int32)
    )


def counted(top, *batches) -> Reliability:
    reliability = Reliability(top)
    for rows in batches:
        truth = np.array([label for *_, label in rows], np.int32)
        reliability.add(ranking_of(rows), truth)
    return reliability


@pytest.mark.parametrize(("top", "missed"), [(1, 4), (2, 3), (3, 2), (5, 2)])
def test_the_error_at_k_counts_what_is_not_among_the_k_best(top, missed):
    assert counted(top, ROWS).error_at_top == pytest.approx(missed / 6)


def test_the_log_loss_has_a_floor_under_labels_that_were_not_found():
    wanted = -(log(0.75) + log(0.125) + log(0.125) + log(LEAST) + log(1) + log(LEAST)) / 6
    assert counted(1, ROWS).log_loss == pytest.approx(wanted)


def test_the_log_loss_looks_at_more_labels_than_k():
    assert counted(1, ROWS[1:2]).log_loss == pytest.approx(-log(0.125))


def test_a_hardly_found_label_costs_what_one_not_found_costs():
    assert counted(1, [([1, 2, 3], [1.0, 1e-9, 0.0], 2)]).log_loss == pytest.approx(-log(LEAST))


def test_the_calibration_error_is_a_mean_over_the_examples():
    """0.75 twice, one right; 0.5 twice, none right; 1.0 twice, one right."""
    wanted = (abs(1.5 - 1) + abs(1.0 - 0) + abs(2.0 - 1)) / 6
    assert counted(1, ROWS).calibration_error == pytest.approx(wanted)


def test_predictions_that_are_as_often_right_as_they_say_have_no_calibration_error():
    rows = [([1, 2, 3], [0.75, 0.25, 0.0], 1)] * 3 + [([1, 2, 3], [0.75, 0.25, 0.0], 2)]
    assert counted(1, rows).calibration_error == pytest.approx(0)


def test_the_table_has_the_bins_with_examples():
    assert counted(1, ROWS).table() == [
        {"from": 0.5, "to": 0.6, "examples": 2, "probability": 0.5, "right": 0.0},
        {"from": 0.7, "to": 0.8, "examples": 2, "probability": 0.75, "right": 0.5},
        {"from": 0.9, "to": 1.0, "examples": 2, "probability": 1.0, "right": 0.5},
    ]


def test_no_prediction_at_all_is_an_error_with_probability_zero():
    found = counted(2, [([NO_LABEL] * 3, [0.0] * 3, -1), ([NO_LABEL] * 3, [0.0] * 3, 5)])
    assert found.error_at_top == 1
    assert found.calibration_error == 0
    assert found.table() == [
        {"from": 0.0, "to": 0.1, "examples": 2, "probability": 0.0, "right": 0.0}
    ]


def test_examples_may_come_in_several_batches():
    at_once, apart = counted(2, ROWS), counted(2, ROWS[:1], ROWS[1:])
    assert apart.examples == at_once.examples == 6
    assert apart.error_at_top == at_once.error_at_top
    assert apart.log_loss == pytest.approx(at_once.log_loss)
    assert apart.table() == at_once.table()
