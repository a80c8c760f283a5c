"""Every number of the summary of `inspect` is recomputed here, slowly."""

import math
import os

import numpy as np
import pytest

from lomtree.linear.hashed_weights import sharing
from lomtree.model.model_file import read_model
from lomtree.ranking.probe import draw_reserved
from lomtree.storage.purposes import Purpose
from tests.generators.inspections import ARGUMENTS, TREES, close, names_of
from tests.oracles.inspection import NaiveTree


def learned(examples, passes, ranked=True):
    """How many examples are learned in so many passes: those that are reserved only in the last."""
    reserved = np.zeros(examples, np.bool_)
    if ranked:
        draw_reserved(0, reserved)
    return passes * examples - (passes - 1) * int(reserved.sum())


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_the_summary(trained, inspect, arguments):
    path = trained(*arguments)
    found = inspect(path, "--top", 5)["summary"]
    model = read_model(path, Purpose.LEARN)
    tree = NaiveTree(model.learner)
    assert found["model"] == path
    assert found["bytes"] == os.path.getsize(path)
    assert (found["algorithm"], found["predict_only"]) == ("lomtree", False)
    assert (found["examples"], found["labels"]) == (learned(301, 3), len(set(names_of(model))))
    assert found["options"]["max_nodes"] == (arguments[1] if "-T" in arguments else 0)
    weights = {v: tree.weight(v) for v in tree.leaves}
    total = sum(weights.values())
    size = found["tree"]
    assert size["nodes"] == len(tree.order(tree.root)) == size["internal"] + size["leaves"]
    assert (size["internal"], size["leaves"]) == (len(tree.children), len(tree.leaves))
    assert size["empty_leaves"] == sum(weight == 0 for weight in weights.values())
    assert size["largest_depth"] == max(tree.depth.values())
    mean = sum(weights[v] * tree.depth[v] for v in tree.leaves) / total
    assert close(size["mean_depth"], mean)
    assert close(size["log2_labels"], math.log2(found["labels"]))
    assert size["swaps"] == model.learner.swaps
    quality = found["quality"]
    assert close(quality["examples"], total)
    assert close(quality["entropy_of_labels"], tree.entropy(tree.root))
    assert close(quality["G"], tree.G)
    for name in ("J", "alpha", "beta"):
        assert close(quality[f"mean_{name}"], tree.mean(name))
    cells, lines = model.learner.state.weights.size
    assert found["weights"]["cells"] == cells
    assert found["weights"]["load"] == lines * 8 / cells


def test_the_leaves_of_the_summary(trained, inspect):
    path = trained("-T", 9)
    found = inspect(path, "--top", 4)["summary"]
    model = read_model(path, Purpose.LEARN)
    tree, names = NaiveTree(model.learner), names_of(model)
    for part, size in (
        ("largest_leaves", tree.weight),
        ("most_impure_leaves", tree.entropy),
    ):
        sizes = sorted((size(v) for v in tree.leaves), reverse=True)[:4]
        assert close([size(leaf["node"]) for leaf in found[part]], sizes)
        for leaf in found[part]:
            v, labels = leaf["node"], tree.labels_at(leaf["node"])
            assert (leaf["depth"], leaf["labels"]) == (tree.depth[v], len(labels))
            assert leaf["label"] == names[tree.prediction[v]]
            assert close(leaf["examples"], tree.weight(v))
            assert close(leaf["entropy"], tree.entropy(v))
            assert close(leaf["label_share"], labels[tree.prediction[v]] / tree.weight(v))


def test_lines_that_share_are_estimated():
    rng = np.random.default_rng(0)
    for load in (0.1, 0.5, 0.85):
        lines = 200_000
        hits = np.bincount(rng.integers(lines, size=int(-math.log(1 - load) * lines)))
        assert sharing(load) == pytest.approx((hits > 1).sum() / (hits > 0).sum(), abs=0.01)
    assert (sharing(0.0), sharing(1.0)) == (0, 1)


def test_one_against_all_has_a_summary_and_no_tree(lomtree, trained, inspect, data, lines):
    path = trained("--algorithm", "oaa")
    found = inspect(path)["summary"]
    labels = len(read_model(path).labels)
    words = {word for line in lines for word in line.split()[2:]}
    assert found["weights"] == {"features": len(words) + 2, "labels": labels, "full": False}
    assert found["examples"] == 3 * 301
    assert "tree" not in found
    for arguments in (("--tree",), ("--depths",), ("--label", "class-1"), ("--data", data)):
        result = lomtree("inspect", path, *arguments)
        assert result == (1, b"", f"lomtree: {path}: a model of oaa has no tree\n")


@pytest.mark.parametrize("algorithm", [*TREES, "oaa"])
def test_a_model_for_prediction_only(lomtree, trained, inspect, algorithm):
    path = trained("--algorithm", algorithm, "--predict-only")
    found = inspect(path)["summary"]
    assert found["predict_only"]
    assert found["examples"] == learned(301, 3, ranked=algorithm != "oaa")
    assert "quality" not in found
    if algorithm != "oaa":
        assert inspect(path, "--path", "|words w1")["path"]["prediction"]
    assert ", for prediction only\n" in lomtree("inspect", path).out.decode()


def test_one_label_one_leaf(lomtree, inspect, tmp_path):
    path = tmp_path / "m"
    assert lomtree("train", "-b", 18, "--quiet", "-f", path, stdin=b"a |f x\n" * 3).status == 0
    found = inspect(path)["summary"]
    assert (found["tree"]["nodes"], found["tree"]["largest_depth"]) == (1, 0)
    assert found["quality"]["G"] == found["quality"]["entropy_of_labels"] == 0
    assert found["quality"]["mean_J"] is None
    assert inspect(path, "--path", "|f x")["path"]["steps"] == []
    for arguments in ((), ("--tree",), ("--depths",), ("--label", "a"), ("--path", "|f x")):
        assert lomtree("inspect", path, *arguments).status == 0
