"""A long run on a stream whose classes come and go: memory, speed and errors, turn by turn.

    python -m scripts.reliability.soak [--examples 10000000] [--write docs/reliability.md]
    python -m scripts.reliability.soak --examples 0 --journal build/soak.jsonl  # its table alone

Streams lines (see drift.py) into a `lomtree train -` whose tree and statistics are bounded to what
the classes that live at one time need. Memory is what the process holds at the end of a turn,
speed is per second of processor time, errors are progressive: of the first and of the last tenth
of a turn. Ends with status 1 if in the second half memory or time grow, errors do not recover, or
there are more of them right after a drift than there were in the beginning. With a journal, what
was seen of a run that was ended early can be told: --examples 0.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from scripts.command import add_write, parser_of, run_script
from scripts.reliability.drift import Drift
from scripts.report import table, write_section

TENTHS = 10
GROWTH = 1.1  # of memory
SLACK = 10.0  # MB: blocks of text in flight come and go
SLOWER = 1.2  # times the processor's time; others are at work beside it
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


class Stream(NamedTuple):
    """What the run learns from; its tree and tables have what the classes need."""

    classes: int  # that live at one time
    dying: float  # their share at every turn
    turn: int  # examples between two drifts
    words: int  # of a line that tell its class
    noise: int  # others
    bits: int


def command(stream: Stream, model: str) -> list[str]:
    return [
        sys.executable, "-m", "lomtree", "train", "-", "-b", str(stream.bits),
        "-T", str(4 * stream.classes), "--max-statistics", str(30 * stream.classes),
        "-P", str(stream.turn // TENTHS), "-f", model,
    ]  # fmt: skip


def feed(pipe, stream: Stream, turns: int) -> None:
    drift = Drift(stream.classes, stream.dying, signal=stream.words, noise=stream.noise)
    for number in range(turns):
        if number:
            drift.turn()
        for block in drift.blocks(stream.turn):
            pipe.write(block)
    pipe.close()


def megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024


def seconds(pid: int) -> float:
    """Processor time so far, of all threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(process: subprocess.Popen, stream: Stream) -> Iterator[Turn]:
    errors: list[float] = []
    before, labels = 0.0, stream.classes
    for line in process.stderr or ():
        row = ROW.match(line)
        if not row:
            continue
        errors.append(float(row[2]))
        if len(errors) == TENTHS:
            now = seconds(process.pid)
            memory = megabytes(process.pid)
            yield Turn(int(row[3]), labels, memory, now - before, errors[0], errors[-1])
            before, errors = now, []
            labels += int(stream.classes * stream.dying)
    if process.wait():
        raise SystemExit("the training failed")


def soak(stream: Stream, turns: int) -> Iterator[Turn]:
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            command(stream, f"{folder}/model"), stdin=subprocess.PIPE, stderr=subprocess.PIPE
        )
        threading.Thread(target=feed, args=(process.stdin, stream, turns), daemon=True).start()
        yield from watch(process, stream)


def noted(turns: Iterator[Turn], stream: Stream, journal: Path | None) -> list[Turn]:
    """All turns; each is in the journal as soon as it is over."""
    found = []
    for turn in turns:
        found.append(turn)
        print(turn, file=sys.stderr)
        if journal is not None:
            journal.parent.mkdir(parents=True, exist_ok=True)
            with journal.open("a") as file:
                file.write(json.dumps({"stream": stream, "turn": turn}) + "\n")
    return found


def read_journal(path: Path) -> tuple[Stream, list[Turn]]:
    """The turns of the last run in it."""
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    turns = [Turn(*entry["turn"]) for entry in entries]
    first = max(number for number, turn in enumerate(turns) if turn.examples == turns[0].examples)
    return Stream(*entries[first]["stream"]), turns[first:]


def complaints(turns: list[Turn]) -> list[str]:
    """What is wrong in the second half, if the first one is to warm up."""
    half = len(turns) // 2
    warm, later = turns[:half], turns[half:]
    largest = max(turn.megabytes for turn in warm)
    usual = median(turn.seconds for turn in warm[1:])
    usual_later = median(turn.seconds for turn in later)
    error = max(turn.last_error for turn in warm)
    found = []
    drifts = turns[1:]  # before the first one all is new
    early = [turn.first_error for turn in drifts[:EARLY]]
    late = [turn.first_error for turn in drifts[len(drifts) // 2 :]]
    if mean(late) > mean(early) + WORSE:
        found.append(f"errors after a drift: {mean(early):.2%} at first, {mean(late):.2%} later")
    if usual_later > SLOWER * usual and usual > LEAST:
        found.append(
            f"it becomes slower: {usual:.1f} s for a turn at first, {usual_later:.1f} later"
        )
    for turn in later:
        if turn.megabytes > GROWTH * largest + SLACK:
            found.append(f"{turn.examples:,}: memory grows, {turn.megabytes:.0f} MB")
        if turn.last_error > error + WORSE:
            found.append(f"{turn.examples:,}: errors do not recover, {turn.last_error:.4f}")
    return found


def report(turns: list[Turn], stream: Stream) -> str:
    rows = [
        [
            f"{one.examples:,}", f"{one.labels:,}", f"{one.megabytes:.0f} MB",
            f"{stream.turn / one.seconds:,.0f}", f"{one.first_error:.2%}", f"{one.last_error:.2%}",
        ]
        for number, one in enumerate(turns)
        if number % -(-len(turns) // ROWS) == 0 or number == len(turns) - 1
    ]  # fmt: skip
    headings = ["examples", "labels so far", "memory", "examples a second", "first tenth", "last"]
    options = " ".join(command(stream, "MODEL")[3:])
    drifts = turns[1:]
    early, late = drifts[:EARLY], drifts[len(drifts) // 2 :]
    return (
        f"`lomtree {options}`, {stream.classes:,} classes at a time, of which {stream.dying:.0%} "
        f"die after every {stream.turn:,} examples; {stream.words} words of its class and "
        f"{stream.noise} others in a line. {turns[-1].examples:,} examples, {len(drifts)} drifts. "
        f"In the first tenth after a drift {mean(one.first_error for one in early):.2%} are wrong "
        f"on average of the first {EARLY} drifts, {mean(one.first_error for one in late):.2%} on "
        "average of the second half of them. Some of the turns:\n\n"
    ) + table(headings, rows)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--examples", type=int, default=10_000_000)
    parser.add_argument("--turn", type=int, default=1_000_000, help="examples between two drifts")
    parser.add_argument("--classes", type=int, default=2_000, help="that live at one time")
    parser.add_argument("--dying", type=float, default=0.5, help="their share at every turn")
    parser.add_argument("--words", type=int, default=4, help="of a line that tell its class")
    parser.add_argument("--noise", type=int, default=3, help="other words of a line")
    parser.add_argument("--bits", type=int, default=23, help="of the weight table")
    parser.add_argument("--journal", type=Path, help="gets a line for each turn")
    add_write(parser)
    given = parser.parse_args()
    stream = Stream(
        given.classes, given.dying, given.turn, given.words, given.noise, given.bits
    )  # fmt: skip
    if given.examples:
        turns = noted(soak(stream, given.examples // given.turn), stream, given.journal)
    else:
        stream, turns = read_journal(given.journal)
    text = report(turns, stream)
    print(text)
    if given.write:
        write_section(given.write, "soak", text)
    if found := complaints(turns):
        raise SystemExit("\n".join(found))


if __name__ == "__main__":
    run_script(main)
