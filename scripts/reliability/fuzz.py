"""What strangers might send, for as long as you like.

    python -m scripts.reliability.fuzz [--minutes 10] [--seed 1] [--write docs/reliability.md]

Text goes through the compiled parsers, which must agree with the naive ones of tests/, and through
the commands. Models and caches are changed, given correct checksums, and go through every command.
Each must end with status 0, or with status 1 and one sentence, and what training writes must be a
model again. Children do the work, so that a crash, a hang or too much memory is a finding like any
other; each is printed with what repeats it, such as --again 'model file' 17.

Inputs are drawn at random from the grammar of their format. A coverage-guided fuzzer would see no
more, as compiled kernels cannot be instrumented; instead they are compiled with bounds checks here,
and text ends where a page of memory ends (NUMBA_BOUNDSCHECK=0 takes the code as it is shipped).
"""

import contextlib
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

FIGURES = ("tried", "accepted", "refused", "disagreements", "crashes")
AT_ONCE = 3.0  # seconds that a child works
LONGEST = 20  # seconds for one input
MOST_MEMORY = 400 << 20  # bytes beyond what the process had before


class Run:
    """Inputs number first, first + 1, ... of each kind, in children; Counters of the figures."""

    def __init__(self, kinds: dict, seed: int) -> None:
        self._kinds = kinds
        self._seed = seed
        self._shared = np.frombuffer(mmap.mmap(-1, 8 * (1 + len(FIGURES))), np.int64)
        self.figures: dict[str, Counter] = {kind: Counter() for kind in self._kinds}

    def go_on(self, seconds: float) -> None:
        """All kinds in turn, each in a child."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for kind, figures in self.figures.items():
                self._shared[:] = 0
                self._shared[0] = first = figures["tried"]
                seconds = AT_ONCE * self._kinds[kind][1]
                self._watch(kind, first, min(seconds, max(until - time.monotonic(), 0.1)))
                figures.update(dict(zip(FIGURES, self._shared[1:].tolist(), strict=True)))

    def again(self, kind: str, number: int) -> str:
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
            self._find(kind, "hang" if ended == signal.SIGALRM else f"signal {ended}")

    def _work(self, kind: str, number: int, until: float) -> None:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + MOST_MEMORY
        while time.monotonic() < until:
            self._shared[0] = number
            self._shared[1 + FIGURES.index("tried")] += 1
            signal.alarm(LONGEST)
            try:
                self._shared[1 + FIGURES.index(self.again(kind, number))] += 1
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
    if os.environ.setdefault("NUMBA_BOUNDSCHECK", "1") == "1":
        for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):  # nobody else finds such code there,
            os.environ[name] = str(folder)  # and no other code is found
    from scripts.reliability.fuzzer import Fuzzer

    return Fuzzer(folder).kinds()


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", nargs=2, metavar=("KIND", "NUMBER"), help="one input only")
    add_write(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        started = Run(prepare(Path(work)), arguments.seed)
        if arguments.again:
            print(started.again(arguments.again[0], int(arguments.again[1])))
            return
        for kind in started.figures:  # so that all is compiled before there are children
            started.again(kind, 0)
        started.go_on(60 * arguments.minutes)
    rows = [
        [kind, *(f"{figures[name]:,}" for name in FIGURES)]
        for kind, figures in started.figures.items()
    ]
    text = f"`--minutes {arguments.minutes:g} --seed {arguments.seed}`:\n\n"
    text += table(["kind", *FIGURES], rows)
    print(text)
    if arguments.write:
        write_section(arguments.write, "fuzzing", text)
    if any(figures["disagreements"] + figures["crashes"] for figures in started.figures.values()):
        sys.exit(1)


if __name__ == "__main__":
    run_script(main)
