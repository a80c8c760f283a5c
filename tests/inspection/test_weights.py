"""All that was learned as text: what is written is what the learner weighs with."""

import gzip
import json
import re

import numpy as np
import pytest

from lomtree.inspection.explanation import OneExample
from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose


@pytest.fixture(params=["lomtree", "rtree", "oaa"])
def trained(request, lomtree, data, tmp_path) -> str:
    path = str(tmp_path / "model.lom")
    train = ("train", data, "-b", 18, "--quiet", "--algorithm", request.param, "-f", path)
    assert lomtree(*train) == (0, b"", "")
    return path


def parts(text: str) -> dict[str, list[str]]:
    """Lines by the heading before them."""
    found: dict[str, list[str]] = {"": []}
    heading = ""
    for line in text.splitlines():
        if re.fullmatch(r"(weights of .*|tree \d+)", line):
            heading = line
            found[heading] = []
        else:
            found[heading].append(line)
    return found


def test_weights_of_labels_give_the_scores(lomtree, trained, data, lines):
    """The sum of weights times values is the score that the regressor of a label gives."""
    done = lomtree("inspect", trained, "--weights", "-", "--data", data)
    assert (done.status, done.err) == (0, "")
    text = done.out.decode()
    model = read_model(trained, Purpose.COUNT)
    example = OneExample.of_line(model.learner, lines[7], model.format)
    values = dict(zip(example.names, example.vector.values.tolist(), strict=True))
    for number in range(len(model.labels)):
        label = model.labels[number].decode()
        found = re.findall(rf"^(.+)\[{label}\]:(\d+):([^:]+):", text, re.MULTILINE)
        told = sum(float(weight) * values.get(name, 0.0) for name, _, weight in found)
        known, weights, _ = model.learner.label_weights(number)
        own = dict(zip(known.tolist(), weights.tolist(), strict=True))
        columns = (example.vector.features.tolist(), example.vector.values.tolist())
        expected = sum(own.get(f, 0.0) * x for f, x in zip(*columns, strict=True))
        assert told == pytest.approx(expected, abs=1e-4)


def test_weights_of_nodes_give_the_scores_of_a_walk(lomtree, model, data, lines):
    text = lomtree("inspect", model, "--weights", "-", "--data", data).out.decode()
    nodes: dict[int, dict[str, float]] = {}
    for line in parts(text)["weights of tree 0"]:
        name, v, _, weight = re.fullmatch(r"(.+)\[(\d+)\]:(\d+):(.+)", line).groups()
        nodes.setdefault(int(v), {})[name] = float(weight)
    learner = read_model(model, Purpose.COUNT).learner
    for line in lines[:20]:
        path = json.loads(lomtree("inspect", model, "--path", line.decode(), "--json").out)["path"]
        example = OneExample.of_line(learner, line, "vw")
        values = example.vector.values.tolist()
        for step in path["steps"]:
            weights = nodes[step["node"]]
            named = zip(example.names, values, strict=True)
            score = sum(weights.get(name, 0.0) * x for name, x in named)
            assert score == pytest.approx(step["score"], abs=1e-4)


def test_without_data_there_are_hashes(lomtree, trained, lines, tmp_path):
    target = tmp_path / "weights.txt"
    assert lomtree("inspect", trained, "--weights", target) == (0, b"", "")
    found = parts(target.read_text())
    assert found[""][0].startswith("lomtree ")
    labels = {line.split()[0].decode() for line in lines}
    assert f"labels {len(labels)}" in found[""]
    assert {line.split()[2] for line in found[""] if line.startswith("label ")} == labels
    assert found["weights of labels"] or "rtree" in found[""][1]
    assert all(line.startswith("[class-") for line in found["weights of labels"])
    if "weights of tree 0" in found:
        cells = [line.split(":") for line in found["weights of tree 0"]]
        assert len(cells) > 100
        weights = read_model(trained, Purpose.COUNT).learner.cell_weights()[1]
        assert np.allclose([float(weight) for _, weight in cells], weights, rtol=1e-5)


def test_the_tree_is_whole(lomtree, model, tmp_path):
    text = lomtree("inspect", model, "--weights", "-").out.decode()
    tree = parts(text)["tree 0"]
    inner = [line.split() for line in tree if line.startswith("node ")]
    leaves = [line.split() for line in tree if line.startswith("leaf ")]
    assert len(leaves) == len(inner) + 1
    below = {words[3] for words in inner} | {words[5] for words in inner}
    assert {words[1] for words in inner + leaves} - below == {inner[0][1]}


def test_every_line_of_a_file_is_explained(lomtree, trained, lines, tmp_path):
    path = tmp_path / "some.vw.gz"
    path.write_bytes(gzip.compress(b"\n".join([*lines[:3], b"", lines[3]])))
    done = lomtree("inspect", trained, "--paths", path, "--json", "--top", 3)
    found = [json.loads(line) for line in done.out.splitlines()]
    assert len(found) == 4
    one = lomtree("inspect", trained, "--path", lines[3].decode(), "--json", "--top", 3)
    assert found[3] == json.loads(one.out)
    text = lomtree("inspect", trained, "--paths", path, "--top", 1).out
    assert all(line.strip() in text for line in lines[:4])


def test_the_best_label_of_scores_is_the_prediction(lomtree, data, lines, tmp_path):
    target = tmp_path / "oaa.lom"
    lomtree("train", data, "-b", 18, "--algorithm", "oaa", "--quiet", "-f", target)
    predicted = lomtree(
        "predict", "-i", target, "--probabilities", data, "--quiet"
    ).out.splitlines()
    for line, told in list(zip(lines, predicted, strict=True))[:20]:
        done = lomtree("inspect", target, "--path", line.decode(), "--json", "--top", 2)
        best = json.loads(done.out)["scores"][0]
        label, probability = told.decode().split(":")
        assert best["label"] == label
        assert best["probability"] == pytest.approx(float(probability), rel=1e-3)


def test_a_bad_line_is_told_with_its_place(lomtree, model, tmp_path):
    path = tmp_path / "bad.vw"
    path.write_text("class-1 |words w1\n\nclass-2 |words w:x\n")
    for option in ("--paths", "--data"):
        extra = ("--weights", tmp_path / "out") if option == "--data" else ()
        done = lomtree("inspect", model, option, path, *extra)
        assert done.status == 1
        assert done.err.startswith(f"lomtree: {path}:3:")
    assert not (tmp_path / "out").exists()


def test_nothing_that_is_read_is_written_over(lomtree, model, data):
    for path in (model, data):
        done = lomtree("inspect", model, "--weights", path, "--data", data)
        assert (done.status, done.out) == (2, b"")
        assert "would overwrite" in done.err
