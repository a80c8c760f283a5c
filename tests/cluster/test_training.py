"""`lomtree train` on workers: the same bytes for any number of them, and one sentence for each
fault."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from lomtree.cluster import chunks
from lomtree.cluster.scratch import data_of
from lomtree.model.model_file import read_model
from tests.generators.strange_files import put_together, take_apart

SETTINGS = ("-b", 18, "--shards", 3, "--passes", 2, "--quiet")


@pytest.fixture
def train(lomtree, tmp_path):
    def run(*arguments):
        path = tmp_path / "cluster.lom"
        done = lomtree("train", *arguments, *SETTINGS, "-f", path)
        return done, path.read_bytes() if path.exists() else b""

    return run


@pytest.fixture(scope="module")
def once():
    """The bytes that all runs of these tests must give."""
    return {}


def same(once, found):
    assert found
    assert once.setdefault("bytes", found) == found


def test_the_same_bytes_come_from_any_workers(train, parts, address, once):
    for arguments in ((*parts, "--scheduler", address), (*parts, "--workers", 1)):
        done, found = train(*arguments)
        assert done == (0, b"", "")
        same(once, found)


def test_the_model_is_one_for_all_commands(train, lomtree, parts, address, tmp_path):
    done, _ = train(*parts, "--scheduler", address, "--holdout", 0.1, "--json")
    assert done.status == 0
    assert json.loads(done.out)["shards"] == 3
    model = str(tmp_path / "cluster.lom")
    assert read_model(model).options.shards == 3
    for command in (
        ("test", "-i", model, *parts),
        ("test", "-i", model, *parts, "--walk"),
        ("inspect", model),
        ("inspect", model, "--data", parts[0]),
        ("inspect", model, "--path", "|words w3 v3"),
        ("predict", "-i", model, *parts, "--top", 2),
    ):
        answer = lomtree(*command, "--quiet") if command[0] != "inspect" else lomtree(*command)
        assert answer.status == 0, answer.err
    again = lomtree("train", *parts, "-i", model, "-f", tmp_path / "more.lom")
    assert again.status == 1
    assert "cannot go on" in again.err


def test_several_trees_are_trained_tree_by_tree(lomtree, parts, address, tmp_path):
    path = tmp_path / "forest.lom"
    settings = ("-b", 18, "--shards", 2, "--trees", 2, "--quiet")
    done = lomtree("train", *parts, *settings, "--scheduler", address, "-f", path)
    assert done == (0, b"", "")
    assert len(read_model(str(path)).learner.members) == 2


def test_a_second_run_goes_on_from_the_shards_that_are_there(
    train, parts, address, once, tmp_path, monkeypatch
):
    scratch = tmp_path / "scratch"
    same(once, train(*parts, "--scheduler", address, "--scratch", scratch)[1])
    kept = sorted(scratch.rglob("*.lom"))
    assert [path.name for path in kept] == [f"shard-0-{n}.lom" for n in range(3)]
    kept[1].unlink()
    kept[2].write_bytes(kept[2].read_bytes()[:100])
    times = kept[0].stat().st_mtime_ns
    same(once, train(*parts, "--scheduler", address, "--scratch", scratch)[1])
    assert kept[0].stat().st_mtime_ns == times
    assert kept[1].exists()


def test_what_is_no_shard_is_trained_anew(train, lomtree, parts, address, once, tmp_path):
    """A whole model of another kind, or other numbers than its header says."""
    scratch = tmp_path / "scratch"
    same(once, train(*parts, "--scheduler", address, "--scratch", scratch)[1])
    kept = sorted(scratch.rglob("*.lom"))
    other = ("train", *parts, "--algorithm", "oaa", "-b", 18, "--quiet", "-f", kept[1])
    assert lomtree(*other).status == 0
    header, arrays = take_apart(kept[2].read_bytes())
    arrays["nodes.left"][0] = 2**30
    kept[2].write_bytes(put_together(header, arrays))
    same(once, train(*parts, "--scheduler", address, "--scratch", scratch)[1])


def test_data_that_was_replaced_is_other_data(tmp_path):
    """Also by a file of the same size and time."""
    data, other = tmp_path / "data", tmp_path / "other"
    data.write_text("a |f x\n")
    before = data_of([str(data)])
    assert data_of([str(data)]) == before
    other.write_text("b |f x\n")
    times = data.stat()
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    os.replace(other, data)
    assert data_of([str(data)]) != before


def test_a_killed_worker_changes_nothing(train, client, parts, once):
    """Whenever it dies: another one does its tasks."""

    def kill():
        time.sleep(0.3)
        pids = client.run(os.getpid)
        os.kill(min(pids.values()), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    done, found = train(*parts, "--scheduler", client.scheduler.address)
    killer.join()
    client.wait_for_workers(2, timeout=60)
    assert done == (0, b"", "")
    same(once, found)


def test_a_bad_line_is_told_as_on_one_machine(
    train, lomtree, lines, address, tmp_path, monkeypatch
):
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 500)
    path = tmp_path / "bad.vw"
    path.write_bytes(b"".join([*lines[:120], b"x |w a:b\n", *lines[120:], b"y |w :\n"]))
    alone = lomtree("train", path, "-b", 18, "--quiet", "-f", tmp_path / "alone.lom")
    done, found = train(path, "--scheduler", address)
    assert (done.status, done.err) == (alone.status, alone.err)
    assert f"{path}:121:" in done.err
    assert not found
    done, found = train(path, "--scheduler", address, "--on-error", "skip")
    assert done.status == 0
    assert found


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (("--shards", 4), 2, "--shards needs workers"),
        (("--scratch", "x"), 2, "--scratch needs workers"),
        (("--workers", 1, "--scheduler", "tcp://127.0.0.1:9"), 2, "exclude each other"),
        (("--workers", 1, "--cache", "x"), 2, "--cache and workers exclude each other"),
        (("--workers", 1, "--algorithm", "oaa"), 2, "--shards must be 1 with this algorithm"),
        (("--scheduler", "nowhere://x"), 1, "not the address of a scheduler"),
        (("--scheduler-file", "no.json"), 1, "no.json: there is no such scheduler file"),
        (("--scheduler-file", __file__), 1, "is not a file that a scheduler has written"),
    ],
)
def test_mistakes_are_one_sentence(lomtree, data, tmp_path, arguments, status, sentence):
    done = lomtree("train", data, *arguments, "-f", tmp_path / "model.lom")
    assert done.status == status
    assert sentence in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "model.lom").exists()


def test_workers_cannot_read_standard_input(lomtree, tmp_path):
    done = lomtree("train", "--workers", 1, "-f", tmp_path / "model.lom", stdin=b"a |w x\n")
    assert done.status == 2
    assert "standard input" in done.err


def test_data_without_features_is_refused(train, address, tmp_path):
    Path(tmp_path / "none.vw").write_bytes(b"a |\nb |\n" * 20)
    done, _ = train(tmp_path / "none.vw", "--scheduler", address)
    assert done.status == 1
    assert "has a feature" in done.err
