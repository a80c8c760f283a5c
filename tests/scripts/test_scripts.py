"""The scripts run, and print what they should."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(script: str, *arguments, said: str | None = "") -> list[str]:
    """The lines that a script prints; it must end well, and say nothing else on stderr."""
    done = subprocess.run(
        [sys.executable, "-m", f"scripts.{script}", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stderr if said is None else said) == (0, done.stderr)
    return done.stdout.splitlines()


def test_bottom_up_fails_and_top_down_does_not():
    lines = run("reproduce.bottom_up_fails")
    bottom_up = lines.index("(1, 3) against (2, 4):")
    top_down = lines.index("(1, 2) against (3, 4):")
    assert [line.split(" errs on ")[1] for line in lines[bottom_up + 1 : bottom_up + 6]] == [
        "2, 4", "3", "1, 4", "2", "1, 3",
    ]  # fmt: skip
    assert "  a threshold in (2, 3)    errs on none" in lines[top_down:]
    predictions = lines[-4:]
    assert [line[-1] for line in predictions] == ["1", "2", "3", "4"]
    sides = [line.split(" goes ")[1].split(",")[0] for line in predictions]
    assert sides[0] == sides[1] != sides[2] == sides[3]  # of the root


def test_the_toy_example_goes_as_in_the_supplement():
    first, _, *steps = run("reproduce.toy_example")
    assert first == "the root before any example: e = 0"
    assert steps[0].split() == ["(x1,1)", "0.000", "right", "1.000", "1.000", "-", "|", "1"]
    assert steps[1].split()[:6] == ["(x2,2)", "1.000", "left", "0.000", "1.000", "-1.000"]
    assert steps[1].endswith(" 2 | 1")
    for step in steps:
        difference, side = step.split()[1:3]
        assert side == ("left" if float(difference) > 0 else "right")
    assert steps[-1].endswith(" 2:3 4:3 | 1:3 3:3")  # pure and balanced


def test_G_falls_over_the_splits(data):
    lines = run("reproduce.entropy_over_splits", data, "--largest", 8, "--passes", 3)
    assert lines[0].startswith("19 classes; without a split G held out is 2.")
    rows = [[float(cell) for cell in line.split("|")[1:8]] for line in lines[4:8]]
    assert [row[:2] for row in rows] == [[1, 1], [2, 2], [4, 4], [8, 8]]
    held_out = [row[3] for row in rows]
    assert held_out == sorted(held_out, reverse=True)
    assert all(G <= lemma for _, _, _, G, _, lemma, _ in rows)
    assert held_out[-1] < rows[-1][4] - 0.3  # not because leaves have few examples


def test_the_fuzzer_finds_nothing_in_a_moment(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0")  # what is compiled already will do
    report = tmp_path / "report.md"
    kinds = ["VW text", "libsvm text", "text through commands", "model file", "cache file"]
    chosen = [word for kind in kinds for word in ("--kind", kind)]
    lines = run("reliability.fuzz", "--minutes", 0.03, *chosen, "--write", report)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[4:9]]
    assert [row[0] for row in rows] == kinds
    for _, tried, _, accepted, refused, disagreements, crashes, _ in rows:
        assert int(tried.replace(",", "")) > 0
        assert accepted + refused != "00"
        assert (disagreements, crashes) == ("0", "0")
    assert "\n".join(lines[2:9]) in report.read_text()


def test_memory_and_errors_stay_where_they_are_in_a_long_run(tmp_path):
    """`make soak` does this with ten million examples; it fails if anything grows."""
    journal = tmp_path / "journal"
    size = ("--examples", 160_000, "--turn", 20_000, "--classes", 100)
    lines = run("reliability.soak", *size, "--journal", journal, said=None)
    rows = [line.split(" | ") for line in lines if line.startswith("| ")][2:]
    assert [row[0] for row in rows][-1] == "| 160,000"
    assert all(float(row[5].strip("%| ")) < 5 for row in rows)  # recovered from every drift
    assert run("reliability.soak", "--examples", 0, "--journal", journal) == lines


def test_a_training_that_is_killed_again_and_again_ends_as_if_it_had_not_been():
    lines = run("reliability.kill", "--kills", 3, "--lines", 500, said=None)
    assert "| kill -9 of a training with checkpoints | 3 |" in lines
    assert "| files that were not whole | 0 |" in lines
