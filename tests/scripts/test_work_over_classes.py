"""Words whose least possible error is known, and what a prediction of them takes."""

import gzip

import numpy as np
import pytest

from scripts.bench.work_over_classes import (
    BAYES,
    FEATURES,
    MADE,
    NOISE,
    Words,
    Work,
    as_batch,
    describe,
    measure,
    measure_set,
)


def test_who_reads_what_is_written_errs_as_bayes():
    words = Words(8, seed=1)
    labels = np.random.default_rng(0).integers(words.classes, size=40_000)
    written = words.written(labels)
    read = written @ words.alphabet ** np.arange(4)
    assert np.mean(read != labels) == pytest.approx(BAYES, abs=0.005)
    assert pytest.approx(1 - (1 - NOISE) ** 4) == BAYES
    assert (words.classes, written.min(), written.max()) == (256, 0, 3)


def test_features_are_letters_pairs_and_triples_with_their_places():
    letters = np.array([[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 1]])
    batch = as_batch(letters, np.arange(3), 2)
    rows = batch.features.reshape(3, FEATURES)
    assert len(np.unique(rows[0])) == FEATURES == 10
    assert len(set(rows[0]) & set(rows[2])) == 7  # all but the last letter, pair and triple
    assert len(set(rows[0]) & set(rows[1])) == 3  # two letters and the constant


def test_small_words_are_learned_with_little_work():
    found = measure(8, tested=2000)
    assert found.error < BAYES + 0.1
    assert found.error <= found.walk_error
    assert 5 < found.depth < 20 < found.asked < 256
    assert found.walk_weights == FEATURES * found.depth


def test_what_is_said_of_growth():
    first = Work(MADE, 256, 10.0, 0.5, 0.1, 8.0, 60.0, 30.0, 1.0, 40.0)
    text = describe([first, first._replace(classes=65536, depth=16.0, walk_microseconds=3.0)])
    assert "from 256 to 65,536 classes: k grows 256 times, log k 2.00" in text
    assert "one walk fetches 2.00" in text
    assert "a default prediction fetches 1.00" in text
    assert "the time of one walk 3.00, the time of a default prediction 1.00 times" in text
    assert "| 655,360 |" in text


def test_a_real_set_has_the_classes_of_its_training_part(tmp_path):
    lines = "a |w x\nb |w y\nc |w z\n" * 9
    for part in ("train", "test"):
        (tmp_path / f"{part}.vw.gz").write_bytes(gzip.compress(lines.encode()))
    found = measure_set("tiny", tmp_path)
    assert (found.name, found.classes, found.features) == ("tiny", 3, 2.0)
    assert found.error == 0
    assert "not known" in describe([found])
