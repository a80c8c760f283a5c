"""lomtree compact: what train --predict-only writes, of a model that is there."""

import numpy as np
import pytest

from lomtree.model.model_file import read_model, write_model
from lomtree.storage.purposes import Purpose
from tests.generators.sharded import sharded

KINDS = {
    "lomtree": [],
    "three trees": ["--trees", "3"],
    "no ranker": ["--no-ranker"],
    "paper": ["--paper"],
    "rtree": ["--algorithm", "rtree"],
    "filter": ["--algorithm", "filter"],
    "oaa": ["--algorithm", "oaa"],
    "sgd": ["--update", "sgd", "--scale", "rms"],
}


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def models(request, lomtree, data, tmp_path):
    """A whole model, and what --predict-only writes of the same training."""
    paths = tmp_path / "whole.lom", tmp_path / "predicts.lom"
    for path, more in zip(paths, ([], ["--predict-only"]), strict=True):
        done = lomtree("train", data, "-b", 18, "--quiet", *request.param, *more, "-f", path)
        assert done.status == 0, done.err
    return paths


def test_it_writes_what_predict_only_writes(models, lomtree, data, tmp_path):
    whole, predicts = models
    small, smaller = tmp_path / "small.lom", tmp_path / "smaller.lom"
    done = lomtree("compact", whole, "-f", small)
    assert (done.status, done.out) == (0, b"")
    assert small.read_bytes() == predicts.read_bytes()
    assert lomtree("compact", small, "-f", smaller, "--quiet").err == ""
    assert smaller.read_bytes() == small.read_bytes()
    for walk in ([], ["--walk"]):
        asked = [lomtree("predict", "-i", path, data, "--quiet", *walk).out for path in models]
        pairs = list(zip(*(out.splitlines() for out in asked), strict=True))
        assert np.mean([one == other for one, other in pairs]) > 0.99


def test_a_sharded_model_becomes_small_too(lomtree, data, tmp_path):
    path, small = tmp_path / "shards.lom", tmp_path / "small.lom"
    write_model(sharded(str(data)), str(path), predict_only=True)
    assert lomtree("compact", path, "-f", small, "--quiet").status == 0
    assert small.read_bytes() == path.read_bytes()


def test_it_tells_the_bytes_of_each_part(lomtree, data, tmp_path):
    whole, small = tmp_path / "whole.lom", tmp_path / "small.lom"
    lomtree("train", data, "-b", 18, "--quiet", "-f", whole)
    told = lomtree("compact", whole, "-f", small).err.splitlines()
    parts = {line.split()[0]: line.replace(",", "").split()[1:] for line in told[1:-1]}
    assert parts["statistics"][1] == "0"
    assert int(parts["weights"][0]) > 2 * int(parts["weights"][1])
    for place, path in enumerate((whole, small)):
        *each, total = (int(sizes[place]) for sizes in parts.values())
        assert sum(each) == total <= path.stat().st_size
    assert "8 significant bits" in told[-1]


def test_its_training_cannot_go_on(lomtree, data, tmp_path):
    whole, small = tmp_path / "whole.lom", tmp_path / "small.lom"
    lomtree("train", data, "-b", 18, "--quiet", "-f", whole)
    lomtree("compact", whole, "-f", small, "--quiet")
    done = lomtree("train", data, "-i", small, "-f", tmp_path / "more.lom", "--quiet")
    assert done.status == 1
    assert "saved with --predict-only, so its training cannot go on" in done.err


def test_pipes(lomtree, data, tmp_path):
    whole, small = tmp_path / "whole.lom", tmp_path / "small.lom"
    lomtree("train", data, "-b", 18, "--quiet", "-f", whole)
    lomtree("compact", whole, "-f", small, "--quiet")
    piped = lomtree("compact", "-", "-f", "-", stdin=whole.read_bytes())
    assert piped.status == 0
    assert piped.out == small.read_bytes()


def test_it_does_not_overwrite_what_it_reads(lomtree, data, tmp_path):
    whole, link = tmp_path / "whole.lom", tmp_path / "link.lom"
    lomtree("train", data, "-b", 18, "--quiet", "-f", whole)
    link.symlink_to(whole)
    before = whole.read_bytes()
    for target in (whole, link):
        done = lomtree("compact", whole, "-f", target)
        assert done.status == 2
        assert f"-f {target} would overwrite the model {whole}" in done.err
    assert whole.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"LOMTREE\n", b"no model"])
def test_what_is_no_model_is_refused(lomtree, tmp_path, content):
    path = tmp_path / "model.lom"
    path.write_bytes(content)
    done = lomtree("compact", path, "-f", tmp_path / "small.lom")
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert "not a usable model" in done.err
    assert not (tmp_path / "small.lom").exists()


def test_a_small_model_reads_as_it_is_whole(lomtree, data, tmp_path):
    """Labels, counts and the tree are the same; weights are within 1/256 of what they were."""
    whole, small = tmp_path / "whole.lom", tmp_path / "small.lom"
    lomtree("train", data, "-b", 18, "--quiet", "-f", whole)
    lomtree("compact", whole, "-f", small, "--quiet")
    before, after = (read_model(str(path), Purpose.RANK) for path in (whole, small))
    assert list(after.labels) == list(before.labels)
    assert after.learner.examples == before.learner.examples
    np.testing.assert_array_equal(after.learner.nodes, before.learner.nodes)
    cells, weights = before.learner.cell_weights()
    same_cells, rounded = after.learner.cell_weights()
    np.testing.assert_array_equal(same_cells, cells)
    np.testing.assert_allclose(rounded, weights, rtol=1 / 256)
    for label in range(len(before.labels)):
        for ours, theirs in zip(
            after.learner.label_weights(label), before.learner.label_weights(label), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=1 / 256)
