"""Losses, limits of a step, and a table that doubles without losing a weight."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.core.options import LOSSES, Options
from lomtree.examples.batch import CONSTANT, Vector
from lomtree.learners.lom.learner import LomLearner
from lomtree.linear.hashed_weights import (
    BLOCK,
    first_cells,
    index_of,
    make_room,
    make_weights,
    offset_of,
)
from lomtree.linear.update import Target, gradient, rule_of, score, update
from tests.generators.streams import Example, nodes_of, teach

LOSS_VALUE = {
    "squared": lambda h, c: (h - c) ** 2 / 2,
    "absolute": lambda h, c: abs(h - c),
    "logistic": lambda h, c: math.log1p(math.exp(-h * c)),
}


def rule_with(loss, adaptive, rate, power, clip):
    """These may be beyond what options allow."""
    update = "adaptive" if adaptive else "sgd"
    return rule_of(Options(loss=loss, update=update, learning_rate=rate, power_t=power, clip=clip))


def train(weights, rule, features, x, c, importance=1.0, examples=0.0, mean_square=1.0, slot=0):
    """One update; returns the scores before and after, as update() says and as they are."""
    features, x = np.array(features, np.uint32), np.array(x, np.float32)
    direction, vector = np.empty(len(x), np.float32), Vector(features, x, 0, len(x))
    before = score(weights, slot, vector)
    target = Target(c, importance, examples, mean_square)
    said = update(weights, rule, slot, vector, direction, np.float32(before), target)
    return before, said, score(weights, slot, vector)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("c", [-1.0, 1.0])
@pytest.mark.parametrize("h", [-30.0, -2.5, -0.9, 0.0, 0.3, 1.7, 30.0])
def test_gradients_are_the_derivatives_of_the_losses(loss, c, h):
    value, tiny = LOSS_VALUE[loss], 1e-5
    slope = (value(h + tiny, c) - value(h - tiny, c)) / (2 * tiny)
    assert gradient(LOSSES.index(loss), h, c) == pytest.approx(slope, rel=1e-5, abs=1e-9)


def test_the_logistic_gradient_of_any_score_is_finite():
    for h in (-3e38, -1e3, 1e3, 3e38):
        assert gradient(LOSSES.index("logistic"), h, 1.0) == (-1 if h < 0 else pytest.approx(0))


STEPS = st.lists(
    st.tuples(
        st.lists(st.integers(0, 4), unique=True, min_size=1),
        st.lists(st.floats(-4, 4, width=16), min_size=5, max_size=5),
        st.sampled_from([-1.0, 1.0]),
        st.sampled_from([1.0, 1.0, 0.01, 30.0, 1e9]),
    ),
    max_size=15,
)


@given(
    st.sampled_from(LOSSES),
    st.booleans(),
    st.sampled_from([0.01, 1.0, 1e6]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([0.01, 0.5, 3.0]),
    STEPS,
)
def test_no_example_moves_a_score_too_far(loss, adaptive, rate, power, clip, steps):
    weights = make_weights(10, adaptive)
    rule = rule_with(loss, adaptive, rate, power, clip)
    for examples, (features, x, c, importance) in enumerate(steps):
        before, said, after = train(
            weights, rule, features, x[: len(features)], c, importance, float(examples)
        )
        rounding = 1e-5 * max(1.0, 4.0 * float(np.abs(weights.table[:, 0]).max()))
        assert said == pytest.approx(after, abs=rounding)  # the closed form is the score
        limit = clip * (importance if importance < 1 else 1 + math.log(importance))
        assert abs(said - before) <= limit + rounding
        if loss == "logistic":
            assert (said - before) * c >= 0
        else:
            assert abs(said - c) <= abs(before - c) + rounding
            assert (said - c) * (before - c) >= -rounding * abs(before - c)


def test_sgd_steps_shrink_with_the_examples_a_regressor_has_seen():
    rule = rule_with("absolute", False, 0.5, 0.5, 1e6)
    for examples in (0.0, 3.0, 99.0):
        _, after, _ = train(make_weights(10, False), rule, [1], [1.0], 1.0, 1.0, examples)
        assert after == pytest.approx(0.5 / math.sqrt(1 + examples))


def test_adaptive_steps_shrink_with_the_mean_squared_norm_and_with_past_gradients():
    rule, weights = rule_with("absolute", True, 0.1, 0.5, 1e6), make_weights(10, True)
    moves = []
    for _ in range(3):
        before, after, _ = train(weights, rule, [1], [1.0], 1.0, mean_square=4.0)
        moves.append(after - before)
    assert moves == pytest.approx([0.05 / math.sqrt(n) for n in (1, 2, 3)], rel=1e-5)


def test_an_update_without_slope_or_without_values_changes_nothing():
    weights, rule = make_weights(10, True), rule_with("squared", True, 1.0, 0.5, 10.0)
    assert train(weights, rule, [], [], 1.0) == (0, 0, 0)
    assert train(weights, rule, [3], [0.0], 1.0) == (0, 0, 0)
    train(weights, rule, [3], [1.0], 1.0)
    before = weights.table.copy()
    assert train(weights, rule, [3], [1.0], 1.0) == (1, 1, 1)
    assert np.array_equal(weights.table, before)


@pytest.mark.parametrize("adaptive", [True, False])
def test_doubling_keeps_every_weight_findable(adaptive):
    weights, rng = make_weights(20, adaptive), np.random.default_rng(0)
    rule = rule_with("absolute", adaptive, 1.0, 0.5, 1.0)
    first = first_cells(len(weights.table))
    assert first == weights.size[0] == 1 << 18
    # Every feature has a line of its own in the smallest table, and any tag.
    lines = first // BLOCK
    features = (rng.permutation(lines) + lines * rng.integers(0, 256, lines)).astype(np.uint32)
    members = rng.integers(0, BLOCK, lines)
    indices = features.astype(np.int64) * BLOCK + members
    values = rng.uniform(0.5, 2, len(indices)).astype(np.float32)
    sizes, expected = set(), np.zeros(len(indices), np.float32)
    for begin in range(0, len(indices), 1_000):
        for member in range(BLOCK):
            mine = begin + np.flatnonzero(members[begin : begin + 1_000] == member)
            train(weights, rule, features[mine], values[mine], 1.0, slot=member)
        new = slice(begin, begin + 1_000)
        expected[new] = weights.table[indices[new] & (weights.size[0] - 1), 0]
        make_room(weights)
        sizes.add(int(weights.size[0]))
        found = weights.table[indices & (weights.size[0] - 1), 0]
        assert np.array_equal(found, expected)
    assert np.all(expected != 0)
    assert sizes == {1 << 18, 1 << 19}
    assert weights.size[1] == np.count_nonzero(weights.table[:, 0]) == len(indices)
    weights.size[1] = 2 * lines  # as if it were full: once more, to the end of its capacity
    make_room(weights)
    assert weights.size[0] == 1 << 20
    assert np.array_equal(weights.table[indices & (weights.size[0] - 1), 0], expected)


def test_a_stream_learned_while_the_table_doubles_gives_the_same_predictions():
    rng = np.random.default_rng(0)
    count, width = 500, 1360
    values = rng.normal(size=(count, width)).astype(np.float32)
    stream = [
        Example(list(range(width)), list(row), int(label))
        for row, label in zip(values, rng.integers(0, 150, count), strict=True)
    ]
    options = Options(bits=20, max_nodes=70, swap_resistance=100.0)
    growing, large = LomLearner(options), LomLearner(options)
    large.state.weights.size[0] = len(large.state.weights.table)
    results = teach(growing, stream[:250])
    growing.state.weights.size[1] = len(growing.state.weights.table)  # as if it were full
    results += teach(growing, stream[250:])
    expected = teach(large, stream)
    assert growing.state.weights.size[0] > first_cells(len(growing.state.weights.table))

    nodes = nodes_of(large)
    indices = np.array(
        [
            int(index_of(feature, offset_of(place)))
            for place in nodes["slot"][nodes["slot"] >= 0]
            for feature in np.arange(width, dtype=np.uint32)
        ]
    )
    smallest_mask = first_cells(len(growing.state.weights.table)) - 1
    assert len(np.unique(indices & smallest_mask)) == len(indices)  # or this stream is no test

    assert results == expected
    assert np.array_equal(nodes_of(growing), nodes)
    assert np.array_equal(weights_at(growing, indices), weights_at(large, indices))


def weights_at(learner, indices):
    table, _, size = learner.state.weights
    return table[indices & (size[0] - 1)]


def extreme_stream(rng, low, high):
    """Values of 10^low to 10^high with either sign, importances of 1e-9 to 1e9."""
    examples = []
    for _ in range(60):
        features = [int(f) for f in rng.choice(6, 4, replace=False)]
        values = 10.0 ** rng.uniform(low, high, 4) * rng.choice([-1, 1], 4)
        values = [np.float32(v) for v in [*values, 1]]
        weight = np.float32(10.0 ** rng.uniform(-9, 9))
        examples.append(Example([*features, CONSTANT], values, int(rng.integers(4)), weight))
    return examples


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("update_rule", ["sgd", "adaptive"])
@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_extreme_values_importances_and_steps_leave_everything_finite(loss, update_rule, power):
    for seed, (low, high) in enumerate([(15, 38.5), (-45, -15), (-38, 38), (-3, 3)] * 4):
        for rate, clip in ((1e-3, 0.5), (1.0, 0.5), (1e6, 0.5), (1e6, 1e6)):
            options = Options(
                bits=18, loss=loss, update=update_rule, learning_rate=rate, power_t=power,
                clip=clip, max_nodes=8, swap_resistance=1.0,
            )  # fmt: skip
            learner = LomLearner(options)
            teach(learner, extreme_stream(np.random.default_rng(seed), low, high))
            tree, statistics, weights, kept = learner.state
            assert np.isfinite(weights.table).all()
            assert np.isfinite(kept.weights).all()
            assert np.isfinite(tree.nodes["m"]).all()
            assert np.isfinite(statistics["m"]).all()
            assert np.isfinite(learner.scaler.scales.norms).all()
