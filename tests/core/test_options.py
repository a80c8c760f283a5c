"""Options are checked before any work starts, and the reason is said in words."""

import json
import os
import re
from math import inf, nan

import numpy as np
import pytest

from lomtree.core.errors import OptionError
from lomtree.core.options import LOSSES, UPDATES, Options, choose_options
from lomtree.model.model import Model
from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose


def test_the_defaults_make_sense():
    assert Options().algorithm == "lomtree"
    assert (Options().swap_resistance, Options().max_nodes) == (4, 0)


def test_rate_and_clip_are_the_algorithm_s_own_until_others_are_given():
    assert (Options().learning_rate, Options().clip) == (4, 0.5)
    one_against_all = Options(algorithm="oaa")
    assert (one_against_all.learning_rate, one_against_all.clip) == (2, 4)
    given = choose_options({"algorithm": "oaa", "clip": 0.5}, None)
    assert (given.learning_rate, given.clip) == (2, 0.5)


WRONG = {
    "bits": [9, 32, -1],
    "loss": ["hinge", ""],
    "update": ["adam"],
    "learning_rate": [0, -1, nan, inf, 1e7],
    "power_t": [-0.1, 1.1, nan],
    "clip": [0, -1, nan, inf],
    "max_nodes": [-1, 2**30],
    "nodes_per_class": [0, -1, nan, inf],
    "swap_resistance": [-1, nan, inf],
    "min_impurity": [-0.1, 1, nan],
    "max_statistics": [0, 2**30 + 1],
    "max_labels": [0, 2**30 + 1],
    "holdout": [-0.1, 1, nan],
    "seed": [-1, 2**63],
}


@pytest.mark.parametrize(("name", "value"), [(n, value) for n in WRONG for value in WRONG[n]])
def test_what_makes_no_sense_is_refused_by_the_option_s_name(name, value):
    option = "--" + name.replace("_", "-")
    with pytest.raises(OptionError, match=f"^{option} must be .*, not {value}$"):
        Options(**{name: value})


RIGHT = {
    "bits": [10, 31],
    "loss": LOSSES,
    "update": UPDATES,
    "power_t": [0, 1],
    "max_nodes": [0, 1],
    "nodes_per_class": [0.01, 1000],
    "swap_resistance": [0],
    "min_impurity": [0, 0.99],
    "max_statistics": [1, 2**30],
    "max_labels": [1, 2**28 - 1],
    "holdout": [0, 0.999],
    "seed": [0, 2**63 - 1],
}


@pytest.mark.parametrize(("name", "value"), [(n, value) for n in RIGHT for value in RIGHT[n]])
def test_the_limits_themselves_are_allowed(name, value):
    assert getattr(Options(**{name: value}), name) == value


def test_a_number_of_nodes_and_nodes_per_class_exclude_each_other():
    with pytest.raises(OptionError, match="-T and --nodes-per-class exclude each other"):
        choose_options({"max_nodes": 5, "nodes_per_class": 2.0}, None)


def test_a_model_s_options_hold_until_others_are_given():
    model = Model.new(Options(bits=12, max_nodes=7, learning_rate=3.0, seed=9))
    assert choose_options({}, model.options) == model.options
    assert choose_options({"learning_rate": 1.0}, model.options).learning_rate == 1
    assert choose_options({"nodes_per_class": 2.0}, model.options).max_nodes == 0
    assert choose_options({"bits": 12}, model.options) == model.options


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"bits": 13}, "--bits is 12 in this model and cannot change"),
        ({"loss": "squared"}, "--loss is logistic in this model and cannot change"),
        ({"update": "sgd"}, "--update is adaptive in this model and cannot change"),
        ({"clip": -1.0}, "--clip must be"),
    ],
)
def test_what_a_model_was_begun_with_cannot_change(given, sentence):
    with pytest.raises(OptionError, match=sentence):
        choose_options(given, Model.new(Options(bits=12)).options)


def train(lomtree, data, model, *arguments):
    return lomtree("train", data, "-b", 18, "-f", model, *arguments)


def inner_nodes(result) -> int:
    return int(re.search(r"internal nodes +([\d,]+)", result.err)[1].replace(",", ""))


def test_the_tree_follows_the_labels_or_has_a_fixed_size(lomtree, data, tmp_path):
    path = tmp_path / "m"
    by_default = inner_nodes(train(lomtree, data, path))
    assert 20 // 2 < by_default <= 4 * 20 - 1
    assert inner_nodes(train(lomtree, data, path, "--nodes-per-class", 0.5)) <= 20 // 2 - 1
    for number in (1, 5):
        assert inner_nodes(train(lomtree, data, path, "-T", number)) == number


def test_swap_resistance_decides_how_often_nodes_are_recycled(lomtree, data, tmp_path):
    swaps = []
    for resistance in (0.5, 4, 1e6):
        result = train(lomtree, data, tmp_path / "m", "-T", 10, "-R", resistance)
        assert f"10 internal nodes at most, swap resistance {resistance:g}" in result.err
        swaps.append(int(re.search(r"(\d+) swaps", result.err)[1]))
    assert swaps[0] > swaps[1] >= swaps[2] == 0


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_and_update_learns_and_can_go_on(lomtree, data, tmp_path, loss, update):
    path, arguments = tmp_path / "m", ("--loss", loss, "--update", update)
    result = train(lomtree, data, path, "--passes", 5, *arguments)
    assert f"{loss} loss, {update} update" in result.err
    score = json.loads(lomtree("test", "-i", path, "--json", data).out)
    assert score["error"] < 0.8  # the most frequent of 20 labels alone leaves more
    assert train(lomtree, data, path, "-i", path).status == 0


def test_going_on_with_another_fixed_option_is_a_usage_error(lomtree, data, model, tmp_path):
    for arguments in (("-b", 19), ("--loss", "squared"), ("--update", "sgd")):
        result = lomtree("train", data, "-i", model, "-f", tmp_path / "new", *arguments)
        assert (result.status, result.out) == (2, b"")
        assert re.fullmatch(r"lomtree: --\w+ is \w+ in this model and cannot change\n", result.err)
    assert not (tmp_path / "new").exists()


def test_predict_only_is_smaller_and_cannot_go_on(lomtree, data, model, tmp_path):
    small = tmp_path / "small.lom"
    assert train(lomtree, data, small, "--predict-only", "--quiet") == (0, b"", "")
    assert small.stat().st_size < 0.8 * os.path.getsize(model)
    assert lomtree("predict", "-i", small, data) == lomtree("predict", "-i", model, data)
    result = lomtree("train", data, "-i", small, "-f", small)
    assert (result.status, result.out) == (1, b"")
    assert "--predict-only" in result.err
    assert result.err.count("\n") == 1


def test_progress_rows_come_as_wanted(lomtree, data, tmp_path):
    for progress, numbers in ((100, [100, 200, 300]), ("4.0", [1, 4, 16, 64, 256])):
        text = train(lomtree, data, tmp_path / "m", "-P", progress).err
        rows = re.findall(r"^ +\d\.\d{4} +\d\.\d{4} +(\d+) +class-", text, re.MULTILINE)
        assert [int(row) for row in rows] == numbers


def test_a_table_that_may_not_grow_is_called_crowded(lomtree, data, tmp_path):
    small = lomtree("train", data, "--passes", 3, "-f", tmp_path / "small", "-b", 10)
    assert re.search(r"2\^10 weights, \d+% in use: crowded, a larger -b would help", small.err)
    assert "crowded" not in lomtree("train", data, "-f", tmp_path / "large").err


def test_strays_deepen_the_tree_of_a_frequent_label_only_with_min_impurity_0(lomtree, tmp_path):
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(3_000) < 0.01, rng.integers(1, 20, 3_000), 0)
    text = "".join(f"{label} |f w{number}\n" for number, label in enumerate(labels))
    depths = []
    for min_impurity in (0, 0.1):
        model = tmp_path / "m"
        lomtree("train", "-b", 18, "--min-impurity", min_impurity, "-f", model, stdin=text.encode())
        depths.append(read_model(str(model), Purpose.LEARN).learner.depths().largest)
    assert depths[0] > 8 > depths[1]
