"""Memory has a bound: what becomes large is cut into parts, what becomes too large is a problem."""

from pathlib import Path

import numpy as np
import pytest

from lomtree.core.errors import DataError
from lomtree.core.options import Options
from lomtree.derived.derivation import PART, Deriver
from lomtree.derived.recipe import MOST_FEATURES, interactions_among
from lomtree.examples.batch import Batch
from lomtree.examples.examples import Examples, Strings
from lomtree.examples.namespaces import one_namespace
from lomtree.formats.reader import Reader

PAIRS = Options(quadratic=("::",)).derived
WIDE = 500  # features of a line, of which each has 125,750 with its pairs


def line(label: int, features: int = WIDE) -> bytes:
    return b"%d 't%d |f " % (label, label) + b" ".join(b"%d" % n for n in range(features))


def written(folder, *lines: bytes) -> str:
    path = folder / "data.vw"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return str(path)


def test_large_blocks_come_in_parts_that_tell_where_they_stood(tmp_path):
    path = written(tmp_path, b"", *(line(n) + b"\n" * (n % 3) for n in range(20)))
    read = []
    for examples in Reader([path], derived=PAIRS):
        assert examples.batch.starts[examples.count] < PART + WIDE * (WIDE + 3)
        assert examples.origin.lines[0] >= 0
        for number in range(examples.count):
            label, tag = examples.labels.word(number), examples.tags.word(number)
            place = examples.origin.first_line + int(examples.origin.lines[number])
            features = int(examples.batch.starts[number + 1] - examples.batch.starts[number])
            read.append((label, tag, place, features))
    lines = Path(path).read_bytes().split(b"\n")
    assert [row[0] for row in read] == [b"%d" % n for n in range(20)]
    for label, tag, place, features in read:
        assert lines[place - 1].startswith(label + b" 't" + tag[1:] + b" ")
        assert features == WIDE * (WIDE + 3) // 2 + 1
    assert len(list(Reader([path], derived=PAIRS))) >= 4


def test_predictions_of_parts_stand_beside_their_lines(lomtree, tmp_path):
    path = written(tmp_path, b"", *(line(n % 4) + b"\n" * (n % 3) for n in range(12)))
    model = tmp_path / "model.lom"
    train = lomtree("train", path, "-q", "ff", "--bits", "22", "--no-ranker", "-f", model)
    assert train.status == 0, train.err
    said = lomtree("predict", "--walk", "-i", model, path)
    given = Path(path).read_bytes().split(b"\n")
    predicted = said.out.split(b"\n")
    assert len(predicted) == len(given)
    for text, answer in zip(given, predicted, strict=True):
        assert answer.endswith(text.split()[1][1:]) if text else answer == b""


def test_an_example_that_becomes_too_large_is_a_problem_of_its_line(tmp_path):
    features = 2 * int(MOST_FEATURES**0.5)
    path = written(tmp_path, line(1, 3), line(2, features), line(3, 3))
    with pytest.raises(DataError) as error:
        list(Reader([path], derived=PAIRS))
    assert str(error.value) == (
        f"{path}:2: the example has more than 4,194,304 features with those that are derived "
        "(interactions, n-grams)"
    )
    reader = Reader([path], on_error="skip", derived=PAIRS)
    [examples] = list(reader)
    assert reader.skipped == 1
    assert np.diff(examples.batch.starts[:4]).tolist() == [10, 0, 10]


def test_n_grams_and_features_themselves_are_counted(tmp_path):
    grams = Options(ngram=("16",)).derived
    path = written(tmp_path, line(1, MOST_FEATURES // 15), line(2, 1))
    reader = Reader([path], on_error="skip", derived=grams)
    assert [examples.good.tolist() for examples in reader] == [[False, True]]


def test_a_product_beyond_all_numbers_is_a_problem_and_one_of_nothing_is_none(tmp_path):
    path = written(tmp_path, b"1 |f a:1e-30 b:2", b"2 |f a:1e30 b:-1e20")
    reader = Reader([path], derived=PAIRS)
    with pytest.raises(DataError, match=r"data\.vw:2: the product of features that interact"):
        list(reader)
    [examples] = list(Reader([path], on_error="skip", derived=PAIRS))
    assert examples.good.tolist() == [True, False]
    assert sorted(examples.batch.values[:5].tolist()) == pytest.approx([1e-30, 2e-30, 1, 2, 4])
    assert examples.batch.starts[1] == 5


def test_wildcards_that_stand_for_too_much_are_refused():
    wanted = Options(interactions=("::::::::",)).derived
    assert len(interactions_among(b"abc", wanted)) == 45
    with pytest.raises(DataError, match="the interaction :::::::: is too much for the 95 names"):
        interactions_among(range(32, 127), wanted)


def test_examples_that_are_no_text_can_have_derived_features():
    batch = Batch(
        np.array([0, 3, 5]),
        np.array([5, 6, 11650396, 7, 11650396], np.uint32),
        np.array([2, 3, 1, 4, 1], np.float32),
        np.array([0, 1], np.int32),
        np.array([1, 2], np.float32),
    )
    nothing = Strings(np.empty(0, np.uint8), np.zeros(2, np.int64), np.zeros(2, np.int64))
    examples = Examples(batch, 2, nothing, nothing, np.zeros(2, np.int8))
    [made] = Deriver(PAIRS, 1).parts(examples, one_namespace(batch, 2))
    assert made.batch.starts[:3].tolist() == [0, 6, 9]
    assert made.batch.values[:9].tolist() == [2, 3, 4, 6, 9, 1, 4, 16, 1]
    assert made.batch.labels[:2].tolist() == [0, 1]
    assert made.batch.weights[:2].tolist() == [1, 2]
    characters = Options(char_ngrams=("3",)).derived
    with pytest.raises(DataError, match="--char-ngrams needs words, and these examples have none"):
        list(Deriver(characters, 1).parts(examples, one_namespace(batch, 2)))
