"""Sets are built of public files, always the same; what is in these is never run."""

import gzip
import json
import lzma
import pickle
import zipfile
from collections import Counter

import pytest

from scripts.reproduce.builders import aloi_438, clinc150, lemma_fi


def a_wheel(path, content: bytes):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(lemma_fi.MEMBER, lzma.compress(content))
    return path


def lines_of(path) -> list[str]:
    return gzip.open(path, "rt", encoding="utf-8").read().splitlines()


def built(builder, source, folder) -> tuple[list[str], list[str]]:
    builder.build(source, folder / "train.vw.gz", folder / "test.vw.gz")
    return lines_of(folder / "train.vw.gz"), lines_of(folder / "test.vw.gz")


def test_lemmas(tmp_path):
    words = {f"kissa{'aeiouyäö'[n % 8]}{'nst'[n // 8]}": "kissa" for n in range(20)}
    words |= {f"talo{letter}": "talo" for letter in "abcdef"}
    words |= {f"few{letter}": "few" for letter in "abcde"}
    words |= {f"Big{letter}": "big" for letter in "abcdef"}
    words |= {f"odd{letter}": "o.d" for letter in "abcdef"}
    train, test = built(lemma_fi, a_wheel(tmp_path / "w", pickle.dumps(words)), tmp_path)
    assert Counter(line.split()[0] for line in train) == {"kissa": 14, "talo": 5}
    assert Counter(line.split()[0] for line in test) == {"kissa": 2, "talo": 1}
    assert len(set(train + test)) == 22
    assert lemma_fi.line_of("talo", "talon") == "talo |c ^ta tal alo lon on$"
    again = built(lemma_fi, a_wheel(tmp_path / "w", pickle.dumps(dict(reversed(words.items())))),
                  tmp_path)  # fmt: skip
    assert again == (train, test)


class Evil:
    def __reduce__(self):
        return print, ("run!",)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (pickle.dumps({"a": Evil()}), "it asks for builtins.print"),
        (pickle.dumps({"a": 1}), "is not a dict of strings"),
        (pickle.dumps(["a"]), "is not a dict of strings"),
        (b"neither", "no dictionary can be read"),
    ],
)
def test_a_dictionary_that_is_none(tmp_path, capsys, content, match):
    with pytest.raises(ValueError, match=match):
        lemma_fi.read_dictionary(a_wheel(tmp_path / "w", content))
    assert capsys.readouterr().out == ""


def test_a_wheel_that_is_none(tmp_path):
    (tmp_path / "w").write_bytes(b"no zip")
    with pytest.raises(ValueError, match="no dictionary"):
        lemma_fi.read_dictionary(tmp_path / "w")


def test_intents(tmp_path):
    parts = {
        "train": [["what's my balance?", "balance"], ["Play some some music", "music"]],
        "val": [["play it again", "music"]],
        "test": [["how would they play zithers", "music"]],
        "oos_train": [["who are you", "oos"]],
    }
    (tmp_path / "data_full.json").write_text(json.dumps(parts))
    train, test = built(clinc150, tmp_path / "data_full.json", tmp_path)
    assert sorted(train) == [
        "balance |w balance my s what", "music |w again it play", "music |w music play some:2",
    ]  # fmt: skip
    assert test == ["music |w play"]


@pytest.mark.parametrize("text", ["{", "{}", '{"train": [1], "val": [], "test": []}', "[]"])
def test_intents_that_are_none(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match="it is not CLINC150's"):
        clinc150.read_parts(tmp_path / "x.json")


def histograms(pictures: dict[str, int]) -> bytes:
    rows = (
        f"{number / 1000} {'0.0 ' * 25}{1 - number / 1000} {name} Inlier\n"
        for name, count in pictures.items()
        for number in range(count)
    )
    return gzip.compress(b"# a comment\n" + "".join(rows).encode())


def test_objects_with_many_pictures(tmp_path):
    (tmp_path / "w").write_bytes(histograms({"12_c1.png": 110, "007": 100, "99": 99}))
    train, test = built(aloi_438, tmp_path / "w", tmp_path)
    assert (len(train), len(test)) == (189, 21)
    assert Counter(line.split()[0] for line in train + test) == {"12": 110, "7": 100}
    assert "12 1:0.109 27:0.891" in train + test
    assert "7 27:1" in train + test


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (b"1 2 3 4\n", "line 1 is not 27 numbers and an object"),
        (b"1 " * 27 + b"cat\n", "line 1 is not 27 numbers and an object"),
        (b"word " * 27 + b"12\n", "could not convert"),
    ],
)
def test_histograms_that_are_none(tmp_path, text, match):
    (tmp_path / "w").write_bytes(gzip.compress(text))
    with pytest.raises(ValueError, match=match):
        built(aloi_438, tmp_path / "w", tmp_path)


def test_histograms_of_few_pictures(tmp_path):
    (tmp_path / "w").write_bytes(histograms({"1": 5}))
    with pytest.raises(ValueError, match="no object has 100 pictures"):
        built(aloi_438, tmp_path / "w", tmp_path)
