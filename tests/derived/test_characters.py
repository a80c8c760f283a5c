"""Character n-grams of raw words: characters of UTF-8, ends marked, hashed like words."""

import gzip
import os
from pathlib import Path

import pytest

from lomtree.core.options import Options
from lomtree.formats.one_line import read_line
from lomtree.formats.reader import Reader

LEMMAS = Path(os.environ.get("LOMTREE_DATA", "data")) / "lemma-fi" / "train.vw.gz"


def features(line: str, **options) -> dict[int, float]:
    batch = read_line(line.encode(), "vw", Options(**options).derived).batch
    count = int(batch.starts[1])
    return dict(zip(batch.features[:count].tolist(), batch.values[:count].tolist(), strict=True))


def characters(line: str, lengths: str, **options) -> dict[int, float]:
    return features(line, char_ngrams=(lengths,), chars_only=True, **options)


def test_n_grams_are_words_of_the_same_namespace_with_their_word_s_value():
    assert characters("1 |c kissa:2", "3") == features("1 |c:2 ^ki kis iss ssa sa$")
    assert characters("1 |c:3 ab", "2-4") == features("1 |c:3 ^a ^ab ^ab$ ab ab$ b$")


def test_characters_are_those_of_utf_8():
    assert characters("1 | äö", "2") == features("1 | ^ä äö ö$")
    assert characters("1 | x€😀", "3", char_marks="") == features("1 | x€😀")


def test_marks_can_be_chosen_and_are_no_n_grams_themselves():
    assert characters("1 | ab", "1-2", char_marks="<>") == features("1 | a b <a ab b>")


def test_numbers_are_hashed_as_numbers():
    assert characters("1 |n 1234", "2", char_marks="") == features("1 |n 12 23 34")


def test_words_stay_unless_nobody_wants_them():
    with_words = features("1 |c ab", char_ngrams=("3",))
    assert with_words == features("1 |c ab ^ab ab$")
    assert features("1 |c ab |d ab", char_ngrams=("3d",)) == features("1 |c ab |d ab ^ab ab$")


def test_what_has_no_name_has_no_characters():
    assert characters("1 |c :2 a", "3") == features("1 |c ^a$")


def test_bytes_that_are_no_utf_8_are_characters():
    line = b"1 | \xff\xfe\x80"
    batch = read_line(line, "vw", Options(char_ngrams=("2",), chars_only=True).derived).batch
    assert batch.starts[1] == 4  # ^ with \xff, \xff with \xfe and what continues it, that with $


def word_of(grams: list[str]) -> str:
    """The word that has these 3-grams."""
    return (grams[0] + "".join(gram[-1] for gram in grams[1:]))[1:-1]


@pytest.mark.skipif(not LEMMAS.exists(), reason="data not available")
def test_raw_words_give_the_features_of_the_prepared_file(tmp_path):
    prepared, raw = tmp_path / "prepared.vw", tmp_path / "raw.vw"
    with gzip.open(LEMMAS, "rt") as file:
        lines = [next(file) for _ in range(100_000)]
    prepared.write_text("".join(lines))
    with raw.open("w") as out:
        for line in lines:
            lemma, _, *grams = line.split()
            out.write(f"{lemma} |c {word_of(grams)}\n")
    wanted = Options(char_ngrams=("3-3",), chars_only=True).derived
    theirs = [row for block in Reader([str(prepared)]) for row in rows(block)]
    ours = [row for block in Reader([str(raw)], derived=wanted) for row in rows(block)]
    assert len(ours) == 100_000
    assert ours == theirs


def rows(block) -> list:
    """Labels and features of a block's examples."""
    features, values = block.batch.features.tolist(), block.batch.values.tolist()
    starts = block.batch.starts.tolist()
    return [
        (
            block.labels.word(n),
            features[starts[n] : starts[n + 1]],
            values[starts[n] : starts[n + 1]],
        )
        for n in range(block.count)
    ]
