"""Made-up pages of a web directory: the same for the same seed, like text, and learnable."""

import collections

import numpy as np
import pytest

from scripts.bench.odp_like import CHUNK, FREQUENT_WORDS, spell, text, zipf

CLASSES, FEATURES = 50, 5_000


def pages(part: str, examples: int, seed: int = 0) -> list[bytes]:
    return b"".join(text(part, examples, CLASSES, FEATURES, seed)).splitlines(keepends=True)


@pytest.fixture(scope="module")
def train() -> list[bytes]:
    return pages("train", 4_000)


def test_the_same_seed_gives_the_same_lines_and_fewer_of_them_their_beginning(train):
    assert pages("train", 4_000) == train
    assert pages("train", 10) == train[:10]
    assert pages("train", CHUNK + 10)[:4_000] == train
    assert not set(pages("train", 1_000, seed=1)) & set(train)


@pytest.mark.parametrize("examples", [0, 1, CHUNK, CHUNK + 1])
def test_there_are_as_many_lines_as_were_asked_for(examples):
    assert len(pages("train", examples)) == examples


def test_no_page_of_the_test_part_was_seen_in_training(train):
    assert not set(pages("test", 4_000)) & set(train)


def test_a_line_has_a_label_and_each_of_its_words_once_with_its_count(train):
    words = []
    for line in train:
        head, _, tail = line.partition(b" | ")
        assert 1 <= int(head) <= CLASSES
        names = [name.partition(b":")[0] for name in tail.split()]
        assert len(set(names)) == len(names)
        assert all(int(cell.partition(b":")[2] or 2) >= 2 for cell in tail.split())
        words += names
    assert len(set(words)) <= FEATURES
    assert 50 < len(words) / len(train) < 70


def test_classes_and_words_follow_zipf():
    ranks = np.bincount(zipf(np.random.default_rng(0), 400_000, 1000, FREQUENT_WORDS))
    assert len(ranks) == 1000
    for rank in (10, 30, 100):  # three times the rank, a third of the frequency
        near, far = (ranks[r : r + r // 4 + 2].mean() for r in (rank, 3 * rank))
        assert 2.2 < near / far < 3.6


def test_words_differ_and_frequent_ones_are_short():
    words = [bytes(letters).strip(b"\0") for letters in spell(10_101)]
    assert len(set(words)) == 10_101
    assert [len(words[number]) for number in (0, 99, 100, 9_999, 10_000)] == [2, 2, 4, 4, 6]


def test_what_was_learned_from_one_part_helps_with_the_other(lomtree, tmp_path, train):
    """The tree alone: less than half of the errors of who predicts the most frequent class, but far
    from none."""
    test = pages("test", 1_000)
    (tmp_path / "train").write_bytes(b"".join(train))
    (tmp_path / "test").write_bytes(b"".join(test))
    model = tmp_path / "model"
    assert lomtree("train", tmp_path / "train", "--quiet", "-f", model).status == 0
    predictions = lomtree("predict", "-i", model, tmp_path / "test", "--walk").out.split()
    wanted = [line.split()[0] for line in test]
    errors = sum(given != right for given, right in zip(predictions, wanted, strict=True))
    most = collections.Counter(line.split()[0] for line in train).most_common(1)[0][0]
    guessing = sum(right != most for right in wanted)
    assert 0 < errors < guessing / 2
