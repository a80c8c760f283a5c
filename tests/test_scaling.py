"""Values are divided by the root mean square of those seen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_regressor import Scales as NaiveScales
from streams import BITS, ask, random_stream, teach

from lomtree.lom_learner import LomLearner
from lomtree.options import Options
from lomtree.scaling import COUNT_LIMIT, learn_norm, learn_scale, make_scales, scale

LARGEST = float(np.finfo(np.float32).max)
VALUES = st.floats(-LARGEST, LARGEST, width=32).filter(lambda value: value != 0)
ROWS = st.lists(st.tuples(st.integers(0, 3), VALUES), max_size=8)


def scaled(scales, row, learn):
    features = np.array([feature for feature, _ in row], np.uint32)
    values = np.array([value for _, value in row], np.float32)
    x = np.empty(len(row), np.float32)
    if learn:
        learn_scale(scales, features, values, 0, len(row))
    scale(scales, features, values, 0, len(row), x)
    return x


def test_a_scale_is_the_root_mean_square_of_the_values_seen():
    scales, values = make_scales(True), np.random.default_rng(0).normal(3, 2, 1000)
    for value in values:
        scaled(scales, [(5, value)], learn=True)
    assert scaled(scales, [(5, 1)], learn=False)[0] == pytest.approx(
        1 / np.sqrt(np.mean(values**2)), rel=1e-4
    )


@settings(deadline=None)
@given(st.lists(ROWS, max_size=12))
def test_scaling_is_the_naive_one(rows):
    scales, naive = make_scales(True), NaiveScales(adaptive=True)
    for row in rows:
        x = scaled(scales, row, learn=True)
        assert x.tolist() == naive.learn([f for f, _ in row], [np.float32(v) for _, v in row])
        assert learn_norm(scales, x, len(x)) == naive.mean_square()


@settings(deadline=None)
@given(st.lists(ROWS, max_size=12))
def test_a_learned_value_is_at_most_the_root_of_how_many_were_seen(rows):
    scales, seen = make_scales(True), 0
    for row in rows:
        seen += len(row)
        assert np.all(np.abs(scaled(scales, row, learn=True)) <= np.sqrt(seen) * 1.00001)


def test_the_first_value_of_a_feature_is_1_and_a_feature_never_seen_is_0():
    scales = make_scales(True)
    assert scaled(scales, [(5, -1e-30)], learn=True) == [-1]
    assert scaled(scales, [(6, 1e30)], learn=False) == [0]


def test_an_outlier_after_very_many_values_is_still_scaled():
    scales = make_scales(True)
    scales.table[5] = COUNT_LIMIT, 1e-20
    assert abs(scaled(scales, [(5, 1e30)], learn=True)[0]) <= 4097
    assert scales.table[5, 0] == COUNT_LIMIT


def test_a_value_far_beyond_those_seen_is_scaled_to_a_finite_one():
    scales = make_scales(True)
    scaled(scales, [(5, 1e-38)], learn=True)
    assert np.isfinite(scaled(scales, [(5, 1e38)], learn=False)[0])


def test_sgd_learns_from_the_values_as_they_are():
    assert scaled(make_scales(False), [(5, -7), (6, 0.1)], learn=False).tolist() == [
        -7,
        np.float32(0.1),
    ]


def test_the_unit_of_a_feature_does_not_matter():
    stream = random_stream(np.random.default_rng(2), 400, 10)
    other = [
        one._replace(
            values=[
                value * np.float32(2.0 ** (feature % 9 - 4))
                for feature, value in zip(one.features, one.values, strict=True)
            ]
        )
        for one in stream
    ]
    learner, twin = LomLearner(Options(bits=BITS)), LomLearner(Options(bits=BITS))
    assert teach(learner, stream) == teach(twin, other)
    assert ask(learner, stream) == ask(twin, other)
