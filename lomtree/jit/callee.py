"""What kernels call, other kernels and instructions, and how numba is told of it.

Natively that takes private parts of numba. Plainly it is numba.njit and what numba documents for
extensions: slower to compile and to start, but it works wherever numba does.
"""

import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any

SWITCH = "LOMTREE_PLAIN_NJIT"


def is_on(switch: str) -> bool:
    """Whether a variable of the environment is set, and not to 0."""
    return os.environ.get(switch, "0") not in ("", "0")


_why_plain = f"{SWITCH} is set" if is_on(SWITCH) else ""


def why_plain() -> str:
    """Why functions are plain ones; empty if they are native."""
    return _why_plain


@contextlib.contextmanager
def plainly(why: str) -> Iterator[None]:
    """From here on functions are plain ones; and also behind the block, unless it fails."""
    global _why_plain
    before, _why_plain = _why_plain, why
    try:
        yield
    except BaseException:
        _why_plain = before
        raise


class Callee(ABC):
    """A function that kernels may call."""

    def __init__(self, function: Callable) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @property
    @abstractmethod
    def native_type(self) -> Any:
        """numba's type of the function where the way is native."""

    @cached_property
    def plain(self) -> Any:
        """What numba makes of the function where the way is plain."""
        import numba

        introduce()
        return numba.njit(self.function, nogil=True, error_model="numpy", cache=False)


@cache
def introduce() -> None:
    """Tell numba, which is imported now, what it has to see in a Callee."""
    import numba
    from numba.extending import typeof_impl

    @typeof_impl.register(Callee)
    def type_of(callee: Callee, _context: Any) -> Any:
        return numba.typeof(callee.plain) if _why_plain else callee.native_type
