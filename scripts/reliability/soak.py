"""A long run on a stream whose classes come and go: memory, speed and errors, turn by turn.

    python -m scripts.reliability.soak [--examples 10000000] [--write docs/reliability.md]

Streams lines (see drift.py) into a `lomtree train -` whose tree and statistics are bounded to what
the classes that live at one time need. Memory is what the process holds at the end of a turn,
speed is per second of processor time, errors are progressive: of the first and of the last tenth
of a turn. Ends with status 1 if in the second half memory or time grow, errors do not recover, or
there are more of them right after a drift than there were in the beginning.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from scripts.command import add_write, parser_of, run_script
from scripts.reliability.drift import Drift
from scripts.report import table, write_section

TENTHS = 10
GROWTH = 1.1  # of memory
SLACK = 10.0  # MB: blocks of text in flight come and go
SLOWER = 1.5  # times the processor's time
LEAST = 1.0  # seconds of a turn: the time of shorter ones says nothing
WORSE = 0.02  # more errors at the end of a turn than at the end of the first ones
EARLY = 3  # drifts, with which those of the second half are compared
ROWS = 20  # of the table
ROW = re.compile(rb"\s*(\d\.\d{4})\s+(\d\.\d{4})\s+(\d+) ")


class Turn(NamedTuple):
    examples: int  # so far
    labels: int
    megabytes: float
    seconds: float  # of the processor's, for this turn
    first_error: float
    last_error: float


def command(classes: int, turn: int, model: str) -> list[str]:
    return [
        sys.executable, "-m", "lomtree", "train", "-", "-b", "23", "-T", str(4 * classes),
        "--max-statistics", str(30 * classes), "-P", str(turn // TENTHS), "-f", model,
    ]  # fmt: skip


def feed(pipe, drift: Drift, turn: int, turns: int) -> None:
    for number in range(turns):
        if number:
            drift.turn()
        for block in drift.blocks(turn):
            pipe.write(block)
    pipe.close()


def megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def seconds(pid: int) -> float:
    """Processor time so far, of all threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(process: subprocess.Popen, classes: int, dying: float, turn: int) -> list[Turn]:
    turns: list[Turn] = []
    errors: list[float] = []
    before = 0.0
    for line in process.stderr:
        row = ROW.match(line)
        if not row:
            continue
        errors.append(float(row[2]))
        if len(errors) == TENTHS:
            now = seconds(process.pid)
            labels = classes + len(turns) * int(classes * dying)
            turns.append(
                Turn(int(row[3]), labels, megabytes(process.pid), now - before, errors[0],
                     errors[-1])
            )  # fmt: skip
            before, errors = now, []
            print(turns[-1], file=sys.stderr)
    if process.wait():
        raise SystemExit("the training failed")
    return turns


def soak(classes: int, dying: float, turn: int, turns: int) -> list[Turn]:
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            command(classes, turn, f"{folder}/model"),
            stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        feeding = threading.Thread(
            target=feed, args=(process.stdin, Drift(classes, dying), turn, turns), daemon=True
        )
        feeding.start()
        return watch(process, classes, dying, turn)


def complaints(turns: list[Turn]) -> list[str]:
    """What is wrong in the second half, if the first one is to warm up."""
    half = len(turns) // 2
    warm, later = turns[:half], turns[half:]
    largest = max(turn.megabytes for turn in warm)
    longest = max(turn.seconds for turn in warm[1:])
    error = max(turn.last_error for turn in warm)
    found = []
    drifts = turns[1:]  # before the first one all is new
    early = [turn.first_error for turn in drifts[:EARLY]]
    late = [turn.first_error for turn in drifts[len(drifts) // 2 :]]
    if mean(late) > mean(early) + WORSE:
        found.append(f"errors after a drift: {mean(early):.2%} at first, {mean(late):.2%} later")
    for turn in later:
        if turn.megabytes > GROWTH * largest + SLACK:
            found.append(f"{turn.examples:,}: memory grows, {turn.megabytes:.0f} MB")
        if turn.seconds > SLOWER * longest and longest > LEAST:
            found.append(f"{turn.examples:,}: it becomes slower, {turn.seconds:.1f} s")
        if turn.last_error > error + WORSE:
            found.append(f"{turn.examples:,}: errors do not recover, {turn.last_error:.4f}")
    return found


def report(turns: list[Turn], classes: int, dying: float, turn: int) -> str:
    rows = [
        [
            f"{one.examples:,}", f"{one.labels:,}", f"{one.megabytes:.0f} MB",
            f"{turn / one.seconds:,.0f}", f"{one.first_error:.2%}", f"{one.last_error:.2%}",
        ]
        for number, one in enumerate(turns)
        if number % -(-len(turns) // ROWS) == 0 or number == len(turns) - 1
    ]  # fmt: skip
    headings = ["examples", "labels so far", "memory", "examples a second", "first tenth", "last"]
    options = " ".join(command(classes, turn, "MODEL")[3:])
    return (
        f"`lomtree {options}`, {classes:,} classes at a time, of which {dying:.0%} die after every "
        f"{turn:,} examples; errors in the first and in the last tenth after that:\n\n"
    ) + table(headings, rows)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--examples", type=int, default=10_000_000)
    parser.add_argument("--turn", type=int, default=1_000_000, help="examples between two drifts")
    parser.add_argument("--classes", type=int, default=2_000, help="that live at one time")
    parser.add_argument("--dying", type=float, default=0.5, help="their share at every turn")
    add_write(parser)
    given = parser.parse_args()
    turns = soak(given.classes, given.dying, given.turn, given.examples // given.turn)
    text = report(turns, given.classes, given.dying, given.turn)
    print(text)
    if given.write:
        write_section(given.write, "soak", text)
    if found := complaints(turns):
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    run_script(main)
