"""Signs are combined by weights that take a step of Newton's method at each example."""

import numpy as np
import pytest

from lomtree.core.errors import ModelError
from lomtree.ranking.combination import (
    COSINE,
    FADED,
    FIRST,
    FIRST_MEMORY,
    MEMORY,
    NONE,
    REGRESSOR,
    ROOTS,
    SIGNS,
    fade,
    find_shares,
    learn_weighted,
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
                rng.uniform(-1, 1, candidates),
                rng.uniform(0, 1, candidates),
                rng.normal(0, 3, candidates),
                rng.exponential(1, candidates),
            ]
        )
        signs[:, ROOTS] = 0.7 * signs[:, COSINE] + 0.3 * signs[:, ROOTS]  # alike, as they are
        logits = np.append(6 * signs[:, COSINE] + 0.3 * signs[:, REGRESSOR], 1.0)
        chances = np.exp(logits - logits.max())
        lessons.append((signs, int(rng.choice(candidates + 1, p=chances / chances.sum()))))
    return lessons


def teach(combination, lessons):
    scratch = make_scratch(MOST)
    for signs, right in lessons:
        learn_weighted(combination, scratch, signs, len(signs), right, 1.0, MEMORY)
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
            learn_weighted(combination, scratch, signs, len(signs), right, 1.0, MEMORY)
            naive.learn(signs, right)
            assert combination.weights == pytest.approx(naive.weights, rel=1e-6, abs=1e-9)
            np.testing.assert_allclose(combination.curvature, naive.curvature, rtol=1e-6, atol=1e-9)


def test_so_it_does_by_importance_and_after_it_faded():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        combination, naive, scratch = make_combination(), NaiveCombination(), make_scratch(MOST)
        for number, (signs, right) in enumerate(random_lessons(rng, 200)):
            if number in (0, 50, 51, 52, 120):
                fade(combination)
                naive.fade()
            importance = float(rng.choice([0.1, 1.0, 7.0]))
            memory = float(rng.choice([0.9, FIRST_MEMORY, MEMORY]))
            learn_weighted(combination, scratch, signs, len(signs), right, importance, memory)
            naive.learn(signs, right, importance, memory)
            assert combination.weights == pytest.approx(naive.weights, rel=1e-6, abs=1e-9)
            np.testing.assert_allclose(combination.curvature, naive.curvature, rtol=1e-6, atol=1e-9)


def test_no_sign_speaks_against_a_label():
    """The candidate is right whose signs are the smallest."""
    rng, combination, scratch = np.random.default_rng(4), make_combination(), make_scratch(MOST)
    at_the_limit = np.zeros(SIGNS, np.bool_)
    for _ in range(200):
        signs = np.sort(rng.uniform(-1, 1, (5, NONE)), axis=0)
        learn_weighted(combination, scratch, signs, 5, 0, 1.0, MEMORY)
        assert (combination.weights[:NONE] >= 0).all()
        at_the_limit |= combination.weights == 0
    assert at_the_limit.tolist() == [True] * NONE + [False]


def test_what_faded_stays_as_it_was_but_is_sooner_given_up():
    lessons = random_lessons(np.random.default_rng(5), 400)
    faded, kept = (teach(make_combination(), lessons) for _ in range(2))
    fade(faded)
    assert faded.weights.tolist() == kept.weights.tolist()
    np.testing.assert_allclose(faded.curvature, FADED * kept.curvature)
    before = kept.weights.copy()
    strange = next(
        (signs, int(signs[:, COSINE].argmin())) for signs, _ in lessons if len(signs) == MOST
    )
    moved = [abs(teach(one, [strange]).weights - before).max() for one in (faded, kept)]
    assert moved[0] > 2 * moved[1] > 0


@pytest.mark.parametrize("times", [1, 2, 5, 500])
def test_it_can_be_loaded_however_often_it_faded(times):
    """So it is if a model is trained in several passes of a few examples again and again."""
    lessons = random_lessons(np.random.default_rng(6), 3)
    for combination in (make_combination(), teach(make_combination(), lessons)):
        for _ in range(times):
            fade(combination)
        again = load_combination(stored(combination), learning=True)
        assert np.array_equal(again.curvature, combination.curvature)
        assert np.isfinite(teach(again, lessons).weights).all()


def test_it_finds_the_weights_that_made_the_lessons():
    combination = teach(make_combination(), random_lessons(np.random.default_rng(1), 4000))
    assert combination.weights == pytest.approx([0.0, 6.0, 0.0, 0.0, 0.3, 0.0, 1.0], abs=1.0)


def test_nothing_is_learned_where_nothing_can_be_chosen():
    combination = teach(make_combination(), [(np.empty((0, NONE)), 0)] * 5)
    assert combination.weights.tolist() == list(FIRST)


@pytest.mark.parametrize("huge", [1e10, 1e30])
def test_huge_signs_leave_weights_that_can_be_loaded(huge):
    rng = np.random.default_rng(2)
    lessons = random_lessons(rng, 600)
    for signs, _ in lessons[::3]:
        signs[:, REGRESSOR] *= rng.choice([huge, -huge, 1 / huge], len(signs))
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
    "a curvature whose squares are infinite": ("curvature", lambda array: 1e300 * array),
}


@pytest.mark.parametrize(("name", "change"), DAMAGES.values(), ids=DAMAGES.keys())
def test_no_strange_one_is_let_in(name, change):
    parts = stored(make_combination())
    parts.arrays[f"combination.{name}"] = change(parts.arrays[f"combination.{name}"].copy())
    with pytest.raises(ModelError):
        load_combination(parts, learning=True)
