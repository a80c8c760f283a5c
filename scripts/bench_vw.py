"""This program and Vowpal Wabbit side by side: whole commands, taken in turn.

    python scripts/bench_vw.py [SET ...] [--algorithm oaa] [--write BENCHMARKS.md]

Reads the sets of the folder named by LOMTREE_DATA; those that are not there are left out. For each
set: seconds (best of --rounds) and peak memory of training and predicting, and test errors. VW gets
the same text with labels numbered from 1 (it takes no others) and libsvm lines in its own format.

Both start Python first. `start` is the time that one example takes; `once started` compares what
the commands take beyond it. The test parts are small, so they are also predicted from a file that
repeats them up to 100,000 lines.
"""

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from report import table, write_section

SETS = {  # format, and the bits of the weight table for both
    "isolet": ("svm", 22),
    "aloi-438": ("svm", 22),
    "clinc150": ("vw", 22),
    "bible-verses": ("vw", 28),
}
VW_ALGORITHMS = {"lomtree": "--log_multi", "oaa": "--oaa"}
LARGEST_FOR_OAA = 1000  # classes
MANY = 100_000  # lines
LEAST_SECONDS = 0.05  # beyond the start; less says nothing
US, VW = "lomtree", "vw"


class Cost(NamedTuple):
    seconds: float
    megabytes: float


def run(command: list[str]) -> Cost:
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _pid, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return Cost(time.perf_counter() - begun, usage.ru_maxrss / 1024)


def best(costs: list[Cost]) -> Cost:
    return Cost(min(cost.seconds for cost in costs), min(cost.megabytes for cost in costs))


class Texts:
    """The files of one set, as each of the two reads them."""

    def __init__(self, source: Path, suffix: str, work: Path) -> None:
        self._numbers: dict[str, int] = {}
        self._bar = "" if suffix == "vw" else "| "
        self.work = work
        for part in ("train", "test"):
            with gzip.open(source / f"{part}.{suffix}.gz", "rt") as file:
                lines = file.readlines()
            self._write(part, lines)
            if part == "train":
                self._write("one", lines[:1])
            else:
                self._write("many", lines * -(-MANY // len(lines)))

    def _write(self, part: str, lines: list[str]) -> None:
        with open(self.of(part, US), "w") as ours, open(self.of(part, VW), "w") as theirs:
            ours.writelines(lines)
            for line in lines:
                label, rest = line.split(" ", 1)
                number = self._numbers.setdefault(label, len(self._numbers) + 1)
                theirs.write(f"{number} {self._bar}{rest}")

    def of(self, part: str, who: str) -> str:
        return str(self.work / f"{part}.{who}")

    @property
    def classes(self) -> int:
        return len(self._numbers)


def train(texts: Texts, who: str, algorithm: str, bits: int, part: str, passes: int) -> list[str]:
    data, model = texts.of(part, who), texts.of("model", who)
    if who == US:
        return [
            sys.executable, "-m", "lomtree", "train", "--quiet", "--algorithm", algorithm,
            f"-b{bits}", "--passes", str(passes), "-f", model, data,
        ]  # fmt: skip
    more = ["--passes", str(passes), "-c", "-k", "--holdout_off"] if passes > 1 else []
    return [
        sys.executable, "-m", "vowpalwabbit", "--quiet", VW_ALGORITHMS[algorithm],
        str(texts.classes), "-b", str(bits), "-d", data, "-f", model, *more,
    ]  # fmt: skip


def predict(texts: Texts, who: str, part: str) -> list[str]:
    data, model, answers = (texts.of(name, who) for name in (part, "model", "answers"))
    if who == US:
        return [sys.executable, "-m", "lomtree", "predict", "-i", model, "-p", answers, data]
    return [
        sys.executable, "-m", "vowpalwabbit", "--quiet", "-t", "-i", model, "-d", data,
        "-p", answers,
    ]  # fmt: skip


def error(texts: Texts, who: str) -> float:
    with open(texts.of("answers", who)) as given, open(texts.of("test", who)) as wanted:
        pairs = [(a.split()[0], b.split(" ", 1)[0]) for a, b in zip(given, wanted, strict=True)]
    return 100 * sum(a != b for a, b in pairs) / len(pairs)


def measure(texts: Texts, algorithm: str, bits: int, passes: int, rounds: int):
    """{(stage, who): Cost}, and the test errors after all passes."""
    stages = {
        "start of training": lambda who: train(texts, who, algorithm, bits, "one", 1),
        "train, 1 pass": lambda who: train(texts, who, algorithm, bits, "train", 1),
        f"train, {passes} passes": lambda who: train(texts, who, algorithm, bits, "train", passes),
        "start of prediction": lambda who: predict(texts, who, "one"),
        "predict many": lambda who: predict(texts, who, "many"),
        "predict": lambda who: predict(texts, who, "test"),
    }
    costs: dict[tuple[str, str], list[Cost]] = {(s, w): [] for s in stages for w in (US, VW)}
    for _ in range(rounds):
        for stage, command in stages.items():
            for who in (US, VW):
                costs[stage, who].append(run(command(who)))
    errors = {who: error(texts, who) for who in (US, VW)}
    return {key: best(found) for key, found in costs.items()}, errors


def report(name: str, bits: int, costs: dict, errors: dict) -> list[list[str]]:
    """Rows of a table: every stage, how the two compare, and how they do once started."""
    rows = []
    for stage in dict.fromkeys(stage for stage, _ in costs):
        ours, theirs = costs[stage, US], costs[stage, VW]
        kind = "training" if stage.startswith(("train", "start of t")) else "prediction"
        start = {who: costs[f"start of {kind}", who].seconds for who in (US, VW)}
        beyond = {who: costs[stage, who].seconds - start[who] for who in (US, VW)}
        measurable = min(beyond.values()) > LEAST_SECONDS
        rows.append([
            f"{name}, -b {bits}", stage, f"{ours.seconds:.2f} s, {ours.megabytes:.0f} MB",
            f"{theirs.seconds:.2f} s, {theirs.megabytes:.0f} MB",
            f"{theirs.seconds / ours.seconds:.2f}",
            f"{beyond[VW] / beyond[US]:.2f}" if measurable else "",
        ])  # fmt: skip
    rows.append(
        [f"{name}, -b {bits}", "test error", *(f"{e:.2f}%" for e in errors.values()), "", ""]
    )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET", default=list(SETS))
    parser.add_argument("--algorithm", choices=VW_ALGORITHMS, default="lomtree")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table into this file")
    arguments = parser.parse_args()
    folder = Path(os.environ.get("LOMTREE_DATA", "data"))
    rows = []
    for name in arguments.sets:
        if not (folder / name).is_dir():
            print(f"{name}: data not available in {folder}", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as work:
            suffix, bits = SETS[name]
            texts = Texts(folder / name, suffix, Path(work))
            if arguments.algorithm == "oaa" and texts.classes > LARGEST_FOR_OAA:
                print(f"{name}: too many classes for one-against-all", file=sys.stderr)
                continue
            found = measure(texts, arguments.algorithm, bits, arguments.passes, arguments.rounds)
            rows += report(name, bits, *found)
    headings = ["set", "stage", "lomtree", "VW", "times as fast", "once started"]
    text = table(headings, rows)
    print(text)
    if arguments.write:
        write_section(arguments.write, f"vw {arguments.algorithm}", text)


if __name__ == "__main__":
    main()
