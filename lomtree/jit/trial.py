"""Whether compiled code can be called by hand on this machine, where nobody has seen it work.

If not, a call may crash. So another process tries it first; and only where something has to be
compiled, which takes longer by far.
"""

import math
import subprocess
from functools import cache
from typing import NamedTuple

import numpy as np

from lomtree.jit import calling, elf
from lomtree.system.isolated_python import isolated


class Sample(NamedTuple):
    rows: np.ndarray
    factor: float


def every_kind(sample, table, flag, count, number):
    """Every kind of argument and result, and a function of the C library."""
    total = 0.0
    for row in range(len(sample.rows)):
        total += sample.rows[row].size * sample.factor + math.exp(np.float64(table[row, count]))
        sample.rows[row].size = 0.0
    return total, count + 1, not flag, number * number


def check() -> None:
    """RuntimeError if the trial fails; known machines need none."""
    if not elf.is_known_machine() and not _passes():
        raise RuntimeError("compiled code cannot be called directly on this machine")


@cache
def _passes() -> bool:
    nothing = subprocess.DEVNULL
    command = isolated(__name__, is_wrong.__name__)
    done = subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing)
    return done.returncode == 0


def is_wrong() -> bool:
    """The exit status of the other process."""
    return not is_right()


def is_right() -> bool:
    """Call compiled code, and look at what it does."""
    from lomtree.jit import native

    rows = np.zeros(3, np.dtype([("mark", np.int32), ("size", np.float64)], align=True))
    rows["size"] = 1, 2, 3
    table = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
    arguments = Sample(rows, 0.5), table, False, 2, np.float32(1.5)
    code = native.compile_for(native.dispatcher_of(every_kind, True), arguments)
    total, *others = calling.load(code, arguments)(*arguments)
    expected = 3.0 + sum(math.exp(number) for number in table[:, 2].tolist())
    return math.isclose(total, expected) and others == [3, True, 2.25] and not rows["size"].any()
