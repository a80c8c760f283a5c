"""A scheduler and workers as an operator starts them, each a process of its own."""

import os
import signal

import pytest

from lomtree.model.model_file import write_model
from tests.cluster.operating import Operator
from tests.generators.sharded import sharded

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def operated(tmp_path_factory):
    """With two workers."""
    with Operator(tmp_path_factory.mktemp("operated")) as operator:
        operator.start_worker()
        operator.start_worker()
        yield operator


def test_the_model_is_that_of_one_process(lomtree, operated, data, tmp_path):
    write_model(sharded(data, shards=3, passes=2), str(tmp_path / "one.lom"), predict_only=True)
    done = lomtree(
        "train", data, "-b", 18, "--shards", 3, "--passes", 2, "--scheduler-file", operated.file,
        "--quiet", "-f", tmp_path / "many.lom",
    )  # fmt: skip
    assert done == (0, b"", "")
    assert (tmp_path / "many.lom").read_bytes() == (tmp_path / "one.lom").read_bytes()


def test_the_workers_that_are_left_do_the_work_of_one_that_died(
    lomtree, operated, model, parts, tmp_path
):
    os.kill(operated.workers[0].pid, signal.SIGKILL)
    operated.workers[0].wait()
    folder = tmp_path / "out"
    run = ("predict", "-i", model, *parts, "--into", folder, "--scheduler-file", operated.file)
    done = lomtree(*run)
    assert done.status == 0
    assert len(os.listdir(folder)) == 3
