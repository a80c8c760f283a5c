"""What commands cost: seconds and memory, and how two programs compare."""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

LAUNCHER = Path(__file__).with_name("launcher.py")
LEAST_SECONDS = 0.05  # beyond the start; less says nothing
US, VW = "lomtree", "vw"
BOTH = (US, VW)
DEFAULT = "default"  # this program with search and ranker; US is its trees alone


class Cost(NamedTuple):
    seconds: float
    megabytes: float  # resident, at the most
    said: str = ""  # on stderr
    printed: str = ""  # on stdout
    processor: float = 0.0  # seconds, of all cores
    spread: float = 0.0  # of several runs: the slowest beyond the fastest, by the median


def run(command: list[str]) -> Cost:
    with tempfile.NamedTemporaryFile() as note:
        done = subprocess.run(
            [sys.executable, "-I", "-S", LAUNCHER, note.name, *command],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise SystemExit(f"failed: {' '.join(command)}\n{done.stderr}")
        seconds, kilobytes, processor = note.read().split()
    megabytes = int(kilobytes) / 1024
    return Cost(float(seconds), megabytes, done.stderr, done.stdout, float(processor))


def best(costs: list[Cost]) -> Cost:
    """The fastest run, with the least memory of all."""
    fastest = min(costs)
    return fastest._replace(megabytes=min(cost.megabytes for cost in costs))


def typical(costs: list[Cost]) -> Cost:
    """The median run of an odd number, with the median of its memory, and how far runs differ."""
    seconds = sorted(cost.seconds for cost in costs)
    middle = sorted(costs)[(len(costs) - 1) // 2]
    return middle._replace(
        megabytes=median(cost.megabytes for cost in costs),
        spread=(seconds[-1] - seconds[0]) / middle.seconds,
    )


class Comparison(NamedTuple):
    """The costs of all stages for VW, our trees and maybe our program by default, and what came of
    it."""

    costs: dict[tuple[str, str], Cost]  # by stage and program
    megabytes: dict[str, float]  # of the last model
    errors: dict[str, float]  # of its predictions for the test part, in percent

    @property
    def stages(self) -> list[str]:
        return list(dict.fromkeys(stage for stage, _ in self.costs))

    @property
    def has_default(self) -> bool:
        return DEFAULT in self.errors

    def faster(self, stage: str, who: str = US) -> float:
        return self.costs[stage, VW].seconds / self.costs[stage, who].seconds

    def memory(self, stage: str, who: str = US) -> float:
        """Our part of VW's."""
        return self.costs[stage, who].megabytes / self.costs[stage, VW].megabytes

    def beyond_start(self, stage: str, who: str) -> float:
        """Seconds more than one example takes."""
        kind = "training" if stage.startswith("train") else "prediction"
        return self.costs[stage, who].seconds - self.costs[f"start of {kind}", who].seconds

    def once_started(self, stage: str, who: str = US) -> float | None:
        """How much faster the rest is; None if one of them hardly has any."""
        ours, theirs = (self.beyond_start(stage, one) for one in (who, VW))
        return theirs / ours if min(ours, theirs) > LEAST_SECONDS else None
