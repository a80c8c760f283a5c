"""Learners that hold all data in memory: what they are given, and what is said of them."""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from scripts.bench import beside_batch
from scripts.bench.batch_learner import LEARNERS, measure, megabytes
from scripts.bench.batch_matrix import features_of, parts_of
from scripts.bench.beside_batch import (
    LeftOutError,
    Outcome,
    batch_run,
    describe,
    measured,
    prepare,
    row_of,
)

TRAIN = "a |w x y\nb |w y:2 z\na |w x x\n" * 4
TEST = "b |w z new\na |w x\n"


@pytest.fixture
def source(tmp_path) -> Path:
    for part, text in (("train", TRAIN), ("test", TEST)):
        (tmp_path / f"{part}.vw.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def test_features_are_names_with_their_namespace_or_columns():
    assert list(features_of("|w a b:2 c:d | e |f:3 g\n")) == [
        ("w|a", 1.0), ("w|b", 2.0), ("w|c:d", 1.0), ("|e", 1.0), ("f:3|g", 1.0),
    ]  # fmt: skip
    assert list(features_of("1:0.5 7:-2\n")) == [("1", 0.5), ("7", -2.0)]


def test_rows_have_length_one_and_weigh_what_is_rare(source):
    train, test = parts_of(source, "vw")
    assert train.rows.shape == (12, 3)
    assert train.labels.tolist() == [0, 1, 0] * 4
    assert test.labels.tolist() == [1, 0]
    assert test.rows.toarray().tolist() == [[0, 0, 1], [1, 0, 0]]  # `new` is left out
    length = np.sqrt(train.rows.multiply(train.rows).sum(axis=1))
    assert np.allclose(length, 1)
    y, z = train.rows.toarray()[1, 1:]
    rarity = np.log(13 / np.array([9, 5])) + 1  # of y and z, in 8 and 4 of 12 rows
    assert y / z == pytest.approx(2 * rarity[0] / rarity[1])


def test_the_text_of_the_xml_repository_says_how_much_there_is(source):
    prepare(parts_of(source, "vw"), source)
    head, first, *_ = (source / "train.txt").read_text().splitlines()
    assert head == "12 3 2"
    assert first.startswith("0 0:0.")


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_tells_its_errors_and_what_it_took(source, name):
    pytest.importorskip(name)
    prepare(parts_of(source, "vw"), source)
    found = Outcome(**measure(name, source))
    assert found.error == 0
    assert min(found.seconds, found.microseconds) > 0
    assert 10 < found.megabytes < megabytes() + 1  # the system counts the last pages late


def test_what_takes_too_long_or_fails_is_left_out_with_its_reason(tmp_path):
    with pytest.raises(LeftOutError, match=r"was stopped after 0\.0001 minutes"):
        batch_run("napkinxc", tmp_path, 0.006)
    with pytest.raises(LeftOutError, match="failed with status 1"):
        batch_run("napkinxc", tmp_path, 60)  # no files


def test_rounds_that_went_well_are_kept():
    outcomes = [Outcome(5.0, 1.0, 10.0, 50.0), LeftOutError("was stopped"), None]

    def next_one() -> Outcome:
        one = outcomes.pop(0)
        if isinstance(one, LeftOutError):
            raise one
        return one

    assert measured(next_one, 3, 1e9) == [Outcome(5.0, 1.0, 10.0, 50.0)]
    outcomes.insert(0, LeftOutError("was stopped"))
    with pytest.raises(LeftOutError):
        measured(next_one, 3, 1e9)


def test_a_row_has_medians_and_half_of_the_range():
    found = [Outcome(5.0, seconds, 10.0, 50.0) for seconds in (1.0, 4.0, 2.0)]
    row = row_of("a", "other", found)
    assert row == ["a", "other", "5.00%", "2.0 s (+-75%)", "10.0 us (+-0%)", "50 MB", "3"]
    assert row_of("a", "other", found[:1])[3] == "1.0 s"
    text = describe([row], ["omikuji is not installed for this Python."])
    assert text.endswith("| 3 |\n\n- omikuji is not installed for this Python.\n")


def test_a_learner_that_is_not_installed_is_told_and_the_rest_goes_on(
    source, tmp_path, monkeypatch, capsys
):
    data = tmp_path / "data"
    (data / "clinc150").mkdir(parents=True)
    for part in ("train", "test"):
        (source / f"{part}.vw.gz").rename(data / "clinc150" / f"{part}.vw.gz")
    monkeypatch.setenv("LOMTREE_DATA", str(data))
    monkeypatch.setattr(beside_batch, "missing_learners", lambda: list(LEARNERS))
    monkeypatch.setattr(beside_batch, "our_run", lambda *_: Outcome(5.0, 1.0, 10.0, 50.0))
    path = tmp_path / "b.md"
    arguments = ["beside_batch", "clinc150", "odp-like", "--rounds", "1", "--write", str(path)]
    monkeypatch.setattr(sys, "argv", arguments)
    beside_batch.main()
    said = capsys.readouterr()
    assert "| clinc150 | lomtree, 10 passes | 5.00% | 1.0 s | 10.0 us | 50 MB | 1 |" in said.out
    assert "- napkinXC (PLT) is not installed for this Python.\n" in path.read_text()
    assert "odp-like: too large to be held in memory by others\n" in said.err


def test_an_outcome_is_read_from_what_the_learner_wrote(tmp_path, monkeypatch):
    found = Outcome(5.0, 1.0, 10.0, 50.0)
    (tmp_path / "omikuji.json").write_text(json.dumps(found._asdict()))
    monkeypatch.setattr(beside_batch, "sys", type("sys", (), {"executable": "true"}))
    assert batch_run("omikuji", tmp_path, 60) == found
