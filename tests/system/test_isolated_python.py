"""Whatever is started beside a run, nothing of the current folder is executed."""

import os
import subprocess
import sys

import pytest

from lomtree.cli import warmup
from lomtree.jit import trial
from lomtree.system.isolated_python import isolated

SHADOWED = (
    "numpy",
    "numba",
    "json",
    "click",
    "lomtree",
    "sitecustomize",
    "usercustomize",
    "typing",
    "multiprocessing",
    "distributed",
)


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A current folder in which every module says that it was executed."""
    for name in SHADOWED:
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'executed')!r}, 'a').write('!')"
        )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def started(monkeypatch):
    """The processes that were started, and have ended."""
    processes, start = [], subprocess.Popen

    def recorded(*given, **more):
        processes.append(start(*given, **more))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", recorded)
    return processes


def test_the_folder_is_hostile_indeed(hostile):
    subprocess.run([sys.executable, "-c", "import json"], check=True)
    assert (hostile / "executed").exists()


def test_the_process_that_compiles_beside_a_first_run(hostile, started, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    warmup.start("lomtree")
    assert [process.wait() for process in started] == [0]
    assert not (hostile / "executed").exists()


OWN_CLUSTER = """
import os
from lomtree.cluster.connection import Cluster, connected

if __name__ == "__main__":
    with connected(Cluster(workers=1)) as client:
        folders = client.run(lambda dask_worker: dask_worker.local_directory).values()
        for one in folders:
            print(os.stat(one).st_uid, os.stat(os.path.dirname(one)).st_uid)
"""


def test_the_workers_of_a_cluster_of_ones_own(hostile, tmp_path_factory):
    """And what multiprocessing starts beside them."""
    pytest.importorskip("distributed")
    script = tmp_path_factory.mktemp("elsewhere") / "own_cluster.py"
    script.write_text(OWN_CLUSTER)
    run = subprocess.run([sys.executable, script], check=True, capture_output=True, text=True)
    assert run.stdout == f"{os.geteuid()} {os.geteuid()}\n"
    assert not (hostile / "executed").exists()


def test_the_trial_of_an_unknown_machine(hostile, started):
    trial._passes.cache_clear()
    assert trial._passes()
    assert len(started) == 1
    assert not (hostile / "executed").exists()


@pytest.mark.parametrize("place", ["", ".", "here"])
def test_a_path_that_leads_to_the_current_folder_is_not_passed_on(hostile, monkeypatch, place):
    monkeypatch.syspath_prepend(str(hostile) if place == "here" else place)
    assert subprocess.run(isolated("json", "loads", "0")).returncode == 0
    assert not (hostile / "executed").exists()


def test_what_the_function_returns_is_the_exit_status():
    assert subprocess.run(isolated("operator", "truth", "yes")).returncode == 1
    assert subprocess.run(isolated("operator", "truth", "")).returncode == 0


def test_a_process_that_cannot_be_started_is_no_reason_to_fail(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    for missing in ("/does/not/exist", ""):
        monkeypatch.setattr(sys, "executable", missing)
        warmup.start("lomtree")
