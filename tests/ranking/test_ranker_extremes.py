"""Numbers of any size leave finite ones, and a model that can be loaded."""

import numpy as np
import pytest

from lomtree.ranking.ranker import Ranker
from tests.generators.streams import example
from tests.ranking.rankers import OPTIONS, Lessons, contents, loaded, stored


@pytest.mark.parametrize("weight", [1e-30, 1.0, 1e30, 3e38])
def test_huge_and_tiny_values_leave_finite_numbers(weight):
    rng = np.random.default_rng(8)
    sizes = [1e-38, 1e-30, 1e-15, 1e-4, 1.0, 1e10, 1e19, 1e30, 3e38]
    stream = []
    for number in range(400):
        values = rng.choice(sizes, 4) * rng.choice([-1, 1], 4)
        chosen = rng.choice(12, 4, replace=False).tolist()
        stream.append(example(number % 5, dict(zip(chosen, values, strict=True)), weight))
    lessons = Lessons(rng, stream)
    lessons.mean_squares = rng.choice([1e-60, 1e-8, 1.0, 1e30, 1e76], len(stream))
    ranker = lessons.teach(Ranker(OPTIONS))
    assert contents(loaded(stored(ranker), 5)) == contents(ranker)
    for name, array in stored(ranker).arrays.items():
        assert np.isfinite(array).all(), name


def test_a_step_too_large_for_a_float32_is_limited():
    """A feature whose direction underflowed to 0 is beside one that takes the step."""
    lessons = Lessons(
        np.random.default_rng(9),
        [
            example(0, {1: 1e-4}, 1e38),
            example(1, {1: 1e-4}, 1e38),
            example(1, {1: 1e-31, 2: 1e-10}, 1e38),
            example(0, {1: 1e-31, 2: 1e-10}, 1e38),
            example(1, {1: 1e-31, 2: 1e-10}, 1e38),
        ],
        trees=1,
    )
    lessons.rivals[0] = [-1, 0, 0, 1, 0]
    lessons.mean_squares[:] = 1e-8
    ranker = lessons.teach(Ranker(OPTIONS))
    assert np.isfinite(stored(ranker).arrays["ranker.weight"]).all()


def test_a_list_weighs_parts_of_a_vector_of_length_1_even_where_its_length_has_been_lost():
    stream = [
        example(0, {1: 1e30}), example(0, {2: 1e20}), example(0, {1: -1e30}),
        example(0, {3: 1e-30}), example(0, {2: 1e-30, 3: 1e-30}),
    ]  # fmt: skip
    ranker = Lessons(np.random.default_rng(0), stream).teach(Ranker(OPTIONS))
    weights = stored(ranker).arrays["lists.weight"]
    assert (np.abs(weights) <= 1).all()
    assert contents(loaded(stored(ranker), 1)) == contents(ranker)
