"""Signs are combined by weights that take a step of Newton's method at each example."""

import numpy as np
import pytest

from lomtree.core.errors import ModelError
from lomtree.ranking.combination import (
    FIRST,
    SIGNS,
    find_shares,
    learn,
    load_combination,
    make_combination,
    make_scratch,
    solve,
    store_combination,
)
from lomtree.storage.state_dict import StateDict
from tests.oracles.ranking import Combination as NaiveCombination

MOST = 12


def random_lessons(rng, count):
    """(signs, right), of which the cosine tells most."""
    lessons = []
    for _ in range(count):
        candidates = int(rng.integers(0, MOST + 1))
        signs = np.column_stack(
            [
                np.log(rng.uniform(1e-3, 1, candidates)),
                rng.uniform(-1, 1, candidates),
                rng.normal(0, 3, candidates),
            ]
        )
        logits = np.append(6 * signs[:, 1] + 0.3 * signs[:, 2], 1.0)
        chances = np.exp(logits - logits.max())
        lessons.append((signs, int(rng.choice(candidates + 1, p=chances / chances.sum()))))
    return lessons


def teach(combination, lessons):
    scratch = make_scratch(MOST)
    for signs, right in lessons:
        learn(combination, scratch, signs, len(signs), right)
    return combination


def stored(combination, predict_only=False):
    state_dict = StateDict({}, {})
    store_combination(combination, state_dict, predict_only)
    return state_dict


def test_the_solution_is_that_of_numpy():
    rng = np.random.default_rng(0)
    for size in (1, 2, 4, 4, 4, 7):
        half = rng.normal(size=(size, size))
        matrix, wanted = half @ half.T + 0.1 * np.eye(size), rng.normal(size=size)
        rows = np.column_stack([matrix, wanted])
        solve(rows)
        assert rows[:, size] == pytest.approx(np.linalg.solve(matrix, wanted), rel=1e-6)


def test_it_learns_as_the_naive_one():
    for seed in range(5):
        lessons = random_lessons(np.random.default_rng(seed), 300)
        combination, naive = make_combination(), NaiveCombination()
        scratch = make_scratch(MOST)
        for signs, right in lessons:
            shares = np.empty(len(signs) + 1)
            find_shares(combination.weights, signs, len(signs), shares)
            assert shares == pytest.approx(naive.shares(signs), rel=1e-6, abs=1e-12)
            learn(combination, scratch, signs, len(signs), right)
            naive.learn(signs, right)
            assert combination.weights == pytest.approx(naive.weights, rel=1e-6, abs=1e-9)
            np.testing.assert_allclose(combination.curvature, naive.curvature, rtol=1e-6, atol=1e-9)


def test_it_finds_the_weights_that_made_the_lessons():
    combination = teach(make_combination(), random_lessons(np.random.default_rng(1), 4000))
    assert combination.weights == pytest.approx([0.0, 6.0, 0.3, 1.0], abs=1.0)


def test_nothing_is_learned_where_nothing_can_be_chosen():
    combination = teach(make_combination(), [(np.empty((0, 3)), 0)] * 5)
    assert combination.weights.tolist() == list(FIRST)


@pytest.mark.parametrize("huge", [1e10, 1e30])
def test_huge_signs_leave_weights_that_can_be_loaded(huge):
    rng = np.random.default_rng(2)
    lessons = random_lessons(rng, 600)
    for signs, _ in lessons[::3]:
        signs[:, 2] *= rng.choice([huge, -huge, 1 / huge], len(signs))
    combination = make_combination()
    for lesson in lessons:
        teach(combination, [lesson])
        assert np.isfinite(combination.weights).all()
    again = load_combination(stored(combination), learning=True)
    assert all(np.array_equal(*pair) for pair in zip(again, combination, strict=True))


def test_a_file_keeps_it():
    lessons = random_lessons(np.random.default_rng(3), 200)
    first = teach(make_combination(), lessons[:100])
    again = teach(load_combination(stored(first), learning=True), lessons[100:])
    whole = teach(make_combination(), lessons)
    for one, two in zip(again, whole, strict=True):
        assert one.tobytes() == two.tobytes()
    small = load_combination(stored(whole, predict_only=True), learning=False)
    assert small.weights.tobytes() == whole.weights.tobytes()


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


DAMAGES = {
    "weights of another type": ("weights", lambda array: array.astype(np.float32)),
    "too few weights": ("weights", lambda array: array[:-1]),
    "a weight that is no number": ("weights", put(0, np.nan)),
    "an infinite weight": ("weights", put(-1, -np.inf)),
    "a weight too large": ("weights", put(1, 2e6)),
    "a curvature of another type": ("curvature", lambda array: array.astype(np.float32)),
    "a curvature that is a matrix": ("curvature", lambda array: array.reshape(SIGNS, SIGNS)),
    "too little curvature": ("curvature", lambda array: array[:-1]),
    "a curvature that is no number": ("curvature", put(3, np.nan)),
    "an infinite curvature": ("curvature", put(0, np.inf)),
    "a negative curvature": ("curvature", put(0, -1.0)),
    "no curvature": ("curvature", lambda array: 0 * array),
    "a curvature of equations without a solution": ("curvature", lambda array: 0 * array + 9),
    "a saddle": ("curvature", lambda array: put(1, 1e3)(put(4, 1e3)(array))),
    "a curvature whose squares are infinite": ("curvature", lambda array: 1e300 * array),
}


@pytest.mark.parametrize(("name", "change"), DAMAGES.values(), ids=DAMAGES.keys())
def test_no_strange_one_is_let_in(name, change):
    parts = stored(make_combination())
    parts.arrays[f"combination.{name}"] = change(parts.arrays[f"combination.{name}"].copy())
    with pytest.raises(ModelError):
        load_combination(parts, learning=True)
