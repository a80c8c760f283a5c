"""How training goes: counted as it happens, printed for a person as VW does."""

import sys
from collections.abc import Callable

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.core.printable import printable
from lomtree.examples.batch import Batch
from lomtree.examples.label_index import LabelIndex
from lomtree.system.timing import Clock

_HEADINGS = (
    f"{'average':>8} {'since':>8} {'example':>11} {'current':>16} {'current':>16} "
    f"{'leaf':>5} {'current':>8}\n"
    f"{'error':>8} {'last':>8} {'counter':>11} {'label':>16} {'prediction':>16} "
    f"{'depth':>5} {'features':>8}\n"
)


def to_stderr(text: str) -> bool:
    """Tell a person; False if nobody listens any more, which is no reason to stop working."""
    if sys.stderr is None:  # started without one: `2>&-`
        return False
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        return False
    return True


class Meter:
    """Progressive validation: each example is predicted just before it is learned.

    A row is printed at examples 1, 2, 4, 8, ... (`progress` > 1 is another factor; a whole number
    prints every so many examples).
    """

    def __init__(
        self,
        labels: LabelIndex,
        progress: float | int,
        write: Callable[[str], None],
        has_depth: bool = True,
    ) -> None:
        self.examples = 0
        self.weight = 0.0
        self.wrong = 0.0
        self.features = 0
        self._clock = Clock()
        self._labels = labels
        self._progress = progress
        self._write = write
        self._has_depth = has_depth
        self._next = 1 if isinstance(progress, float) else progress
        self._last_weight = self._last_wrong = 0.0

    def head(self) -> None:
        self._write(_HEADINGS)

    def add(self, batch: Batch, count: int, predictions: np.ndarray, depths: np.ndarray) -> None:
        """Count `count` examples in and print the rows that are due."""
        weights = batch.weights[:count].astype(np.float64)
        wrong = np.cumsum(weights * (predictions[:count] != batch.labels[:count]))
        weight = np.cumsum(weights)
        while self._next <= self.examples + count:
            here = self._next - self.examples - 1
            self._row(batch, here, predictions, depths, self.weight + weight[here], wrong[here])
            self._step()
        self.examples += count
        self.features += int(batch.starts[count])
        if count:
            self.weight += float(weight[-1])
            self.wrong += float(wrong[-1])

    def _step(self) -> None:
        if isinstance(self._progress, float):
            self._next = max(self._next + 1, int(self._next * self._progress))
        else:
            self._next += self._progress

    def _row(self, batch, here, predictions, depths, weight, more_wrong) -> None:
        wrong = self.wrong + more_wrong
        since = (wrong - self._last_wrong) / max(weight - self._last_weight, 1e-300)
        features = batch.starts[here + 1] - batch.starts[here]
        depth = str(depths[here]) if self._has_depth else "-"
        self._last_weight, self._last_wrong = weight, wrong
        self._write(
            f"{wrong / max(weight, 1e-300):8.4f} {since:8.4f} {self._next:11d} "
            f"{self._show(batch.labels[here]):>16} {self._show(predictions[here]):>16} "
            f"{depth:>5} {features:8d}\n"
        )

    def _show(self, number: int) -> str:
        if number == NO_LABEL:
            return "-"
        return printable(self._labels.shown(number).decode("utf-8", "backslashreplace"), 16)

    @property
    def error(self) -> float:
        return self.wrong / self.weight if self.weight else 0.0

    @property
    def seconds(self) -> float:
        return self._clock.seconds
