"""train --paper: what it sets, what else may be chosen, and what contradicts it."""

import json

import pytest

from lomtree.core.algorithms import ALGORITHMS


def options_of(lomtree, path) -> dict:
    result = lomtree("inspect", path, "--json")
    assert result.status == 0
    return json.loads(result.out)["summary"]["options"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_it_says_what_it_sets_and_sets_it(lomtree, data, tmp_path, algorithm):
    path = tmp_path / "model.lom"
    result = lomtree("train", data, "--algorithm", algorithm, "--paper", "-b", 18, "-f", path)
    assert result.status == 0
    (line,) = [line for line in result.err.splitlines() if line.startswith("--paper: ")]
    loss = "squared" if algorithm == "oaa" else "absolute"
    assert f"--loss {loss}, --update sgd, --power-t 0, --learning-rate 0.5, --scale none" in line
    assert "no clip" in line
    assert "--no-ranker" in line
    assert ("in m" in line) == ("--min-impurity 0" in line) == (algorithm == "lomtree")
    assert ("--walk" in line) == (algorithm != "oaa")
    found = options_of(lomtree, path)
    chosen = [found[name] for name in ("paper", "loss", "update", "power_t", "scale", "ranker")]
    assert chosen == [True, loss, "sgd", 0.0, "none", False]


def test_what_is_given_besides_wins_and_is_not_said_to_be_set(lomtree, data, tmp_path):
    path = tmp_path / "model.lom"
    given = ("-l", 2, "--loss", "squared", "--scale", "l2", "--min-impurity", 0.2, "--clip", 1)
    result = lomtree("train", data, "--paper", *given, "-T", 19, "-R", 8, "-b", 18, "-f", path)
    assert result.status == 0
    (line,) = [line for line in result.err.splitlines() if line.startswith("--paper: ")]
    for word in ("loss", "scale", "impurity", "clip", "rate"):
        assert word not in line
    found = options_of(lomtree, path)
    assert [found[name] for name in ("learning_rate", "loss", "scale")] == [2.0, "squared", "l2"]
    assert [found[name] for name in ("clip", "max_nodes", "swap_resistance")] == [1.0, 19, 8.0]


def test_a_model_stays_the_papers(lomtree, lines, data, tmp_path):
    first, second, both = (tmp_path / name for name in ("first", "second", "both"))
    options = ("--quiet", "--threads", 1)
    new = ("--paper", "-b", 18, *options)
    assert lomtree("train", *new, "-f", first, stdin=b"".join(lines[:150])).status == 0
    rest = b"".join(lines[150:])
    assert lomtree("train", *options, "-i", first, "-f", second, stdin=rest).status == 0
    assert lomtree("train", *new, "-f", both, stdin=b"".join(lines)).status == 0
    assert second.read_bytes() == both.read_bytes()
    plain = tmp_path / "plain"
    assert lomtree("train", data, "-b", 18, *options, "-f", plain).status == 0
    result = lomtree("train", data, "--paper", "-i", plain, "-f", second)
    assert (result.status, result.err.count("\n")) == (2, 1)


@pytest.mark.parametrize("given", [("--ranker",), ("--trees", 3)])
def test_a_contradiction_is_a_sentence(lomtree, data, tmp_path, given):
    result = lomtree("train", data, "--paper", *given, "-f", tmp_path / "model.lom")
    assert (result.status, result.err.count("\n")) == (2, 1)
    assert "--paper" in result.err
    assert not (tmp_path / "model.lom").exists()
