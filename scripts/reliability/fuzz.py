"""What strangers might send, for as long as you like.

    python -m scripts.reliability.fuzz [--minutes 10] [--seed 1] [--write docs/reliability.md]
    python -m scripts.reliability.fuzz --kind 'model file' --until 100000 --journal build/fuzz.jsonl

Text goes through the compiled parsers, which must agree with the naive ones of tests/ and with a
running Vowpal Wabbit, and through the commands. Models and caches are changed, given correct
checksums, and go through every command. Commands follow each other at random. Each must end with
status 0, or with status 1 and one sentence (but not that it is a mistake in the program), and what
is written must be accepted by all others. Children do the work, so that a crash, a hang or too much
memory is a finding like any other; each is printed with what repeats it: --again 'model file' 17.

A long run may be cut into pieces: with a journal, which is written every few minutes, each piece
goes on where the one before it ended, and the table is that of all pieces.

Inputs are drawn at random from the grammar of their format. A coverage-guided fuzzer would see no
more, as compiled kernels cannot be instrumented; instead they are compiled with bounds checks here,
and text ends where a page of memory ends (NUMBA_BOUNDSCHECK=0 takes the code as it is shipped).
"""

import contextlib
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
from pathlib import Path
from random import Random

import numpy as np

from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section

FIGURES = ("tried", "lines", "accepted", "refused", "disagreements", "crashes")
AT_ONCE = 3.0  # seconds that a child works
LONGEST = 20  # seconds of the processor's for one input
LONGEST_WAIT = (
    1200  # seconds on the clock: the processor may be busy with others, or nobody with it
)
MOST_MEMORY = 400 << 20  # bytes beyond what the process had before
PIECE = 3.0  # minutes between two entries of the journal


class Run:
    """Inputs number first, first + 1, ... of each kind, in children; Counters of the figures."""

    def __init__(self, kinds: dict, seed: int, until: int = 0) -> None:
        self._kinds = kinds
        self._until = until  # inputs of each kind, or lines where it has many; 0: no end
        self._seed = seed
        self._shared = np.frombuffer(mmap.mmap(-1, 8 * (1 + len(FIGURES))), np.int64)
        self.figures: dict[str, Counter] = {kind: Counter() for kind in self._kinds}

    def go_on(self, seconds: float) -> None:
        """All kinds in turn, each in a child."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.is_done:
            for kind, figures in self.figures.items():
                if self._is_done(kind):
                    continue
                self._shared[:] = 0
                self._shared[0] = first = figures["tried"]
                seconds = AT_ONCE * self._kinds[kind][1]
                self._watch(kind, first, min(seconds, max(until - time.monotonic(), 0.1)))
                figures.update(dict(zip(FIGURES, self._shared[1:].tolist(), strict=True)))

    @property
    def is_done(self) -> bool:
        return all(map(self._is_done, self.figures))

    def _is_done(self, kind: str) -> bool:
        done = self.figures[kind]
        return 0 < self._until <= max(done["tried"], done["lines"])

    def again(self, kind: str, number: int) -> tuple[str, int]:
        """The figure of an input, and how many lines it has."""
        return self._kinds[kind][0](Random(f"{self._seed} {kind} {number}"))

    def _watch(self, kind: str, first: int, seconds: float) -> None:
        """A child's life; what ends it is a finding."""
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                self._work(kind, first, time.monotonic() + seconds)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            ended = os.WTERMSIG(status)
            hung = ended in (signal.SIGPROF, signal.SIGALRM)
            self._find(kind, "hang" if hung else f"signal {ended}")

    def _work(self, kind: str, number: int, until: float) -> None:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + MOST_MEMORY
        while time.monotonic() < until:
            self._shared[0] = number
            self._shared[1 + FIGURES.index("tried")] += 1
            signal.setitimer(signal.ITIMER_PROF, LONGEST)
            signal.alarm(LONGEST_WAIT)
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


def prepare(folder: Path) -> dict:
    """The kinds of input; numba and the tests' modules have to be told before they are imported."""
    os.environ.setdefault("NUMBA_BOUNDSCHECK", "1")  # such code is kept in a folder of its own
    from scripts.reliability.fuzzer import Fuzzer

    return Fuzzer(folder).kinds()


def read_journal(path: Path | None, seed: int, figures: dict[str, Counter]) -> None:
    """Let figures begin with those of the pieces before."""
    if path is None or not path.exists():
        return
    for line in path.read_text().splitlines():
        piece = json.loads(line)
        if piece["seed"] == seed:
            for kind in figures.keys() & piece["figures"].keys():
                figures[kind] = Counter(piece["figures"][kind])  # the last one has all before it


def write_journal(path: Path | None, seed: int, figures: dict[str, Counter]) -> None:
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps({"seed": seed, "figures": figures}) + "\n")


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
    with tempfile.TemporaryDirectory() as work:
        kinds = prepare(Path(work))
        chosen = {kind: kinds[kind] for kind in arguments.kind or kinds}
        started = Run(chosen, arguments.seed, arguments.until)
        read_journal(arguments.journal, arguments.seed, started.figures)
        if arguments.again:
            print(started.again(arguments.again[0], int(arguments.again[1])))
            return
        for kind in started.figures:  # so that all is compiled before there are children
            started.again(kind, 0)
        until = time.monotonic() + 60 * arguments.minutes
        while (left := until - time.monotonic()) > 0 and not started.is_done:
            started.go_on(min(left, 60 * PIECE))
            write_journal(arguments.journal, arguments.seed, started.figures)
    rows = [
        [kind, *(f"{figures[name]:,}" for name in FIGURES)]
        for kind, figures in started.figures.items()
    ]
    text = f"`--seed {arguments.seed}`:\n\n"
    text += table(["kind", *FIGURES], rows)
    print(text)
    if arguments.write:
        write_section(arguments.write, "fuzzing", text)
    if any(figures["disagreements"] + figures["crashes"] for figures in started.figures.values()):
        sys.exit(1)


if __name__ == "__main__":
    run_script(main)
