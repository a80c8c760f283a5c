"""A bar with MB/s where someone sees it and the end is known."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


class ProgressBar:
    """Without a tqdm bar it does nothing."""

    def __init__(self, bar: Any = None) -> None:
        self._bar = bar

    def move_to(self, position: int) -> None:
        if self._bar is not None:
            self._bar.update(position - self._bar.n)

    def move_by(self, step: int) -> None:
        if self._bar is not None:
            self._bar.update(step)

    def clear(self) -> None:
        """Make room for a line of text."""
        if self._bar is not None:
            self._bar.clear()


@contextlib.contextmanager
def progress_bar(total: int | None, shown: bool) -> Iterator[ProgressBar]:
    """A bar on stderr up to so many bytes, if it is to be shown, and stderr is a terminal."""
    if not shown or total is None or sys.stderr is None or not sys.stderr.isatty():
        yield ProgressBar()
        return
    from tqdm import tqdm

    with tqdm(total=total, unit="B", unit_scale=True, leave=False, file=sys.stderr) as bar:
        yield ProgressBar(bar)


@contextlib.contextmanager
def counting_bar(total: int | None, unit: str, shown: bool) -> Iterator[ProgressBar]:
    """A bar on stderr that counts, even if nobody knows up to which number."""
    if not shown or sys.stderr is None:
        yield ProgressBar()
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=f" {unit}", unit_scale=True, file=sys.stderr) as bar:
        yield ProgressBar(bar)
