"""--scale auto: columns of any unit, and words."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.features.auto_size import CENTRE, SIZE
from lomtree.features.scaling import Scaler, load_scales, make_scales, store_scales
from lomtree.storage.state_dict import StateDict
from tests.features.test_scaling import asked, learned, scaler
from tests.generators.streams import batch_of, example
from tests.oracles.regressor import IDF_POWER, auto_weight, centre_of
from tests.oracles.regressor import Scales as NaiveScales

SIZES = st.floats(float(np.float32(1e-38)), float(np.float32(3e38)), width=32)
VALUES = st.builds(math.copysign, SIZES, st.sampled_from([-1.0, 1.0]))
WILD = st.lists(st.dictionaries(st.integers(0, 3), VALUES), max_size=20)
TAME = st.floats(0.125, 8, width=32)
ROWS = st.lists(st.dictionaries(st.integers(0, 4), TAME, min_size=1), min_size=1, max_size=7)
COLUMN = 99  # a feature that every example has


def by_the_rule(rows) -> list[float]:
    """The last of these examples: all values less their centres, / (rms / common)^w * idf^P, and by
    its length."""
    examples, rare, rare_squares = len(rows), 0.0, 0.0
    for number, row in enumerate(rows, 1):
        for feature, value in row.items():
            count = sum(feature in one for one in rows[:number])
            free = 1 - auto_weight(count, number)
            rare, rare_squares = rare + free, rare_squares + free * value**2
    common = math.sqrt(rare_squares / rare) if rare else 1.0
    found = []
    for feature, value in rows[-1].items():
        seen = [one[feature] for one in rows if feature in one]
        centre = centre_of(seen, examples)
        rms = math.sqrt(sum((one - centre) ** 2 for one in seen) / len(seen))
        idf = 1 + math.log((1 + examples) / (1 + len(seen)))
        w = auto_weight(len(seen), examples)
        found.append((value - centre) / (rms / common) ** w * idf**IDF_POWER)
    return [x / (math.hypot(*found) or 1) for x in found]


@given(ROWS)
def test_values_are_scaled_by_the_rule(rows):
    scales = scaler("auto")
    for number, row in enumerate(rows, 1):
        wanted = by_the_rule(rows[:number])
        assert learned(scales, row)[0] == pytest.approx(wanted, rel=1e-4, abs=1e-4)


def text_like(rng, count):
    """Rows with common and rare words, and a column; each word has a usual size of its own."""
    for _ in range(count):
        words = {int(word) for word in rng.zipf(1.3, 8) if word < 5000}
        yield {word: rng.exponential(1 + word % 3) + 0.1 for word in words} | {9999: rng.normal()}


def test_sizes_that_are_kept_are_near_those_of_the_rule():
    scales, naive = scaler("auto"), NaiveScales()
    for row in text_like(np.random.default_rng(0), 3000):
        learned(scales, row)
        naive.learn(list(row), [np.float32(value) for value in row.values()])
    assert len(naive.count) > 500
    for feature, count in naive.count.items():
        if count > 8:  # those of rare features are of the last example with them
            kept = scales.scales.table[feature, SIZE]
            assert kept == pytest.approx(naive.auto_size(feature), rel=0.25)


@pytest.mark.parametrize("origin", [0.0, -5.0, 300.0, 4e4])
def test_where_a_column_begins_that_every_example_has_does_not_matter(origin):
    """Degrees of Celsius and of Fahrenheit are the same, from the second value on."""
    rng, scales, twin = np.random.default_rng(2), scaler("auto"), scaler("auto")
    for number in range(300):
        value, row = float(rng.normal()), {int(word): 1.0 for word in rng.integers(0, 30, 3)}
        one, other = {COLUMN: value} | row, {COLUMN: 1.8 * value + origin} | row
        found = learned(scales, one)[0], learned(twin, other)[0]
        if number > 0:
            assert found[0] == pytest.approx(found[1], rel=1e-2, abs=1e-2)
            assert asked(scales, one) == pytest.approx(asked(twin, other), rel=1e-2, abs=1e-2)


def test_a_constant_stays_what_it_is_and_so_does_what_most_examples_have():
    rng, scales = np.random.default_rng(3), scaler("auto")
    for _ in range(200):
        column = {COLUMN: rng.normal(5)} if rng.random() < 0.8 else {}
        learned(scales, {1: 1e6, 2: 7.0} | column)
    table = scales.scales.table
    assert table[1, CENTRE] == table[2, CENTRE] == 0
    assert 0 < table[COLUMN, CENTRE] < 0.1
    million, seven = asked(scales, {1: 1e6, 2: 7.0})
    assert million == pytest.approx(seven)
    assert seven > 0


@given(
    st.lists(st.tuples(TAME, st.dictionaries(st.integers(0, 3), TAME)), max_size=30),
    st.sampled_from([1e-30, 1e-3, 0.7, 1e4, 1e30]),
)
def test_the_unit_of_a_column_that_every_example_has_does_not_matter(rows, unit):
    scales, twin = scaler("auto"), scaler("auto")
    for value, row in rows:
        one, other = {COLUMN: value} | row, {COLUMN: value * unit} | row
        found = learned(scales, one)[0], learned(twin, other)[0]
        assert found[0] == pytest.approx(found[1], rel=1e-4, abs=1e-4)
        assert asked(scales, one) == pytest.approx(asked(twin, other), rel=1e-4, abs=1e-4)


def test_words_keep_their_proportions_and_rare_ones_count_more():
    scales = scaler("auto")
    for number in range(1000):
        learned(scales, {number: 1, 2000 + number % 100: 5})
    once, often = asked(scales, {7: 1, 2007: 1})
    assert 1 < once / often < 5
    one, two = asked(scales, {2001: 1, 2002: 2})
    assert two / one == pytest.approx(2, rel=0.1)


@given(WILD)
def test_huge_and_tiny_values_stay_finite(rows):
    scales = scaler("auto")
    for row in rows:
        assert np.isfinite(learned(scales, row)[0]).all()
    for value in (1e-38, 1, 3e38):
        assert np.isfinite(asked(scales, {0: value, 1: 1, 2: -value})).all()
    assert np.isfinite(scales.scales.table).all()


@given(ROWS, st.dictionaries(st.integers(10, 12), TAME, min_size=1))
def test_a_feature_never_seen_is_scaled_as_learning_would(rows, new):
    """Nothing is known of an example but new features, so that all its sizes are new."""
    scales = scaler("auto")
    for row in rows:
        learned(scales, row)
    found = asked(scales, new)
    assert found == pytest.approx(learned(scales, new)[0], rel=0.1)


def test_the_scales_are_those_of_the_naive_ones_for_what_was_never_seen():
    scales, naive = scaler("auto"), NaiveScales()
    for number, row in enumerate(text_like(np.random.default_rng(1), 400)):
        row = {feature: float(np.float32(value)) for feature, value in row.items()}
        values = [np.float32(value) for value in row.values()]
        wanted = [float(x) for x in naive.scaled(list(row), values)]
        assert asked(scales, row) == pytest.approx(wanted, rel=1e-4), number
        learned(scales, row)
        naive.learn(list(row), values)


def content(scaler):
    return [array.tobytes() for array in scaler.scales[1:]]


@given(ROWS, st.integers(0, 7))
def test_cutting_a_stream_into_batches_changes_nothing(rows, cut):
    whole, parts = scaler("auto"), scaler("auto")
    for scales, edges in ((whole, [0, len(rows)]), (parts, [0, min(cut, len(rows)), len(rows)])):
        for begin, end in pairwise(edges):
            scales.enter(batch_of([example(0, row) for row in rows[begin:end]]), end - begin)
    assert content(whole) == content(parts)


def stored(scaler) -> StateDict:
    """As it comes from a file."""
    state_dict = StateDict({}, {})
    store_scales(scaler.scales, state_dict, predict_only=False)
    arrays = {
        name: np.concatenate([piece.copy() for piece in array.pieces()])
        if hasattr(array, "pieces")
        else array.copy()
        for name, array in state_dict.arrays.items()
    }
    return StateDict(state_dict.header, arrays)


def test_a_stored_one_goes_on_as_if_nothing_had_happened():
    rows = list(text_like(np.random.default_rng(1), 400))
    scales = scaler("auto")
    for row in rows[:300]:
        learned(scales, row)
    twin = Scaler(load_scales(stored(scales), Options(), learning=True))
    for row in rows[300:]:
        assert asked(twin, row) == asked(scales, row)
        assert learned(twin, row) == learned(scales, row)
    assert content(twin) == content(scales)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("count", 2.0**60),
        ("count", -1),
        ("squares", -1),
        ("sum", np.nan),
        ("centre", np.inf),
        ("centre", np.nan),
        ("squares", np.inf),
        ("size", np.nan),
        ("size", -1),
        ("norms", -1),
        ("common", np.nan),
        ("common", np.inf),
        ("common", -1),
    ],
)
def test_what_no_stream_leads_to_is_refused(name, value):
    scales = scaler("auto")
    learned(scales, {1: 2, 3: 4})
    state_dict = stored(scales)
    state_dict.arrays[f"scales.{name}"][0] = value
    with pytest.raises(ModelError):
        load_scales(state_dict, Options(), learning=True)


@pytest.mark.parametrize("sums", [(1e-300, 1e300), (1e300, 1e-300), (0, 1), (1, 0)])
@pytest.mark.parametrize("examples", [0, 1, 1e15])
def test_strange_sums_do_not_make_strange_values(sums, examples):
    scales = Scaler(make_scales(Options()))
    scales.scales.common[:], scales.scales.norms[0] = sums, examples
    scales.scales.table[1] = 1e9, 1e-300, 1e300, -1e300, 1e300
    scales.scales.table[2] = 1e-300, 1e300, 1e-300, 1e300, 1e-300
    for row in ({1: 1, 2: 3e38, 3: 1e-38}, {1: -1, 3: 1}):
        assert np.isfinite(asked(scales, row)).all()
        assert np.isfinite(learned(scales, row)[0]).all()
