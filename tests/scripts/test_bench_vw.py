"""The benchmark beside VW: its files, its tables and what it concludes. Nothing is timed here."""

import gzip
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from scripts.bench.beside_vw import SETS, cell, describe, rounds_within
from scripts.bench.costs import BOTH, US, VW, Comparison, Cost, best, run, typical
from scripts.bench.targets import rate_verdict, verdicts
from scripts.bench.texts import made_texts, texts_of
from scripts.bench.timings import Stage, stages_in
from scripts.report import write_section

SAID = """stage         seconds  rate
read            0.025  1,359 MB/s
write model     0.719
whole run       4.684
"""


def compared(speed: float = 10.0, memory: float = 0.1, error: float = 10.0) -> Comparison:
    """VW takes 1 s to start and 11 s, 1000 MB for anything else, and errs on 20%."""
    costs = {}
    for stage in ("start of training", "train, 1 pass", "start of prediction", "predict"):
        seconds = 1.0 if stage.startswith("start") else 11.0
        costs[stage, US] = Cost(seconds / speed, 1000 * memory, SAID)
        costs[stage, VW] = Cost(seconds, 1000.0)
    return Comparison(costs, {US: 2.0, VW: 4.0}, {US: error, VW: 20.0})


def reached(name: str, found: Comparison) -> list[bool]:
    sentences = list(verdicts(name, found))
    assert all(sentence.endswith(("reached.", "tell.")) for sentence in sentences)
    return [not sentence.endswith(("not reached.", "tell.")) for sentence in sentences]


def test_the_targets_of_large_sets_are_speed_memory_and_errors():
    assert reached("odp-like", compared()) == [True] * 5  # train, predict, memory twice, error
    assert reached("odp-like", compared(speed=7.5)) == [False, False, True, True, True]
    assert reached("bible-verses", compared(memory=0.34)) == [True, True, False, False, True]
    assert reached("bible-verses", compared(error=20.0)) == [True] * 4 + [False]


def test_the_targets_of_small_sets_are_whole_commands_and_the_rate_once_started():
    assert reached("isolet", compared()) == [True] * 3
    assert reached("isolet", compared(speed=0.7)) == [True, True, False]
    assert reached("clinc150", compared(speed=0.6)) == [False] * 3


def test_other_sets_have_no_targets():
    assert reached("aloi-438", compared()) == []


@pytest.mark.parametrize(
    ("ours", "theirs", "end"),
    [
        (0.1, 0.31, "3.10 times VW's rate, 3 wanted: reached."),
        (0.1, 0.29, "2.90 times VW's rate, 3 wanted: not reached."),
        (0.01, 0.2, "at least 4.00 times VW's rate, 3 wanted: reached."),
        (0.01, 0.1, "at least 2.00 times VW's rate, 3 wanted: too short to tell."),
    ],
)
def test_what_is_too_short_to_measure_is_not_taken_for_fast(ours, theirs, end):
    assert rate_verdict("train", ours, theirs).endswith(end)


def test_once_started_leaves_out_what_one_example_takes():
    found = compared(speed=2.0)
    assert found.once_started("predict") == 2.0
    assert found.beyond_start("train, 1 pass", VW) == 10.0
    assert compared(speed=1000.0).once_started("predict") is None


def test_the_best_run_is_the_fastest_and_the_smallest():
    runs = [Cost(2.0, 50.0, "slow"), Cost(1.0, 70.0, "fast"), Cost(3.0, 60.0)]
    assert best(runs) == Cost(1.0, 50.0, "fast")


def test_the_typical_run_is_the_median_with_how_far_runs_differ():
    runs = [Cost(2.0, 50.0, "usual"), Cost(1.0, 70.0, "fast"), Cost(4.0, 60.0)]
    assert typical(runs) == Cost(2.0, 60.0, "usual", spread=1.5)
    assert typical(runs[:1]) == Cost(2.0, 50.0, "usual")


def test_no_round_begins_that_would_end_too_late():
    assert list(rounds_within(3, 1e9)) == [0, 1, 2]
    assert list(rounds_within(3, -1.0)) == [0]


def test_memory_is_that_of_the_command_and_not_of_who_measures_it():
    held = bytearray(b"x") * 100_000_000
    cost = run([sys.executable, "-S", "-c", "import sys; sys.stderr.write('hello')"])
    assert cost.megabytes < len(held) / 2e6
    assert cost.said == "hello"
    with pytest.raises(SystemExit, match=r"failed: .*\n.*no such thing"):
        run([sys.executable, "-S", "-c", "raise SystemExit('no such thing')"])


def test_timings_are_read_from_what_the_program_says():
    found = stages_in("something else\n" + SAID)
    assert list(found) == ["read", "write model", "whole run"]
    assert found["read"] == Stage(0.025, "1,359 MB/s")
    assert [cell(stage) for stage in (found["read"], found["write model"], None)] == [
        "0.03 s, 1,359 MB/s",
        "0.72 s",
        "",
    ]


def test_both_programs_get_the_same_examples_in_their_formats(tmp_path):
    lines = {"train": "b 1:2\na 2:1\nb 3:1\n", "test": "a 2:1 5:5\nc 1:1\n"}
    for part, text in lines.items():
        (tmp_path / f"{part}.svm.gz").write_bytes(gzip.compress(text.encode()))
    texts = texts_of(tmp_path, "svm", tmp_path)

    def read(part: str, who: str) -> list[str]:
        with open(texts.of(part, who)) as file:
            return file.read().splitlines()

    assert texts.classes == 3
    assert read("train", US) == lines["train"].splitlines()
    assert read("train", VW) == ["1 | 1:2", "2 | 2:1", "1 | 3:1"]
    assert read("test", VW) == ["2 | 2:1 5:5", "3 | 1:1"]
    assert read("one", VW) == ["1 | 1:2"]
    assert len(read("many", US)) == 100_000
    assert set(read("many", VW)) == set(read("test", VW))


def test_what_is_made_is_the_same_file_for_both(tmp_path):
    texts = made_texts(100, 5, 50, tmp_path)
    train, same = (Path(texts.of("train", who)).read_text() for who in BOTH)
    assert train == same
    assert texts.lines == {"train": 100, "test": 10}
    assert train.count("\n") == 100


BITS = {US: 22, VW: 24}


def test_a_set_is_written_without_touching_the_others(tmp_path):
    texts = made_texts(100, 5, 50, tmp_path)
    path = tmp_path / "report.md"
    path.write_text("before\n")
    for name in SETS:
        write_section(path, f"vw lomtree {name}", describe(name, BITS, texts, 1, compared()))
    first = path.read_text()
    assert first.startswith("before\n")
    found = [first.index(f"### {name}\n") for name in SETS]
    assert all(a < b for a, b in pairwise(found))
    assert "| predict | 1.10 s, 100 MB | 11.00 s, 1000 MB | 10.00 | 10.00 | 0.10 |" in first
    assert "`-b 22` (24 for VW), median of 1" in first
    assert "| read | 0.03 s, 1,359 MB/s | 0.03 s, 1,359 MB/s |" in first
    write_section(path, "vw lomtree isolet", describe("isolet", BITS, texts, 7, compared()))
    assert path.read_text() == first.replace("median of 1", "median of 7", 1)
