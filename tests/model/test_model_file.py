"""A model file holds all of a model, always in the same bytes."""

from dataclasses import replace

import numpy as np
import pytest

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.model.model import Model
from lomtree.model.model_file import read_model
from lomtree.storage.container import MAGIC
from tests.generators.models import CLASSES, OPTIONS, STREAM, file_bytes, read, trained
from tests.generators.strange_files import put_together, take_apart
from tests.generators.streams import ask, random_options, random_stream, teach


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    return file_bytes(trained(), tmp_path_factory.mktemp("model"))


@pytest.fixture(params=ALGORITHMS)
def options(request) -> Options:
    return replace(OPTIONS, algorithm=request.param)


def test_a_model_is_the_same_after_writing_and_reading(options, tmp_path):
    model = trained(options)
    whole = file_bytes(model, tmp_path)
    again = read(whole, tmp_path)
    assert (again.options, again.position) == (model.options, model.position)
    assert list(again.labels) == list(model.labels)
    assert ask(again.learner, STREAM) == ask(model.learner, STREAM)
    assert file_bytes(again, tmp_path) == whole


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_going_on_after_reading_is_as_if_nothing_had_happened(algorithm, seed, tmp_path):
    rng = np.random.default_rng(seed)
    classes = int(rng.choice([0, 3, 50]))
    options = random_options(rng, algorithm=algorithm, seed=seed, classes=classes)
    stream = random_stream(rng, 400, CLASSES, weighted=True)
    half = read(file_bytes(trained(options, stream[:200]), tmp_path), tmp_path)
    teach(half.learner, stream[200:])
    half.position = len(stream)
    assert file_bytes(half, tmp_path) == file_bytes(trained(options, stream), tmp_path)


def test_the_same_model_gives_the_same_bytes_however_it_was_cut(options, tmp_path):
    whole, model = file_bytes(trained(options), tmp_path), Model.new(options)
    for number in range(CLASSES):
        model.labels.add(b"label-%d\xff" % number)
    teach(model.learner, STREAM, cuts=range(1, 120, 7))
    model.position = len(STREAM)
    assert file_bytes(model, tmp_path) == whole


def test_the_layout_is_as_described(whole):
    assert put_together(*take_apart(whole)) == whole
    header, arrays = take_apart(whole)
    assert header["options"]["max_nodes"] == 9
    assert bytes(arrays["labels.text"]).startswith(b"label-0\xfflabel-1\xff")


def test_predict_only_is_smaller_and_predicts_the_same(options, tmp_path):
    model = trained(options)
    whole, small = file_bytes(model, tmp_path), file_bytes(model, tmp_path, predict_only=True)
    assert len(small) < 0.85 * len(whole)
    for data in (small, whole):
        predictions = ask(read(data, tmp_path, learning=False).learner, STREAM)
        assert predictions == ask(model.learner, STREAM)


def test_predict_only_cannot_go_on(options, tmp_path):
    small = file_bytes(trained(options), tmp_path, predict_only=True)
    with pytest.raises(ModelError, match="saved with --predict-only, so its training cannot go on"):
        read(small, tmp_path)


def test_what_is_no_file_is_told(tmp_path):
    for path, reason in ((tmp_path / "none", "no such file"), (tmp_path, "is a directory")):
        with pytest.raises(ModelError, match=f"^{path}: {reason}"):
            read_model(str(path))
    for data in (b"", b"1 |f a\n", b"LOMTREE", MAGIC, MAGIC + b"\1\0\0\0"):
        with pytest.raises(ModelError, match=r"read.lom: not a usable model: it "):
            read(data, tmp_path)
