"""Commands that are killed: in children of this process, which has all that they need in memory.

Python need not start for each of them, so that most of a command's life is its work. `at` kills it
from without, after some time; `step` from within, at the very moment when it is about to make, to
name, to sync or to remove a file for the so-manieth time.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lomtree import __main__ as program

STEPS = ("open", "link", "replace", "fsync", "fchmod", "unlink", "remove", "makedirs", "mkdir")


def started(words: list[str], step: int = 0) -> int:
    """The number of a child that runs `lomtree WORDS`, and kills itself at this step."""
    child = os.fork()
    if child:
        return child
    quiet = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(quiet, descriptor)
    if step:
        _arm(step)
    sys.argv = ["lomtree", *words]
    try:
        program.main()
    except SystemExit as end:
        os._exit(int(end.code or 0))
    finally:
        os._exit(99)


def _arm(step: int) -> None:
    left = step

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **more)

        return call

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))


def is_killed(words: list[str], step: int, seconds: float) -> bool:
    """Run a command, and kill it at this step, or where that is 0 after this time; False if it had
    ended before. SystemExit if it failed."""
    child = started(words, step)
    if not step:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return _ended(words, os.waitpid(child, 0)[1])


def process_is_killed(words: list[str], seconds: float) -> bool:
    """The same with a process of its own, Python's start included."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        [sys.executable, "-m", "lomtree", *words], stdin=quiet, stdout=quiet, stderr=quiet
    )
    time.sleep(seconds)
    process.kill()
    status = process.wait()
    return _ended(words, -status if status < 0 else status << 8)


def _ended(words: list[str], status: int) -> bool:
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise SystemExit(f"lomtree {' '.join(words)}: status {os.WEXITSTATUS(status)}")
    return os.WIFSIGNALED(status)


def run(words: list[str]) -> float:
    """A command that nobody kills, in a child; the seconds that it took."""
    begun = time.perf_counter()
    if _ended(words, os.waitpid(started(words), 0)[1]):
        raise SystemExit(f"lomtree {' '.join(words)}: crashed")
    return time.perf_counter() - begun


def load_everything(words: list[str], folder: Path) -> None:
    """Run a command in this process, so that its children have its modules and kernels."""
    before, sys.argv = sys.argv, ["lomtree", *words]
    try:
        program.main()
    except SystemExit as end:
        if end.code:
            raise SystemExit(f"lomtree {' '.join(words)}: status {end.code}") from None
    finally:
        sys.argv = before
    for path in folder.iterdir():
        path.unlink()
