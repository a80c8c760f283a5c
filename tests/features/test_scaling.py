"""Values are freed of their feature's unit and of their example's length, as far as is wanted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.options import SCALES, Options
from lomtree.features.scaling import COUNT_LIMIT, Scaler, make_scales
from lomtree.learners.lom.learner import LomLearner
from tests.generators.streams import BITS, ask, batch_of, example, random_stream, teach
from tests.oracles.regressor import Scales as NaiveScales

LARGEST = float(np.finfo(np.float32).max)
VALUES = st.floats(-LARGEST, LARGEST, width=32).filter(lambda value: value != 0)
ROWS = st.lists(st.dictionaries(st.integers(0, 3), VALUES), max_size=12)


def scaler(scale):
    return Scaler(make_scales(Options(scale=scale)))


def learned(scaler, row, label=0, weight=1.0):
    """The scaled values of an example that is learned, and the mean squared norm with it."""
    scaled, mean_squares = scaler.enter(batch_of([example(label, row, weight)]), 1)
    return scaled.values[: len(row)].tolist(), mean_squares[0]


def asked(scaler, row):
    """The scaled values of an example that is only asked about."""
    batch = batch_of([example(0, row)])
    scaled = scaler.outline(batch, 1)
    scaler.apply(batch, 0, 1, scaled)
    return scaled.values[: len(row)].tolist()


@pytest.mark.parametrize("kind", SCALES)
@settings(max_examples=50)
@given(rows=ROWS)
def test_scaling_is_the_naive_one(kind, rows):
    compiled, naive = scaler(kind), NaiveScales(kind)
    for row in rows:
        values = [np.float32(value) for value in row.values()]
        assert asked(compiled, row) == naive.scaled(list(row), values) or not naive.examples
        x, mean_square = learned(compiled, row)
        assert x == naive.learn(list(row), values)
        assert mean_square == naive.mean_square()


def test_rms_divides_by_the_root_mean_square_of_the_values_seen():
    scales, values = scaler("rms"), np.random.default_rng(0).normal(3, 2, 1000)
    for value in values:
        learned(scales, {5: value})
    assert asked(scales, {5: 1}) == [pytest.approx(1 / np.sqrt(np.mean(values**2)), rel=1e-4)]


def test_max_divides_by_the_largest_value_seen():
    scales = scaler("max")
    for value in (1, -8, 2):
        learned(scales, {5: value})
    assert asked(scales, {5: 4}) == [0.5]


def test_none_leaves_values_as_they_are():
    assert asked(scaler("none"), {5: -7, 6: 0.1}) == [-7, np.float32(0.1)]


def test_l2_makes_every_example_as_long():
    scales = scaler("l2")
    for row in ({1: 3, 2: 4}, {1: 1e6}, {2: 0.1, 3: -5, 4: 7}):
        assert np.linalg.norm(learned(scales, row)[0]) == pytest.approx(1)
        assert np.linalg.norm(asked(scales, row)) == pytest.approx(1)
    assert learned(scales, {}) == ([], 0.75)  # nothing has no length


def test_what_is_not_learned_does_not_count():
    scales = scaler("rms")
    learned(scales, {5: 2})
    for label, weight in ((-1, 1.0), (0, 0.0)):
        assert learned(scales, {5: 8}, label, weight) == ([4], 1)
    assert asked(scales, {5: 2}) == [1]


@given(ROWS)
def test_a_learned_value_is_at_most_the_root_of_how_many_were_seen(rows):
    scales = scaler("rms")
    for seen, row in enumerate(rows, 1):
        assert np.all(np.abs(learned(scales, row)[0]) <= np.sqrt(seen) * 1.00001)


def test_the_first_value_of_a_feature_is_1_and_a_feature_never_seen_is_0():
    scales = scaler("rms")
    assert learned(scales, {5: -1e-30})[0] == [-1]
    assert asked(scales, {6: 1e30}) == [0]


def test_an_outlier_after_very_many_values_is_still_scaled():
    scales = scaler("rms")
    scales.scales.table[5] = COUNT_LIMIT, 1e-20
    assert abs(learned(scales, {5: 1e30})[0][0]) <= 4097
    assert scales.scales.table[5, 0] == COUNT_LIMIT


def test_a_value_far_beyond_those_seen_is_scaled_to_a_finite_one():
    scales = scaler("rms")
    learned(scales, {5: 1e-38})
    assert np.isfinite(asked(scales, {5: 1e38})).all()


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
    learner, twin = (LomLearner(Options(bits=BITS, scale="l2")) for _ in range(2))
    assert teach(learner, stream) == teach(twin, other)
    assert ask(learner, stream) == ask(twin, other)
