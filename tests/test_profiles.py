"""What the examples of a label look like is summed up, and how like another one is to them."""

import numpy as np
import pytest
from models import whole
from naive_profiles import Profiles as NaiveProfiles
from streams import BITS, batch_of, example, leave_gaps, random_stream

from lomtree.errors import ModelError
from lomtree.options import Options
from lomtree.parts import Parts
from lomtree.profiles import (
    ENOUGH,
    FULL,
    LIKENESS,
    Profiler,
    length_of,
    likeness,
    load_profiles,
    most_rows,
    to_arrays,
    weight_of_likeness,
)

OPTIONS = Options(bits=BITS)


def learned(stream, cuts=(), options=OPTIONS):
    profiler = Profiler(options)
    for part in np.split(np.arange(len(stream)), sorted(cuts)):
        profiler.learn(batch_of([stream[i] for i in part]), len(part))
    return profiler


def like(profiler, one, label):
    batch = batch_of([one])
    length = length_of(batch, 0, len(one.features))
    return likeness(profiler.profiles, batch, 0, len(one.features), length, label)


def stored(profiler):
    parts = Parts({}, {})
    parts.arrays |= {name: whole(part) for name, part in to_arrays(profiler.profiles).items()}
    return parts


def contents(profiler):
    return {name: array.tobytes() for name, array in stored(profiler).arrays.items()}


def test_likeness_is_the_cosine_of_an_example_and_the_sum_of_a_labels_examples():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        stream = leave_gaps(rng, random_stream(rng, 200, 9, weighted=seed % 2 == 0))
        profiler, naive = learned(stream), NaiveProfiles()
        for one in stream:
            naive.learn(*one)
        for one in random_stream(rng, 20, 9):
            for label in range(18):
                expected = naive.likeness(one.features, one.values, label)
                assert like(profiler, one, label) == pytest.approx(expected, abs=1e-6)


def test_an_example_is_like_its_own_label_alone():
    profiler = learned([example(0, {1: 2.0, 2: 1.0}), example(1, {3: 1.0})])
    assert like(profiler, example(0, {1: 4.0, 2: 2.0}), 0) == pytest.approx(1)
    assert like(profiler, example(0, {1: 4.0, 2: 2.0}), 1) == 0
    assert like(profiler, example(0, {1: -4.0, 2: -2.0}), 0) == pytest.approx(-1)


def test_nothing_is_like_what_nobody_knows():
    profiler = learned([example(0, {1: 1.0})])
    assert like(profiler, example(0, {1: 1.0}), 7) == 0
    assert like(profiler, example(0, {}), 0) == 0
    assert like(profiler, example(0, {9: 1.0}), 0) == 0


def test_where_a_stream_is_cut_into_batches_changes_nothing():
    rng = np.random.default_rng(3)
    stream = leave_gaps(rng, random_stream(rng, 300, 40, weighted=True))
    whole = contents(learned(stream))
    assert all(contents(learned(stream, rng.integers(0, 300, 5))) == whole for _ in range(3))


def test_what_is_stored_does_not_depend_on_the_length_of_the_table():
    stream = [example(n % 50, dict.fromkeys(range(n, n + 40), 1.0)) for n in range(400)]
    grown = learned(stream)
    assert len(grown.profiles.table) > 1 << 12
    loaded = Profiler(OPTIONS, load_profiles(stored(grown), OPTIONS, 50))
    assert contents(loaded) == contents(grown)
    marks = stored(grown).arrays["profiles.mark"].astype(np.int64)
    assert len(marks) == grown.profiles.used[0]
    assert np.all(np.diff(marks) > 0)


def test_learning_goes_on_from_a_file():
    rng = np.random.default_rng(4)
    stream = random_stream(rng, 300, 12)
    first = learned(stream[:150])
    second = Profiler(OPTIONS, load_profiles(stored(first), OPTIONS, 12))
    second.learn(batch_of(stream[150:]), 150)
    assert contents(second) == contents(learned(stream))


def test_a_full_table_takes_no_new_pairs_and_goes_on_with_those_it_has():
    options = Options(bits=14)
    profiler = learned([example(0, {7: 1.0, 8: 1.0})], options=options)
    flood = [example(1, {n: 1.0, n + 1: 1.0}) for n in range(100, 20_000, 2)]
    profiler.learn(batch_of(flood), len(flood))
    assert len(profiler.profiles.table) == most_rows(options)
    assert profiler.profiles.used[0] <= FULL * most_rows(options)
    profiler.learn(batch_of([example(0, {7: 3.0, 9: 1.0})]), 1)
    assert like(profiler, example(0, {7: 4.0, 8: 1.0}), 0) == pytest.approx(1)


def test_huge_values_leave_finite_sums():
    huge = example(0, {1: 3e38, 2: -3e38}, weight=1e9)
    profiler = learned([huge, huge])
    assert np.isfinite(profiler.profiles.table["sum"]).all()
    assert -1 <= like(profiler, huge, 0) <= 1


def test_likeness_counts_less_the_more_examples_there_are_a_label():
    assert weight_of_likeness(0, 10) == LIKENESS
    assert weight_of_likeness(10 * ENOUGH, 10) == LIKENESS / 2
    assert weight_of_likeness(1e12, 10) < 1e-6


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
def test_no_strange_profiles_are_let_in(name, change):
    parts = stored(learned([example(n % 3, {n: 1.0}) for n in range(9)]))
    parts.arrays[f"profiles.{name}"] = change(parts.arrays[f"profiles.{name}"])
    with pytest.raises(ModelError):
        load_profiles(parts, OPTIONS, 3)
