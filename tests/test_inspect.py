"""Every number that `inspect` shows is recomputed here, slowly; and it says what it cannot show."""

import json
import math
import os
import re
import shutil
from collections import Counter

import numpy as np
import pytest
from naive_inspection import NaiveTree

from lomtree.audit import feature_names
from lomtree.inspection import sharing
from lomtree.model_file import read_model
from lomtree.reader import read_line
from lomtree.weights import index_of, offset_of

TREES = ("lomtree", "rtree", "filter")


@pytest.fixture(scope="module")
def text(lines) -> bytes:
    """The lines of conftest with importances, a label that is rare, and a word without a value."""
    changed = [
        line.replace(b" |", b" 2.5 |") if n % 7 == 0 else line for n, line in enumerate(lines)
    ]
    return b"".join(changed) + b"rare |words once:0.5 v1\n"


@pytest.fixture
def trained(lomtree, text, tmp_path):
    """Train with these arguments; returns the model's path."""

    def train(*arguments) -> str:
        path = str(tmp_path / "model.lom")
        more = ("-b", 18, "--passes", 3, "--quiet", "-f", path)
        assert lomtree("train", *arguments, *more, stdin=text) == (0, b"", "")
        return path

    return train


@pytest.fixture
def inspect(lomtree):
    """What the command prints as JSON."""

    def run(*arguments) -> dict:
        result = lomtree("inspect", *arguments, "--json")
        assert (result.status, result.err) == (0, "")
        return json.loads(result.out)

    return run


def names_of(model) -> list[str]:
    return [label.decode("utf-8", "backslashreplace") for label in model.labels]


def close(found, expected) -> bool:
    return found == pytest.approx(expected, rel=1e-9, abs=1e-12)


ARGUMENTS = [(), ("-T", 7, "-R", 0.5), ("-T", 1), ("--update", "sgd"), ("--nodes-per-class", 1)]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_the_summary(trained, inspect, arguments):
    path = trained(*arguments)
    found = inspect(path, "--top", 5)["summary"]
    model = read_model(path, learning=True)
    tree = NaiveTree(model.learner)
    assert found["model"] == path
    assert found["bytes"] == os.path.getsize(path)
    assert (found["algorithm"], found["predict_only"]) == ("lomtree", False)
    assert (found["examples"], found["labels"]) == (3 * 301, len(set(names_of(model))))
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
    slots, lines = model.learner.state.weights.size
    assert found["weights"]["slots"] == slots
    assert found["weights"]["load"] == lines * 8 / slots


def test_the_leaves_of_the_summary(trained, inspect):
    path = trained("-T", 9)
    found = inspect(path, "--top", 4)["summary"]
    model = read_model(path, learning=True)
    tree, names = NaiveTree(model.learner), names_of(model)
    for part, size in (
        ("largest_leaves", tree.weight),
        ("most_impure_leaves", lambda v: tree.weight(v) * tree.entropy(v)),
    ):
        sizes = sorted((size(v) for v in tree.leaves), reverse=True)[:4]
        assert close([size(leaf["node"]) for leaf in found[part]], sizes)
        for leaf in found[part]:
            v, labels = leaf["node"], tree.labels_at(leaf["node"])
            assert (leaf["depth"], leaf["labels"]) == (tree.depth[v], len(labels))
            assert leaf["label"] == names[tree.answer[v]]
            assert close(leaf["examples"], tree.weight(v))
            assert close(leaf["entropy"], tree.entropy(v))
            assert close(leaf["label_share"], labels[tree.answer[v]] / tree.weight(v))


def assert_rows(rows, tree, names, levels):
    nodes = [v for v in tree.order(tree.root) if tree.depth[v] <= levels]
    assert [row["node"] for row in rows] == nodes
    side = {pair[i]: ("left", "right")[i] for pair in tree.children.values() for i in range(2)}
    for row in rows:
        v = row["node"]
        labels, weight = tree.labels_at(v), tree.weight(v)
        assert (row["depth"], row["side"]) == (tree.depth[v], side.get(v, "root"))
        assert close(row["examples"], weight)
        expected = tree.measures(v)
        for name, value in expected.items():
            assert (row[name] is None) == (value is None)
            assert value is None or close(row[name], value)
        assert row["labels"] == len(labels)
        if labels:
            assert close(row["label_share"], max(labels.values()) / weight)
            assert close(labels[names.index(row["label"])], max(labels.values()))
        assert row["below"] == len(tree.order(v)) - 1
        assert row["folded"] == (v in tree.children and tree.depth[v] == levels)


@pytest.mark.parametrize("levels", [0, 2, 50])
@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
def test_the_top_of_the_tree(trained, inspect, arguments, levels):
    path = trained(*arguments)
    rows = inspect(path, "--tree", "--levels", levels)["tree"]
    model = read_model(path, learning=True)
    assert_rows(rows, NaiveTree(model.learner), names_of(model), levels)


def test_lemma_1_and_2_hold_on_every_node(trained, inspect):
    for arguments in ARGUMENTS:
        for row in inspect(trained(*arguments), "--tree", "--levels", 99)["tree"]:
            if row["J"] is not None:
                beta = min(row["beta"], 1 - row["beta"])  # as the proof takes it
                assert -1e-12 <= row["J"] <= 1 + 1e-12
                bound = (2 - row["J"]) / (4 * beta) - beta if beta else math.inf
                assert row["alpha"] <= min(bound, 0.5) + 1e-12


def walked(lomtree, learner, model, text) -> dict:
    """{leaf: Counter}: where the examples go, walked by hand."""
    counts: dict = {}
    for line in text.splitlines():
        block = read_line(line)
        name = line.split()[0]
        number = model.labels.find(name)
        if number < 0:
            number = int(model.labels.add(name)[0])
        leaf = int(learner.find_leaves(block.batch, 1)[0])
        counts.setdefault(leaf, Counter())[number] += float(block.batch.weights[0])
    return counts


@pytest.mark.parametrize("algorithm", TREES)
def test_counted_on_other_examples(lomtree, trained, inspect, text, tmp_path, algorithm):
    path = trained("--algorithm", algorithm)
    data = tmp_path / "data.vw"
    data.write_bytes(text[: len(text) // 3].rsplit(b"\n", 1)[0] + b"\nunheard-of |words w1 w2\n")
    model = read_model(path, learning=True)
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
    tree = NaiveTree(read_model(path, learning=True).learner)
    leaves = Counter(tree.depth[v] for v in tree.leaves)
    assert [row["leaves"] for row in rows] == [leaves[row["depth"]] for row in rows]
    assert [row["depth"] for row in rows] == list(range(max(leaves) + 1))
    for row in rows:
        here = sum(tree.weight(v) for v in tree.leaves if tree.depth[v] == row["depth"])
        assert close(row["examples"], here)


def test_where_a_label_lives(trained, inspect):
    path = trained("-T", 6)
    model = read_model(path, learning=True)
    tree, names = NaiveTree(model.learner), names_of(model)
    for label in ("class-1", "class-12", "rare"):
        found, number = inspect(path, "--label", label, "--top", 99)["label"], names.index(label)
        homes = {v: tree.counts[v][number] for v in tree.leaves if tree.counts[v][number]}
        assert found["leaf_count"] == len(homes)
        assert {leaf["node"]: leaf["of_label"] for leaf in found["leaves"]} == homes
        assert close(found["examples"], sum(homes.values()))
        answered_as, answer_for = Counter(), Counter()
        for v in tree.leaves:
            for other, count in tree.counts[v].items():
                if other == number != tree.answer[v]:
                    answered_as[names[tree.answer[v]]] += count
                if other != number == tree.answer[v]:
                    answer_for[names[other]] += count
        assert {row["label"]: row["examples"] for row in found["answered_as"]} == answered_as
        assert {row["label"]: row["examples"] for row in found["answer_for"]} == answer_for
        counts = [row["examples"] for row in found["answered_as"]]
        assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("algorithm", TREES)
@pytest.mark.parametrize("update", ["sgd", "adaptive"])
def test_the_way_of_one_example(lomtree, trained, inspect, algorithm, update):
    path = trained("--algorithm", algorithm, "--update", update)
    line = "|words w3 v3:2 noise1 never-seen"
    found = inspect(path, "--path", line, "--top", 99)["path"]
    model = read_model(path, learning=True)
    tree, names = NaiveTree(model.learner, {}), names_of(model)
    assert (
        lomtree("predict", "-i", path, stdin=line.encode()).out.decode().strip() == found["answer"]
    )
    table, _, (slots, _) = model.learner.state.weights
    words = {"words^w3", "words^v3", "words^noise1", "words^never-seen", "Constant"}
    hashes = {name: feature for feature, name in feature_names(line.encode()).items()}
    v = tree.root
    for step in found["steps"]:
        assert step["node"] == v
        assert {row["feature"] for row in step["features"]} == words
        for row in step["features"]:
            feature = hashes[row["feature"]]
            place = int(model.learner.state.tree.nodes["place"][v])
            slot = int(index_of(np.uint32(feature), np.uint32(offset_of(place) & 0xFFFFFFFF)))
            assert row["weight"] == float(table[slot & (slots - 1), 0])
            assert row["product"] == pytest.approx(row["weight"] * row["value"], rel=1e-6)
        products = [row["product"] for row in step["features"]]
        assert step["score"] == pytest.approx(sum(products), rel=1e-5, abs=1e-6)
        assert [abs(p) for p in products] == sorted(map(abs, products), reverse=True)
        assert step["side"] == ("right" if step["score"] >= 0 else "left")
        v = tree.children[v][step["side"] == "right"]
    assert found["leaf"] == v
    assert v in tree.leaves
    assert found["answer"] == names[tree.answer[v]]
    if algorithm == "lomtree":
        counts = NaiveTree(model.learner).counts[v]
        assert {row["label"]: row["examples"] for row in found["leaf_labels"]} == {
            names[y]: count for y, count in counts.items()
        }


def test_the_names_of_features():
    names = feature_names(b"3 2.0 'tag|a:2 x y:3 |b x |c:0.5\tz:-1")
    hashes = {
        word: int(read_line(word.encode()).batch.features[0])
        for word in ("|a x", "|a y", "|b x", "|c z")
    }
    assert {names[hashes[f"|{space} {word}"]] for space, word in ("ax", "ay", "bx", "cz")} == {
        "a^x", "a^y", "b^x", "c^z",
    }  # fmt: skip
    assert set(feature_names(b"| plain").values()) == {"Constant", "plain"}
    assert feature_names(b"1 3:0.5 7:2 # no") == {3: "3", 7: "7", 11650396: "Constant"}


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
    labels = len(read_model(path, learning=False).labels)
    words = {word for line in lines for word in line.split()[2:]}
    assert found["weights"] == {"features": len(words) + 2, "labels": labels, "full": False}
    assert found["examples"] == 3 * 301
    assert "tree" not in found
    for arguments in (
        ("--tree",), ("--depths",), ("--label", "class-1"), ("--path", "|words w1"),
        ("--data", data),
    ):  # fmt: skip
        result = lomtree("inspect", path, *arguments)
        assert result == (1, b"", f"lomtree: {path}: a model of oaa has no tree\n")


def test_no_tree_no_picture(lomtree, trained, tmp_path):
    pytest.importorskip("matplotlib")
    path, picture = trained("--algorithm", "oaa"), tmp_path / "tree.svg"
    result = lomtree("inspect", path, "--plot", picture)
    assert result == (1, b"", f"lomtree: {path}: a model of oaa has no tree\n")
    assert not picture.exists()


def test_the_picture_of_a_model(lomtree, trained, tmp_path):
    pytest.importorskip("matplotlib")
    path, picture = trained(), tmp_path / "tree.svg"
    assert lomtree("inspect", path, "--plot", picture, "--levels", 2) == (0, b"", "")
    text = picture.read_text()
    assert "model.lom: 20 labels, by the model's statistics" in text.replace("&#39;", "'")
    root = read_model(path, learning=False).learner.state.tree.counts["root"][0]
    assert f'id="node-{root}"' in text


@pytest.mark.parametrize("algorithm", [*TREES, "oaa"])
def test_a_model_for_prediction_only(lomtree, trained, inspect, algorithm):
    path = trained("--algorithm", algorithm, "--predict-only")
    found = inspect(path)["summary"]
    assert found["predict_only"]
    assert found["examples"] == 3 * 301
    assert "quality" not in found
    if algorithm != "oaa":
        assert inspect(path, "--path", "|words w1")["path"]["answer"]
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


def test_text_for_people_has_the_numbers_of_the_json(lomtree, trained, inspect):
    path = trained("-T", 5)
    found = inspect(path)["summary"]
    text = lomtree("inspect", path).out.decode()
    assert f"G = {found['quality']['G']:.4f} in the leaves\n" in text
    assert f"mean {found['tree']['mean_depth']:.2f} over the examples, " in text
    assert f"alpha {found['quality']['mean_alpha']:.4f}" in text
    tree = lomtree("inspect", path, "--tree", "--levels", 1).out.decode().splitlines()
    rows = inspect(path, "--tree", "--levels", 1)["tree"]
    for line, row in zip(tree, rows, strict=True):
        assert line.startswith("  " * row["depth"])
        assert f"{row['examples']:,.0f} examples" in line
    depths = lomtree("inspect", path, "--depths").out.decode()
    assert re.search(r"^ +\d+ +\d+ +[\d,]+ +#{40}$", depths, re.MULTILINE)
    label = lomtree("inspect", path, "--label", "class-1").out.decode()
    assert re.match(r"class-1: [\d,]+ examples in (one|\d+) lea", label)
    way = lomtree("inspect", path, "--path", "|words w1 v1").out.decode()
    assert re.search(r"^  0 node \d+: score [+-]\d", way)
    assert "words^w1" in way


def test_colours_only_where_someone_sees_them(lomtree, trained):
    assert b"\x1b[" not in lomtree("inspect", trained(), "--tree").out


def test_labels_that_are_no_text(lomtree, inspect, tmp_path):
    lines = b"\xff\xfe |f x\n<b>&\xc3\xa9 |f y\n" * 9
    lomtree("train", "-b", 18, "--quiet", "-f", tmp_path / "m", stdin=lines)
    rows = inspect(tmp_path / "m", "--tree")["tree"]
    assert {row["label"] for row in rows} == {"\\xff\\xfe", "<b>&é"}
    found = lomtree(
        "inspect", tmp_path / "m", "--label", b"\xff\xfe".decode(errors="surrogateescape")
    )
    assert found.status == 0


WRONG = [
    (("--label", "nobody"), "the model knows no label 'nobody'"),
    (("--path", ""), "the line is empty"),
    (("--path", "word"), "the line has no features (in VW's text they stand behind a '|')"),
    (("--path", "|f a:x"), "line:1:6: expected a number after ':', found 'x'"),
    (("--path", "|f a\n|f b"), "one line with one example is needed"),
    (("--data", "no-such-file"), "no-such-file: no such file"),
    (("--data", "/dev/null"), "there were no examples to walk down the tree"),
]


@pytest.mark.parametrize(("arguments", "sentence"), WRONG, ids=str)
def test_what_cannot_be_shown_is_one_sentence(lomtree, trained, arguments, sentence):
    result = lomtree("inspect", trained(), *arguments)
    assert (result.status, result.out) == (1, b"")
    assert result.err == f"lomtree: {sentence}\n"


def test_what_is_no_model_is_one_sentence(lomtree, trained, tmp_path, data):
    cut = tmp_path / "cut.lom"
    shutil.copy(trained(), cut)
    cut.write_bytes(cut.read_bytes()[:-9])
    (tmp_path / "empty.lom").write_bytes(b"")
    for path in (cut, tmp_path / "empty.lom", data, tmp_path / "none.lom", tmp_path):
        result = lomtree("inspect", path)
        assert (result.status, result.out, result.err.count("\n")) == (1, b"", 1)
        assert result.err.startswith(f"lomtree: {path}: ")


@pytest.mark.parametrize(
    "arguments", [("--levels", -1), ("--top", 0), ("--plot", "tree.gif"), ("--nonsense",)]
)
def test_usage_errors(lomtree, trained, arguments):
    result = lomtree("inspect", trained(), *arguments)
    assert (result.status, result.out) == (2, b"")
