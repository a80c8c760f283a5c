"""How time and memory grow: powers, what is said about them, and that a small run works."""

from pathlib import Path

import numpy as np
import pytest

import lomtree
from scripts.bench.growth import (
    Point,
    beyond_logarithm,
    describe,
    exponent,
    measure,
    powers,
    statements,
)
from scripts.bench.growth_plot import draw
from scripts.bench.made import FEATURES, LENGTH, Classes, as_batch, as_text


def point(classes: int, time: float, examples: int = 1000) -> Point:
    return Point(classes, examples, 1.0, time, 2 * time, 5.0, 0.5, classes / 10, 100.0, 3.0)


def test_the_exponent_is_that_of_the_nearest_power():
    assert exponent([1, 10, 100], [3, 30, 300]) == pytest.approx(1)
    assert exponent([1, 10, 100], [7, 7, 7]) == pytest.approx(0)
    assert exponent([10, 100, 1000], [1, 20, 100]) == pytest.approx(1)  # 2 more, 2 less


def test_what_grows_like_the_logarithm_does_not_grow_beyond_it():
    assert beyond_logarithm(10**4, 10**6, 4.0, 6.0) == pytest.approx(1)
    assert beyond_logarithm(10**4, 10**6, 4.0, 12.0) == pytest.approx(2)


def test_the_statement_compares_a_million_classes_with_ten_thousand():
    learn, predict, whole = statements([point(10**4, 2.0), point(10**6, 4.19, 6_000_000)])
    assert learn == (
        "to learn, time per example at 1,000,000 over 10,000 classes, beyond what log k explains: "
        "1.40 times (bound 1.4): reached"
    )
    assert predict.startswith("to predict, ")
    assert predict.endswith("1.40 times (bound 1.6): reached")
    assert whole == ("1,000,000 classes: one pass over 6,000,000 examples took 3 s and 97.7 GB")
    slow, *_ = statements([point(10**4, 2.0), point(10**6, 4.3)])
    assert slow.endswith("1.43 times (bound 1.4): not reached")
    assert list(statements([point(10**4, 2.0), point(10**5, 4.9)])) == []


def test_powers_are_told_once_there_are_two_points():
    assert list(powers([point(100, 1.0)], "classes", "k")) == []
    told = list(powers([point(100, 1.0), point(10_000, 10.0)], "classes", "k"))
    assert told[0] == "the time to learn an example grows like k^0.50"
    assert told[3] == "the memory to train grows like k^1.00"


def test_the_text_has_the_same_examples_as_the_batch():
    names, labels = Classes(7, seed=1).draw(50)
    lines = as_text(names, labels).decode().splitlines()
    batch = as_batch(names, labels)
    assert [int(line.split(" |")[0]) for line in lines] == labels.tolist()
    lengths = [line.count(" f") + 1 for line in lines]  # and the constant
    assert lengths == np.diff(batch.starts).tolist()
    assert lines[3].split()[2:] == [f"f{name}" for name in np.unique(names[3])]
    assert max(lengths) <= LENGTH + 1
    assert names.max() < FEATURES
    blocks = Classes(7, seed=1).text(50)
    assert b"".join(blocks).decode().splitlines() == lines


def test_every_class_comes_once_before_any_comes_again():
    labels = [int(line.split(b" ")[0]) for line in b"".join(Classes(40, 0).text(81)).splitlines()]
    assert labels[0] == 39
    assert sorted(labels[1:41]) == sorted(labels[41:81]) == list(range(40))


def test_a_point_is_measured_through_the_program(monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("PYTHONPATH", str(Path(lomtree.__file__).parents[1]))
    found = measure(10, 500, bits=18, rounds=1)
    assert (found.classes, found.examples) == (10, 500)
    assert found.error < 0.5
    assert found.depth > 1
    assert min(found.training, found.prediction) > 20
    text = describe([found, found._replace(classes=20)], [])
    assert text.startswith("Over the classes k:\n\n| classes | examples |")
    draw([found, found._replace(classes=20)], [found], tmp_path / "growth.svg")
    assert "log k" not in text
    assert (tmp_path / "growth.svg").read_text().startswith("<?xml")
