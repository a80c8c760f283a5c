"""A sweep tries every setting once, whatever happens to it, and the best is tested once."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lomtree.core.options import Options
from scripts.program import PROGRAM, checksum
from scripts.reproduce import updates
from scripts.reproduce.catalog import read_catalog
from scripts.reproduce.examples import read_set, size_of
from scripts.reproduce.finals import Final, finals_of, first, learn_for, measure
from scripts.reproduce.grid import (
    GRIDS,
    PASSES,
    PATIENCE,
    Grid,
    Setting,
    best_of,
    rows_about,
    settings,
)
from scripts.reproduce.journal import Journal
from scripts.reproduce.trial import options_of, run_trial, run_trials, start

ROOT = Path(__file__).parents[2]
CLASSES = 6
CATALOG = f"""
[tiny]
title = "made for a test"
source = "a test"
format = "vw"
suffix = "vw"
features = 20
classes = {CLASSES}
examples = 400
license = "none"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A fetched set that can be learned, and the catalog that it is in."""
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "catalog.toml").write_text(CATALOG)
    (folder / "data" / "tiny").mkdir(parents=True)
    draw = random.Random(3)
    for part, count in (("train", 300), ("validation", 50), ("test", 50)):
        with gzip.open(folder / "data" / "tiny" / f"{part}.vw.gz", "wt") as file:
            for _ in range(count):
                label = draw.randrange(CLASSES)
                noise = " ".join(f"n{draw.randrange(8)}" for _ in range(3))
                file.write(f"{label} |w a{label} b{label % 2} {noise}\n")
    return folder


@pytest.fixture(scope="module")
def tiny(folder):
    return read_catalog(folder / "catalog.toml")["tiny"]


def command(script: str, folder: Path, *arguments) -> list[str]:
    places = ["--catalog", folder / "catalog.toml", "--data", folder / "data"]
    return [sys.executable, "-m", f"scripts.reproduce.{script}", *map(str, [*places, *arguments])]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def run(script: str, folder: Path, *arguments) -> str:
    done = subprocess.run(
        command(script, folder, *arguments),
        env=environment(), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_full_grid_is_the_papers_and_the_quick_one_is_a_part_of_it():
    full = set(settings("a", GRIDS["full"], 26, 7797))
    assert len(full) == 4 + 7 * 7 * 7 + 3 * 7
    assert set(settings("a", GRIDS["quick"], 26, 7797)) < full
    assert {one.passes for one in full if one.algorithm != "lomtree"} == {PASSES} == {20}
    assert [one.passes for one in settings("a", GRIDS["quick"], 9, 10**6)][:2] == [1, 2]


def test_the_quick_grid_makes_fewer_passes_over_a_large_set():
    assert [GRIDS["quick"].passes(n) for n in (150_000, 500_000, 14_200_000)] == [13, 4, 1]
    assert GRIDS["full"].passes(14_200_000) == 20


def test_one_against_all_is_left_out_where_there_are_too_many_classes():
    algorithms = {one.algorithm for one in settings("a", GRIDS["quick"], 1001, 99)}
    assert algorithms == {"lomtree", "paper", "rtree", "filter"}


def test_T_is_a_multiple_of_k_minus_1():
    assert options_of(Setting("a", "paper", 1, 4, 32), 26).max_nodes == 103
    assert options_of(Setting("a", "paper", 1, 4, 32), 26).swap_resistance == 32


def test_one_lomtree_is_the_papers_and_the_other_is_the_default():
    paper = options_of(Setting("a", "paper", 0.25, 4, 32), 26)
    assert paper.paper
    assert not paper.ranker
    assert (paper.loss, paper.update, paper.scale) == ("logistic", "adaptive", "max")
    assert (paper.learning_rate, paper.min_impurity) == (0.25, 0)
    for rival in ("rtree", "filter", "oaa"):
        options = options_of(Setting("a", rival, 0.25, 0, 0), 26)
        assert (options.paper, options.update, options.scale) == (True, "adaptive", "max")
    assert options_of(Setting("a", "lomtree", 0, 0, 0), 26) == Options(classes=26)


def row_of(setting: Setting, *validation: float) -> dict:
    return {"setting": setting._asdict(), "validation": validation, "version": PROGRAM}


def test_the_best_has_the_least_validation_error_after_the_fewest_passes():
    slow, fast = Setting("a", "lomtree", 1, 1, 4), Setting("a", "lomtree", 2, 1, 4)
    rows = [row_of(slow, 0.5, 0.4, 0.3), row_of(fast, 0.6, 0.3, 0.3, 0.5)]
    assert best_of(rows, set="a", algorithm="lomtree") == (0.3, 2, fast)
    assert best_of(rows, rate=1) == (0.3, 3, slow)
    assert best_of(rows, set="b") is None


def test_results_of_other_data_or_of_another_version_do_not_count(tmp_path):
    row = row_of(Setting("a", "lomtree", 1, 1, 4, data="1234"), 0.5)
    assert rows_about([row], "a", "1234") == [row]
    assert rows_about([row], "a", "5678") == []
    assert rows_about([row | {"version": "0"}], "a", "1234") == []


def test_other_code_is_another_program(tmp_path):
    (tmp_path / "tree.py").write_text("step = 1")
    before = checksum(tmp_path)
    assert checksum(tmp_path) == before
    (tmp_path / "tree.py").write_text("step = 2")
    assert checksum(tmp_path) != before


def test_a_line_that_was_cut_short_is_no_row_and_is_written_over(tmp_path):
    journal = Journal(tmp_path / "new" / "rows.jsonl")
    assert journal.rows() == []
    journal.add({"a": 1})
    with (tmp_path / "new" / "rows.jsonl").open("a") as file:
        file.write('{"a": 2, "b')
    assert journal.rows() == [{"a": 1}]
    journal.add({"a": 3})
    assert journal.rows() == [{"a": 1}, {"a": 3}]


def test_a_trial_tells_the_errors_of_each_pass(folder, tiny):
    row = run_trial(Setting("tiny", "paper", 4, 4, 4, passes=5), tiny, folder / "data")
    passes = len(row["validation"])
    assert 1 <= passes <= 5
    assert len(row["progressive"]) == len(row["learn_seconds"]) == passes
    assert row["progressive"][0] > row["progressive"][-1]
    assert min(row["validation"]) < 0.1
    assert row["internal_nodes"] <= 4 * CLASSES - 1
    assert row["largest_depth"] >= row["mean_depth"] > 1
    assert (row["classes"], row["examples"]) == (CLASSES, 300)


def test_a_setting_without_a_new_best_is_stopped(folder, tiny):
    row = run_trial(Setting("tiny", "oaa", 4, 0, 0), tiny, folder / "data")
    best = row["validation"].index(min(row["validation"]))
    assert row["stopped_early"]
    assert len(row["validation"]) == best + 1 + PATIENCE


@pytest.mark.parametrize("shape", [("paper", 1, 2, 8), ("lomtree", 0, 0, 0)])
def test_the_command_of_a_row_does_the_same(folder, tiny, lomtree, tmp_path, shape):
    row = run_trial(Setting("tiny", *shape, passes=3), tiny, folder / "data")
    _, *words = row["command"].replace("tiny/", f"{folder}/data/tiny/").split()
    words[-1] = str(tmp_path / "model")
    assert lomtree(*words).status == 0
    held_out = folder / "data" / "tiny" / "validation.vw.gz"
    walk = ["--walk"] if shape[0] == "paper" else []
    result = json.loads(lomtree("test", "-i", tmp_path / "model", held_out, "--json", *walk).out)
    assert result["error"] == min(row["validation"])


def test_settings_whose_trees_recycle_nothing_are_trained_once(folder, tiny):
    tried = [Setting("tiny", "paper", 1, 64, r, passes=2) for r in (4, 8, 16)]
    rows = run_trials(tried, tiny, folder / "data")
    assert [row["key"] for row in rows] == [one.key for one in tried]
    assert rows[0]["swaps"] == 0
    assert rows[1]["learn_seconds"] == rows[2]["learn_seconds"] == rows[0]["learn_seconds"]
    assert " -R 16 " in rows[2]["command"]
    alone = run_trial(tried[2], tiny, folder / "data")
    assert (alone["validation"], alone["command"]) == (rows[2]["validation"], rows[2]["command"])


def test_settings_whose_trees_recycle_nodes_are_trained_each(folder, tiny):
    tried = [Setting("tiny", "paper", 1, 1, r, passes=2) for r in (1, 2)]
    rows = run_trials(tried, tiny, folder / "data")
    assert rows[0]["swaps"] > 0
    assert rows[0]["learn_seconds"] != rows[1]["learn_seconds"]


def test_a_large_set_is_read_again_for_each_pass(folder, tiny):
    large = tiny._replace(facts={**tiny.facts, "large": True, "classes": CLASSES})
    setting = Setting("tiny", "paper", 1, 4, 4, passes=2)
    streamed, kept = (run_trial(setting, one, folder / "data") for one in (large, tiny))
    assert streamed["validation"] == kept["validation"]
    examples = read_set(large, folder / "data")
    assert size_of(examples.training) == size_of(examples.train) + size_of(examples.validation)
    assert not isinstance(examples.train, list)


@pytest.mark.parametrize("loss", updates.LOSSES)
@pytest.mark.parametrize("name", updates.UPDATES)
def test_every_update_learns_something(folder, tiny, monkeypatch, name, loss):
    monkeypatch.setattr(updates, "RATES", (1.0,))
    validation, test = updates.errors_of(
        read_set(tiny, folder / "data"), updates.UPDATES[name], loss
    )
    assert 0 <= validation < 0.8
    assert 0 <= test < 0.9


def wait_for(pipe, wanted: bytes) -> None:
    """Until a process has said this, or has ended."""
    said = b""
    while wanted not in said and (piece := os.read(pipe.fileno(), 1 << 12)):
        said += piece


@pytest.mark.parametrize(
    ("kill", "status"), [(signal.SIGKILL, -9), (signal.SIGTERM, -15), (signal.SIGINT, 130)]
)
def test_a_killed_sweep_goes_on_and_runs_nothing_twice(folder, tiny, tmp_path, kill, status):
    results = tmp_path / "runs.jsonl"
    killed = subprocess.Popen(
        command("sweep", folder, "--results", results, "--cores", 1),
        env=environment(),
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # nohup ignores it
    )
    with killed:
        wait_for(killed.stderr, b"tiny")  # the bar names the set of a row that has been written
        killed.send_signal(kill)
        assert killed.wait() == status
    before = Journal(results).rows()
    assert before
    said = run("sweep", folder, "--results", results)
    rows = Journal(results).rows()
    data = tiny.fingerprint(folder / "data")
    wanted = [one.key for one in settings("tiny", GRIDS["quick"], CLASSES, 400, data=data)]
    assert rows[: len(before)] == before
    assert sorted(row["key"] for row in rows) == sorted(wanted)
    assert f"{len(wanted) - len(before)} run, {len(wanted)} in" in said
    assert run("sweep", folder, "--results", results).startswith("0 run")


def test_the_best_of_each_algorithm_is_tested_once(folder):
    run("sweep", folder, "--results", folder / "runs.jsonl")
    places = ("--results", folder / "runs.jsonl", "--finals", folder / "finals.jsonl")
    assert "7 run, 7 in" in run("finals", folder, *places)
    rows = Journal(folder / "finals.jsonl").rows()
    kinds = [(row["kind"], row["setting"]["algorithm"]) for row in rows]
    algorithms = ("lomtree", "paper", "rtree", "filter", "oaa")
    assert kinds[:5] == [("best", name) for name in algorithms]
    assert kinds[5:] == [("compact", "paper"), ("hurried", "oaa")]
    for row in rows:
        assert row["tested"] == 50
        assert 0 <= row["error"] < 0.9
    assert rows[6]["budget"] == rows[5]["train_seconds"]
    assert "0 run, 7 in" in run("finals", folder, *places)
    lines = (folder / "finals.jsonl").read_text().splitlines(keepends=True)
    (folder / "finals.jsonl").write_text("".join(lines[:6]) + lines[6][:20])  # killed just then
    assert "1 run, 7 in" in run("finals", folder, *places)
    again = Journal(folder / "finals.jsonl").rows()
    assert again[:6] == rows[:6]
    assert again[6]["budget"] == rows[5]["train_seconds"]


def test_where_one_against_all_cannot_be_trained_only_its_predictions_are_timed():
    rows = [row_of(one, 0.5) for one in settings("a", Grid((1,), (1, 4), (4,), (1,)), 5000, 99)]
    kinds = [(one.kind, one.setting.algorithm, one.passes) for one in finals_of(rows)]
    assert kinds[-3:] == [
        ("compact", "paper", 1),
        ("hurried", "oaa", 20),
        ("untrained", "oaa", 0),
    ]


def test_a_hurried_learner_stops_when_the_time_is_over(folder, tiny):
    examples = read_set(tiny, folder / "data")
    options = options_of(Setting("tiny", "oaa", 4, 0, 0), CLASSES)
    assert learn_for(start(options, examples), examples.train, 2, 0.0)["learned"] == 0
    assert learn_for(start(options, examples), examples.train, 2, 1e-9)["learned"] == 16
    assert learn_for(start(options, examples), examples.train, 2, 99.0)["learned"] == 600


def test_without_time_for_one_example_the_predictions_are_those_of_nothing_learned(folder, tiny):
    examples = read_set(tiny, folder / "data")
    final = Final("hurried", Setting("tiny", "oaa", 4, 0, 0), 2, None)
    row = measure(final, examples, tiny, budget=0.0)
    assert (row["learned"], row["train_seconds"], row["tested"]) == (0, 0.0, 50)
    assert 0.5 < row["error"] <= 1


@pytest.mark.parametrize("shape", [("paper", 1, 2, 8), ("lomtree", 0, 0, 0)])
def test_a_final_learns_from_the_validation_part_too(folder, tiny, lomtree, tmp_path, shape):
    """By hand: both files."""
    final = Final("best", Setting("tiny", *shape), 3, 0.5)
    row = measure(final, read_set(tiny, folder / "data"), tiny, budget=0.0)
    assert row["learned"] == 3 * (300 + 50)
    _, *words = row["command"].replace("tiny/", f"{folder}/data/tiny/").split()
    words[-1] = str(tmp_path / "model")
    assert lomtree(*words).status == 0
    tested = folder / "data" / "tiny" / "test.vw.gz"
    walk = ["--walk"] if shape[0] == "paper" else []
    result = json.loads(lomtree("test", "-i", tmp_path / "model", tested, "--json", *walk).out)
    assert result["error"] == row["error"]


def test_the_first_examples(folder, tiny):
    examples = read_set(tiny, folder / "data")
    assert [size_of(first(examples.train, count)) for count in (1, 299, 999)] == [1, 299, 300]
