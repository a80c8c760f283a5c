"""Where the time goes: seconds and amounts of each stage of a run, for --timings.

There is one watch for the whole process. Stages in different threads overlap, so their seconds may
add up to more than the run took.
"""

import contextlib
import threading
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")

_STEPS = {
    "bytes": (1e6, "MB"),
    "features": (1e6, "million features"),
    "examples": (1.0, "examples"),
}


class Stopwatch:
    def __init__(self) -> None:
        self._begun = time.perf_counter()
        self._lock = threading.RLock()  # the garbage collector may end a stage inside count()
        self.seconds: dict[str, float] = {}
        self.amounts: dict[str, dict[str, float]] = {}

    @contextlib.contextmanager
    def stage(self, name: str, **amounts: float) -> Iterator[None]:
        """The time until the block ends; what was done in it may be told now or with count()."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            with self._lock:
                taken = time.perf_counter() - begun
                self.seconds[name] = self.seconds.get(name, 0.0) + taken
            self.count(name, **amounts)

    def count(self, name: str, **amounts: float) -> None:
        with self._lock:
            known = self.amounts.setdefault(name, {})
            for unit, amount in amounts.items():
                known[unit] = known.get(unit, 0.0) + amount

    def each(self, name: str, items: Iterable[Item]) -> Iterator[Item]:
        """The same items; waiting for each of them is the stage."""
        iterator = iter(items)
        while True:
            with self.stage(name):
                item = next(iterator, None)
            if item is None:
                return
            yield item

    def report(self) -> str:
        """A line for each stage, in the order of their beginnings, with its rates."""
        lines = [f"{'stage':12} {'seconds':>8}  rate\n"]
        for name, seconds in self.seconds.items():
            rates = ", ".join(
                f"{_show(amount / _STEPS[unit][0] / max(seconds, 1e-9))} {_STEPS[unit][1]}/s"
                for unit, amount in self.amounts.get(name, {}).items()
            )
            lines.append(f"{name:12} {seconds:8.3f}  {rates}".rstrip() + "\n")
        lines.append(f"{'whole run':12} {time.perf_counter() - self._begun:8.3f}\n")
        return "".join(lines)


def _show(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


watch = Stopwatch()


class Clock:
    """Seconds from now on, without those that the compiler takes: only first runs know them."""

    def __init__(self) -> None:
        self._begun = self._now()

    def _now(self) -> float:
        return time.perf_counter() - watch.seconds.get("compile", 0.0)

    @property
    def seconds(self) -> float:
        return max(self._now() - self._begun, 1e-9)
