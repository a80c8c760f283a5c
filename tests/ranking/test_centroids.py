"""A label's centroid is the sum of its examples; others are compared with it by their cosine."""

import numpy as np
import pytest

from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.examples.batch import Vector
from lomtree.hashing.open_addressing import LOAD_LIMIT
from lomtree.ranking.centroids import (
    ENOUGH,
    LARGEST_COSINE_WEIGHT,
    CentroidLearner,
    cosine,
    cosine_weight,
    length_of,
    load_centroids,
    most_rows,
    to_arrays,
)
from lomtree.storage.state_dict import StateDict
from tests.generators.models import whole
from tests.generators.streams import BITS, batch_of, example, leave_gaps, random_stream
from tests.oracles.centroids import Centroids as NaiveCentroids

OPTIONS = Options(bits=BITS)


def learned(stream, cuts=(), options=OPTIONS):
    centroid_learner = CentroidLearner(options)
    for part in np.split(np.arange(len(stream)), sorted(cuts)):
        centroid_learner.learn(batch_of([stream[i] for i in part]), len(part))
    return centroid_learner


def cosine_to(centroid_learner, one, label):
    batch = batch_of([one])
    vector = Vector(batch.features, batch.values, 0, len(one.features))
    return cosine(centroid_learner.centroids, vector, length_of(vector), label)


def stored(centroid_learner):
    parts = StateDict({}, {})
    parts.arrays |= {
        name: whole(part) for name, part in to_arrays(centroid_learner.centroids).items()
    }
    return parts


def contents(centroid_learner):
    return {name: array.tobytes() for name, array in stored(centroid_learner).arrays.items()}


def test_the_cosine_is_that_of_an_example_and_the_sum_of_a_labels_examples():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        stream = leave_gaps(rng, random_stream(rng, 200, 9, weighted=seed % 2 == 0))
        centroid_learner, naive = learned(stream), NaiveCentroids()
        for one in stream:
            naive.learn(*one)
        for one in random_stream(rng, 20, 9):
            for label in range(18):
                expected = naive.cosine(one.features, one.values, label)
                assert cosine_to(centroid_learner, one, label) == pytest.approx(expected, abs=1e-6)


def test_the_cosine_is_0_for_a_label_of_other_features():
    centroid_learner = learned([example(0, {1: 2.0, 2: 1.0}), example(1, {3: 1.0})])
    assert cosine_to(centroid_learner, example(0, {1: 4.0, 2: 2.0}), 0) == pytest.approx(1)
    assert cosine_to(centroid_learner, example(0, {1: 4.0, 2: 2.0}), 1) == 0
    assert cosine_to(centroid_learner, example(0, {1: -4.0, 2: -2.0}), 0) == pytest.approx(-1)


def test_the_cosine_is_0_where_nothing_is_known():
    centroid_learner = learned([example(0, {1: 1.0})])
    assert cosine_to(centroid_learner, example(0, {1: 1.0}), 7) == 0
    assert cosine_to(centroid_learner, example(0, {}), 0) == 0
    assert cosine_to(centroid_learner, example(0, {9: 1.0}), 0) == 0


def test_where_a_stream_is_cut_into_batches_changes_nothing():
    rng = np.random.default_rng(3)
    stream = leave_gaps(rng, random_stream(rng, 300, 40, weighted=True))
    whole = contents(learned(stream))
    assert all(contents(learned(stream, rng.integers(0, 300, 5))) == whole for _ in range(3))


def test_what_is_stored_does_not_depend_on_the_length_of_the_table():
    stream = [example(n % 50, dict.fromkeys(range(n, n + 40), 1.0)) for n in range(400)]
    grown = learned(stream)
    assert len(grown.centroids.table) > 1 << 12
    loaded = CentroidLearner(OPTIONS, load_centroids(stored(grown), OPTIONS, 50))
    assert contents(loaded) == contents(grown)
    marks = stored(grown).arrays["centroids.mark"].astype(np.int64)
    assert len(marks) == grown.centroids.used[0]
    assert np.all(np.diff(marks) > 0)


def test_learning_goes_on_from_a_file():
    rng = np.random.default_rng(4)
    stream = random_stream(rng, 300, 12)
    first = learned(stream[:150])
    second = CentroidLearner(OPTIONS, load_centroids(stored(first), OPTIONS, 12))
    second.learn(batch_of(stream[150:]), 150)
    assert contents(second) == contents(learned(stream))


def test_a_full_table_takes_no_new_pairs_and_goes_on_with_those_it_has():
    options = Options(bits=14)
    centroid_learner = learned([example(0, {7: 1.0, 8: 1.0})], options=options)
    flood = [example(1, {n: 1.0, n + 1: 1.0}) for n in range(100, 20_000, 2)]
    centroid_learner.learn(batch_of(flood), len(flood))
    assert len(centroid_learner.centroids.table) == most_rows(options)
    assert centroid_learner.centroids.used[0] <= LOAD_LIMIT * most_rows(options)
    centroid_learner.learn(batch_of([example(0, {7: 3.0, 9: 1.0})]), 1)
    assert cosine_to(centroid_learner, example(0, {7: 4.0, 8: 1.0}), 0) == pytest.approx(1)


def test_huge_values_leave_finite_sums():
    huge = example(0, {1: 3e38, 2: -3e38}, weight=1e9)
    centroid_learner = learned([huge, huge])
    assert np.isfinite(centroid_learner.centroids.table["sum"]).all()
    assert -1 <= cosine_to(centroid_learner, huge, 0) <= 1


def test_the_cosine_counts_less_the_more_examples_there_are_a_label():
    assert cosine_weight(0, 10) == LARGEST_COSINE_WEIGHT
    assert cosine_weight(10 * ENOUGH, 10) == LARGEST_COSINE_WEIGHT / 2
    assert cosine_weight(1e12, 10) < 1e-6


@pytest.mark.parametrize(
    ("name", "change"),
    {
        "marks out of order": ("mark", lambda marks: marks[::-1].copy()),
        "a mark of a free row": ("mark", lambda marks: marks * 0),
        "marks of another type": ("mark", lambda marks: marks.astype(np.int64)),
        "a sum that is no number": ("sum", lambda sums: sums * np.nan),
        "a sum too large": ("sum", lambda sums: sums * 0 + np.float32(1e38)),
        "fewer sums than marks": ("sum", lambda sums: sums[:-1]),
        "an infinite length": ("squares", lambda squares: squares + np.inf),
        "more labels than there are": ("squares", lambda squares: np.repeat(squares, 9)),
    }.values(),
)
def test_no_strange_centroids_are_let_in(name, change):
    parts = stored(learned([example(n % 3, {n: 1.0}) for n in range(9)]))
    parts.arrays[f"centroids.{name}"] = change(parts.arrays[f"centroids.{name}"])
    with pytest.raises(ModelError):
        load_centroids(parts, OPTIONS, 3)
