"""Kernels run as the Python functions that they are, for a debugger: NUMBA_DISABLE_JIT=1.

Numbers must be what they are in compiled code, to the bit. So Python's own become numpy's on the
way into a kernel and out of it (or else numpy would take a float that meets a float32 for one, too,
and a number that meets an uint64 for a float), rows of structured arrays have attributes, and what
overflows or is divided by zero is infinite, without a word.
"""

import math
import threading
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

_thread = threading.local()


class Row(np.void):  # type: ignore[misc]
    """A row of a structured array with its fields as attributes. (One of np.recarray would do, if
    no field had the name of a method.)"""

    def __getattribute__(self, name: str) -> Any:
        attribute = super().__getattribute__
        return self[name] if name in attribute("dtype").names else attribute(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def run(function: Callable, arguments: tuple) -> Any:
    """Call the function of a kernel; the outermost one returns Python's own numbers."""
    body, given = _body(function), _typed(arguments)
    if getattr(_thread, "in_kernel", False):
        return _typed(body(*given))
    _thread.in_kernel = True
    try:
        with np.errstate(all="ignore"):
            return _untyped(body(*given))
    finally:
        _thread.in_kernel = False


def _typed(value: Any) -> Any:
    if isinstance(value, tuple):
        fields = map(_typed, value)
        return value._make(fields) if hasattr(value, "_make") else tuple(fields)
    if isinstance(value, np.ndarray) and value.dtype.names and value.dtype.type is not Row:
        return value.view(np.dtype((Row, value.dtype)))
    if type(value) is int:
        return np.int64(value)
    return np.float64(value) if type(value) is float else value


def _untyped(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_untyped, value))
    return value.item() if isinstance(value, np.generic) else value


@cache
def _body(function: FunctionType) -> FunctionType:
    """The same code, with other functions behind some names."""
    names = {
        name: _exp if value is math.exp else value for name, value in function.__globals__.items()
    }
    return FunctionType(
        function.__code__,
        {**names, "range": _range},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


def _range(*edges: Any) -> Iterator[Any]:
    """Numbers of the same type as the edges."""
    return map(np.uint64 if isinstance(edges[0], np.uint64) else np.int64, range(*edges))


def _exp(number: Any) -> np.float64:
    """The C library's, as in compiled code; numpy's own may differ in the last bit."""
    try:
        return np.float64(math.exp(number))
    except OverflowError:
        return np.float64(np.inf)
