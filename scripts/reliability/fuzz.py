"""What strangers might send, for as long as you like.

    python -m scripts.reliability.fuzz [--minutes 10] [--seed 1] [--write docs/reliability.md]
    python -m scripts.reliability.fuzz --kind 'model file' --until 100000 --journal build/fuzz.jsonl
    python -m scripts.reliability.fuzz --minutes 0 --journal build/fuzz.jsonl  # its table alone

Text goes through the compiled parsers, which must agree with the naive ones of tests/ and with a
running Vowpal Wabbit, and through the commands. Models and caches are changed, given correct
checksums, and go through every command, or through the functions that these call. Commands follow
each other at random. Each must end with status 0, or with status 1 and one sentence (but not that
it is a mistake in the program), and what is written must be accepted by all others. Children do
the work, so that a crash, a hang or too much memory is a finding like any other; each is printed
with what repeats it: --again 'model file' 17.

A long run may be cut into pieces: with a journal, which is written every minute, each piece goes on
where the one before it with this seed ended. Several runs with other kinds or seeds may share a
journal, at the same time too: the table is that of all of them.

Inputs are drawn at random from the grammar of their format. A coverage-guided fuzzer would see no
more, as compiled kernels cannot be instrumented; instead they are compiled with bounds checks here,
and text ends where a page of memory ends (NUMBA_BOUNDSCHECK=0 takes the code as it is shipped).
"""

import contextlib
import importlib.util
import json
import mmap
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from scripts.command import add_write, parser_of, run_script
from scripts.reliability.watching import wait_awake
from scripts.report import table, write_section

FIGURES = ("tried", "lines", "accepted", "refused", "disagreements", "crashes")
SECONDS = "seconds"  # of the processor's
AT_ONCE = 12.0  # such seconds that a child works; a fork and what it copies cost, too
LONGEST = 20  # such seconds for one input
MOST_MEMORY = 400 << 20  # bytes beyond what the process had before
PIECE = 60.0  # seconds between two entries of the journal


class Kind(NamedTuple):
    module: str  # of scripts.reliability.fuzzers
    fuzzer: str
    share: float  # of the time


KINDS = {
    "VW text": Kind("text", "VwText", 0.5),
    "libsvm text": Kind("text", "LibsvmText", 0.5),
    "text beside VW": Kind("text", "BesideVw", 1),
    "text through commands": Kind("commands", "TextThroughCommands", 1),
    "model file": Kind("models", "ModelFiles", 2),
    "cache file": Kind("models", "CacheFiles", 1),
    "command sequences": Kind("commands", "CommandSequences", 2),
}
if importlib.util.find_spec("vowpalwabbit") is None:
    del KINDS["text beside VW"]

TryOne = Callable[[Random], tuple[str, int]]


class Run:
    """Inputs number first, first + 1, ... of each kind, in children; Counters of the figures."""

    def __init__(self, kinds: dict[str, TryOne], seed: int, until: int = 0) -> None:
        self._kinds = kinds
        self._until = until  # inputs of each kind, or lines where it has many; 0: no end
        self._seed = seed
        self._shared = np.frombuffer(mmap.mmap(-1, 8 * (1 + len(FIGURES))), np.int64)
        self.figures: dict[str, Counter] = {kind: Counter() for kind in kinds}

    def go_on(self, seconds: float) -> None:
        """All kinds in turn, each in a child."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.is_done:
            for kind, figures in self.figures.items():
                if self._is_done(kind):
                    continue
                self._shared[:] = 0
                self._shared[0] = first = figures["tried"]
                share = min(AT_ONCE * KINDS[kind].share, max(until - time.monotonic(), 0.1))
                figures[SECONDS] += self._watch(kind, first, share)
                figures.update(dict(zip(FIGURES, self._shared[1:].tolist(), strict=True)))

    @property
    def is_done(self) -> bool:
        return all(map(self._is_done, self.figures))

    def _is_done(self, kind: str) -> bool:
        done = self.figures[kind]
        return 0 < self._until <= (done["lines"] or done["tried"])

    def again(self, kind: str, number: int) -> tuple[str, int]:
        """The figure of an input, and how many lines it has."""
        return self._kinds[kind](Random(f"{self._seed} {kind} {number}"))

    def _watch(self, kind: str, first: int, seconds: float) -> float:
        """A child's life, in seconds of the processor's; what ends it is a finding."""
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                self._work(kind, first, seconds)
            os._exit(0)
        awake = wait_awake(child)
        if not awake:
            os.kill(child, signal.SIGKILL)
        _, status, used = os.wait4(child, 0)
        if os.WIFSIGNALED(status):
            ended = os.WTERMSIG(status)
            hung = not awake or ended == signal.SIGPROF
            self._find(kind, "hang" if hung else f"signal {ended}")
        return used.ru_utime + used.ru_stime

    def _work(self, kind: str, number: int, seconds: float) -> None:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + MOST_MEMORY
        while processor_seconds() < seconds:
            self._shared[0] = number
            self._shared[1 + FIGURES.index("tried")] += 1
            signal.setitimer(signal.ITIMER_PROF, LONGEST)
            try:
                figure, lines = self.again(kind, number)
                self._shared[1 + FIGURES.index(figure)] += 1
                self._shared[1 + FIGURES.index("lines")] += lines
            except Exception:
                self._find(kind, traceback.format_exc(limit=-3))
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > most:
                self._find(kind, "too much memory")
                return
            sys.stdout.flush()
            number += 1

    def _find(self, kind: str, what: str) -> None:
        self._shared[1 + FIGURES.index("crashes")] += 1
        print(f"--again '{kind}' {self._shared[0]}: {what}", flush=True)


def processor_seconds() -> float:
    """Of this process and those that it has started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def prepare(names: list[str], folder: Path) -> dict[str, TryOne]:
    """How each kind is tried; numba and the tests' modules have to be told before they are
    imported."""
    os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")  # such code is kept in a folder of its own
    from lomtree.jit import kernel

    kernel.announce_compilation = lambda: None  # it would be heard in the midst of findings
    kinds = {}
    for name in names:
        module = import_module(f"scripts.reliability.fuzzers.{KINDS[name].module}")
        own = folder / name.replace(" ", "-")
        own.mkdir()
        kinds[name] = getattr(module, KINDS[name].fuzzer)(own).try_one
    return kinds


class Journal:
    """The figures of every kind and seed, each line with all that was done before it."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def entries(self) -> dict[tuple[str, int], Counter]:
        if self._path is None or not self._path.exists():
            return {}
        pieces = [json.loads(line) for line in self._path.read_text().splitlines()]
        return {(piece["kind"], piece["seed"]): Counter(piece["figures"]) for piece in pieces}

    def add(self, seed: int, figures: dict[str, Counter]) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            for kind, one in figures.items():
                entry = {"kind": kind, "seed": seed, "figures": one}
                file.write(json.dumps(entry) + "\n")


def report(entries: dict[tuple[str, int], Counter]) -> str:
    """A table of all seeds together."""
    seeds = sorted({seed for _kind, seed in entries})
    rows = []
    for kind in KINDS:
        total = sum((entry for (name, _), entry in entries.items() if name == kind), Counter())
        if total:
            shown = [f"{total[name]:,}" for name in FIGURES]
            rows.append([kind, *shown, f"{total[SECONDS]:,.0f} s"])
    text = f"`--seed {', '.join(map(str, seeds))}`:\n\n"
    return text + table(["kind", *FIGURES, "processor"], rows)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", nargs=2, metavar=("KIND", "NUMBER"), help="one input only")
    parser.add_argument("--kind", action="append", help="only this one; may be given again")
    parser.add_argument("--until", type=int, default=0, help="so many inputs, or lines, of each")
    parser.add_argument("--journal", type=Path, help="what was done before, and by this run")
    add_write(parser)
    arguments = parser.parse_args()
    journal = Journal(arguments.journal)
    names = [arguments.again[0]] if arguments.again else arguments.kind or list(KINDS)
    entries: dict[tuple[str, int], Counter] = {}
    if arguments.minutes or arguments.again:
        with tempfile.TemporaryDirectory() as work:
            started = Run(prepare(names, Path(work)), arguments.seed, arguments.until)
            if arguments.again:
                print(started.again(arguments.again[0], int(arguments.again[1])))
                return
            before = journal.entries()
            for kind, figures in started.figures.items():
                figures.update(before.get((kind, arguments.seed), {}))
                started.again(kind, 0)  # so that all is compiled before there are children
            until = time.monotonic() + 60 * arguments.minutes
            while (left := until - time.monotonic()) > 0 and not started.is_done:
                started.go_on(min(left, PIECE))
                journal.add(arguments.seed, started.figures)
        entries = {(kind, arguments.seed): one for kind, one in started.figures.items()}
    entries = journal.entries() | entries
    text = report(entries)
    print(text)
    if arguments.write:
        write_section(arguments.write, "fuzzing", text)
    if any(figures["disagreements"] + figures["crashes"] for figures in entries.values()):
        sys.exit(1)


if __name__ == "__main__":
    run_script(main)
