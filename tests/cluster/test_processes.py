"""A scheduler and workers as an operator starts them, each a process of its own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lomtree as package
from lomtree.model.model_file import write_model
from tests.generators.sharded import sharded

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def operated(tmp_path_factory):
    """The scheduler's file, and the processes of two workers that nobody starts again."""
    folder = tmp_path_factory.mktemp("operated")
    file = folder / "scheduler.json"
    started: list[subprocess.Popen] = []

    def start(*arguments) -> None:
        command = [Path(sys.executable).with_name("dask"), *arguments, "--no-dashboard"]
        environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1])}
        started.append(
            subprocess.Popen(
                command,
                env=environment,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
    while not file.exists() and started[0].poll() is None:
        time.sleep(0.05)
    for number in range(2):
        start(
            "worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny",
            "--host", "127.0.0.1", "--local-directory", folder / f"worker-{number}",
        )  # fmt: skip
    yield file, started[1:]
    for one in started:
        if one.poll() is None:
            one.kill()
        one.wait()


def test_the_model_is_that_of_one_process(lomtree, operated, data, tmp_path):
    write_model(sharded(data, shards=3, passes=2), str(tmp_path / "one.lom"), predict_only=True)
    done = lomtree(
        "train", data, "-b", 18, "--shards", 3, "--passes", 2, "--scheduler-file", operated[0],
        "--quiet", "-f", tmp_path / "many.lom",
    )  # fmt: skip
    assert done == (0, b"", "")
    assert (tmp_path / "many.lom").read_bytes() == (tmp_path / "one.lom").read_bytes()


def test_the_workers_that_are_left_do_the_work_of_one_that_died(
    lomtree, operated, model, parts, tmp_path
):
    file, workers = operated
    os.kill(workers[0].pid, signal.SIGKILL)
    workers[0].wait()
    folder = tmp_path / "out"
    run = ("predict", "-i", model, *parts, "--into", folder, "--scheduler-file", file)
    done = lomtree(*run)
    assert done.status == 0
    assert len(os.listdir(folder)) == 3
