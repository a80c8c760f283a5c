"""Repeated features become one, and then the score after an update is what the weights say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT, Batch, Vector
from lomtree.examples.merging import Merger
from lomtree.formats.libsvm import parse as parse_libsvm
from lomtree.formats.line import make_arrays
from lomtree.formats.one_line import read_line
from lomtree.linear.hashed_weights import make_weights
from lomtree.linear.update import Target, rule_of, score, update

LARGEST = float(np.finfo(np.float32).max)


def merged_slowly(example):
    """[(feature, value)] in the order in which features came first; sums in float32."""
    sums: dict[int, np.float32] = {}
    for feature, value in example:
        total = float(sums.get(feature, np.float32(0))) + float(np.float32(value))
        sums[feature] = np.float32(min(max(total, -LARGEST), LARGEST))
    repeated = {feature for feature, _ in example if [f for f, _ in example].count(feature) > 1}
    return [(f, value) for f, value in sums.items() if value != 0 or f not in repeated]


def batch_of(examples) -> Batch:
    flat = [pair for example in examples for pair in example]
    return Batch(
        np.cumsum([0, *map(len, examples)]).astype(np.int64),
        np.array([feature for feature, _ in flat], np.uint32),
        np.array([value for _, value in flat], np.float32),
        np.zeros(len(examples), np.int32),
        np.ones(len(examples), np.float32),
    )


def pairs_of(batch: Batch, count: int) -> list:
    return [
        list(zip(batch.features[begin:end].tolist(), batch.values[begin:end], strict=True))
        for begin, end in zip(batch.starts[:count], batch.starts[1 : count + 1], strict=True)
    ]


PAIRS = st.tuples(
    st.sampled_from([0, 1, 2, 3, 77, CONSTANT, CONSTANT + 1, 2**32 - 1]),
    st.sampled_from([1.0, -1.0, 0.5, 3e38, -3e38, 1e-3]),
)


@given(st.lists(st.lists(PAIRS, max_size=12), max_size=8))
def test_as_a_dictionary_would_merge_them(examples):
    batch = batch_of(examples)
    Merger().merge(batch, len(examples), np.ones(len(examples), np.uint8))
    assert pairs_of(batch, len(examples)) == [merged_slowly(example) for example in examples]


def test_many_long_examples_through_one_merger():
    rng, merger = np.random.default_rng(1), Merger()
    for length in (10, 3000, 100_000, 50):
        examples = [[(int(f), 1.0) for f in rng.integers(0, length, length)] for _ in range(3)]
        batch = batch_of(examples)
        merger.merge(batch, 3, np.ones(3, np.uint8))
        for found, example in zip(pairs_of(batch, 3), examples, strict=True):
            features, counts = np.unique([f for f, _ in example], return_counts=True)
            assert sorted(found) == list(zip(features.tolist(), counts.tolist(), strict=True))


def test_what_certainly_has_no_repetition_is_left_alone():
    examples = [[(1, 1.0), (1, 1.0)], [(7, 1.0), (7, 2.0), (8, 1.0)], [(5, 1.0)]]
    batch = batch_of(examples)
    Merger().merge(batch, 3, np.array([0, 1, 0], np.uint8))
    assert pairs_of(batch, 3) == [examples[0], [(7, 3.0), (8, 1.0)], examples[2]]
    batch = batch_of(examples)
    Merger().merge(batch, 3, np.zeros(3, np.uint8))
    assert pairs_of(batch, 3) == examples


def test_libsvm_text_says_which_examples_may_repeat_a_feature():
    lines = b"a 1:1 2:1 9:1\na 2:1 1:1\na 1:1 1:1\na 3:1 %d:1\na\n" % CONSTANT
    batch, spans = make_arrays(len(lines), 5)
    count, _ = parse_libsvm(np.frombuffer(lines, np.uint8), 0, len(lines), batch, spans)
    assert spans.may_repeat[:count].tolist() == [0, 1, 1, 1, 0]


def test_stamps_begin_again_before_they_repeat():
    merger = Merger()
    merger._next_stamp = 2**16 - 2
    for _ in range(3):
        batch = batch_of([[(4, 1.0), (4, 1.0)], [(4, 1.0)]])
        merger.merge(batch, 2, np.ones(2, np.uint8))
        assert pairs_of(batch, 2) == [[(4, 2.0)], [(4, 1.0)]]
    assert merger._next_stamp < 10


def test_rising_indices_with_a_constant_among_them():
    examples = [[(1, 1.0), (CONSTANT, 2.0), (CONSTANT, 1.0)], [(5, 1.0), (9, 1.0), (CONSTANT, 1.0)]]
    batch = batch_of(examples)
    Merger().merge(batch, 2, np.ones(2, np.uint8))
    assert pairs_of(batch, 2) == [[(1, 1.0), (CONSTANT, 3.0)], examples[1]]


def features_of(line: bytes) -> list:
    examples = read_line(line)
    return pairs_of(examples.batch, 1)[0]


def test_both_formats_merge():
    assert features_of(b"a |f x x x y") == features_of(b"a |f x:3 y")
    assert features_of(b"a |f x:2 y x:-2") == features_of(b"a |f y")
    assert features_of(b"1 3:1 5:2 3:1") == features_of(b"1 3:2 5:2")
    assert len(features_of(b"a |f x |g x")) == 3  # of two namespaces, and the constant


def test_the_score_after_an_update_is_the_one_of_the_weights():
    """It was reported at 0.5, the most that an example may move it, and stood at 2.2."""
    options = Options(bits=18)
    weights, rule = make_weights(18, adaptive=True), rule_of(options)
    batch = read_line(b"a |f x x x x x y").batch
    vector = Vector(batch.features, batch.values, 0, int(batch.starts[1]))
    direction = np.empty(8, np.float32)
    target = Target(1.0, 1.0, 0.0, 1.0)
    after = update(weights, rule, 0, vector, direction, np.float32(0), target)
    assert np.isclose(after, score(weights, 0, vector), rtol=1e-5)
    assert 0 < after <= options.clip + 1e-6
