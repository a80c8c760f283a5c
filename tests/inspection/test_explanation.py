"""The way of one example down the tree, with the features that decide it."""

import numpy as np
import pytest

from lomtree.formats import libsvm
from lomtree.formats.one_line import read_line
from lomtree.formats.vw import feature_names
from lomtree.linear.hashed_weights import index_of, offset_of
from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose
from tests.generators.inspections import TREES, names_of
from tests.oracles.inspection import NaiveTree


@pytest.mark.parametrize("algorithm", TREES)
@pytest.mark.parametrize("update", ["sgd", "adaptive"])
def test_the_way_of_one_example(lomtree, trained, inspect, algorithm, update):
    path = trained("--algorithm", algorithm, "--update", update)
    line = "|words w3 v3:2 noise1 never-seen"
    found = inspect(path, "--path", line, "--top", 99)["path"]
    model = read_model(path, Purpose.LEARN)
    tree, names = NaiveTree(model.learner, {}), names_of(model)
    assert (
        lomtree("predict", "-i", path, stdin=line.encode()).out.decode().strip()
        == found["prediction"]
    )
    table, _, (cells, _) = model.learner.state.weights
    words = {"words^w3", "words^v3", "words^noise1", "words^never-seen", "Constant"}
    hashes = {name: feature for feature, name in feature_names(line.encode()).items()}
    v = tree.root
    for step in found["steps"]:
        assert step["node"] == v
        assert {row["feature"] for row in step["features"]} == words
        for row in step["features"]:
            feature = hashes[row["feature"]]
            place = int(model.learner.state.tree.nodes["slot"][v])
            cell = int(index_of(np.uint32(feature), np.uint32(offset_of(place) & 0xFFFFFFFF)))
            assert row["weight"] == float(table[cell & (cells - 1), 0])
            assert row["product"] == pytest.approx(row["weight"] * row["value"], rel=1e-6)
        products = [row["product"] for row in step["features"]]
        assert step["score"] == pytest.approx(sum(products), rel=1e-5, abs=1e-6)
        assert [abs(p) for p in products] == sorted(map(abs, products), reverse=True)
        assert step["side"] == ("right" if step["score"] >= 0 else "left")
        v = tree.children[v][step["side"] == "right"]
    assert found["leaf"] == v
    assert v in tree.leaves
    assert found["prediction"] == names[tree.prediction[v]]
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
    assert libsvm.feature_names(b"1 3:0.5 7:2 # no") == {3: "3", 7: "7", 11650396: "Constant"}
