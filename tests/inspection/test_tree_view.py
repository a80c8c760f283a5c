"""What `inspect` shows of nodes, leaves and labels is recomputed here, slowly."""

import math
from collections import Counter

import pytest

from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose
from tests.generators.inspections import ARGUMENTS, TREES, assert_rows, close, names_of, walked
from tests.oracles.inspection import NaiveTree


@pytest.mark.parametrize("levels", [0, 2, 50])
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_the_top_of_the_tree(trained, inspect, arguments, levels):
    path = trained(*arguments)
    rows = inspect(path, "--tree", "--levels", levels)["tree"]
    model = read_model(path, Purpose.LEARN)
    assert_rows(rows, NaiveTree(model.learner), names_of(model), levels)


def test_lemma_1_and_2_hold_on_every_node(trained, inspect):
    for arguments in ARGUMENTS:
        for row in inspect(trained(*arguments), "--tree", "--levels", 99)["tree"]:
            if row["J"] is not None:
                beta = min(row["beta"], 1 - row["beta"])  # as the proof takes it
                assert -1e-12 <= row["J"] <= 1 + 1e-12
                bound = (2 - row["J"]) / (4 * beta) - beta if beta else math.inf
                assert row["alpha"] <= min(bound, 0.5) + 1e-12


@pytest.mark.parametrize("algorithm", TREES)
def test_counted_on_other_examples(lomtree, trained, inspect, text, tmp_path, algorithm):
    path = trained("--algorithm", algorithm)
    data = tmp_path / "data.vw"
    data.write_bytes(text[: len(text) // 3].rsplit(b"\n", 1)[0] + b"\nunheard-of |words w1 w2\n")
    model = read_model(path, Purpose.LEARN)
    tree = NaiveTree(model.learner, walked(lomtree, model.learner, model, data.read_bytes()))
    rows = inspect(path, "--data", data, "--tree", "--levels", 99)["tree"]
    assert_rows(rows, tree, names_of(model), 99)
    found = inspect(path, "--data", data)["summary"]
    assert found["quality"]["source"] == str(data)
    assert close(found["quality"]["G"], tree.G)
    assert found["labels"] == len(model.labels) - 1  # the unheard-of label is not the model's


@pytest.mark.parametrize("algorithm", ["rtree", "filter"])
def test_what_nobody_counted_is_left_out(lomtree, trained, inspect, algorithm):
    path = trained("--algorithm", algorithm)
    found = inspect(path)["summary"]
    assert not {"quality", "largest_leaves", "most_impure_leaves"} & set(found)
    assert found["tree"]["empty_leaves"] is None
    depths = [row for row in inspect(path, "--depths")["depths"] if row["leaves"]]
    assert [row["depth"] for row in depths] == [4, 5]
    assert all(row["examples"] is None for row in depths)
    rows = inspect(path, "--tree", "--levels", 1)["tree"]
    assert [row["J"] for row in rows] == [None] * 3
    result = lomtree("inspect", path, "--label", "class-1")
    assert (result.status, result.err.count("\n")) == (1, 1)
    assert "give some with --data" in result.err
    assert lomtree("inspect", path, "--tree", "--levels", 2).out.count(b"\n") == 7


def test_the_depths(trained, inspect):
    path = trained()
    rows = inspect(path, "--depths")["depths"]
    tree = NaiveTree(read_model(path, Purpose.LEARN).learner)
    leaves = Counter(tree.depth[v] for v in tree.leaves)
    assert [row["leaves"] for row in rows] == [leaves[row["depth"]] for row in rows]
    assert [row["depth"] for row in rows] == list(range(max(leaves) + 1))
    for row in rows:
        here = sum(tree.weight(v) for v in tree.leaves if tree.depth[v] == row["depth"])
        assert close(row["examples"], here)


def test_where_a_label_lives(trained, inspect):
    path = trained("-T", 6)
    model = read_model(path, Purpose.LEARN)
    tree, names = NaiveTree(model.learner), names_of(model)
    for label in ("class-1", "class-12", "rare"):
        found, number = inspect(path, "--label", label, "--top", 99)["label"], names.index(label)
        homes = {v: tree.counts[v][number] for v in tree.leaves if tree.counts[v][number]}
        assert found["leaf_count"] == len(homes)
        assert {leaf["node"]: leaf["of_label"] for leaf in found["leaves"]} == homes
        assert close(found["examples"], sum(homes.values()))
        predicted_as, predicted_for = Counter(), Counter()
        for v in tree.leaves:
            for other, count in tree.counts[v].items():
                if other == number != tree.prediction[v]:
                    predicted_as[names[tree.prediction[v]]] += count
                if other != number == tree.prediction[v]:
                    predicted_for[names[other]] += count
        assert {row["label"]: row["examples"] for row in found["predicted_as"]} == predicted_as
        assert {row["label"]: row["examples"] for row in found["predicted_for"]} == predicted_for
        counts = [row["examples"] for row in found["predicted_as"]]
        assert counts == sorted(counts, reverse=True)
