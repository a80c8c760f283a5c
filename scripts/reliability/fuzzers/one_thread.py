"""The program's work in one thread: what it does beside is done before instead.

To start a thread for every part of a tiny model takes ten times as long as to read it.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

from lomtree.system.pipeline import ahead


class _AtOnce(Executor):
    def __init__(self, *_arguments: object, **_more: object) -> None:
        pass

    def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Future:
        future: Future = Future()
        try:
            future.set_result(function(*arguments, **more))
        except BaseException as error:
            future.set_exception(error)
        return future


REPLACEMENTS: dict[Any, Any] = {ThreadPoolExecutor: _AtOnce, ahead: iter}


@cache
def _places(_modules: int) -> list[tuple[Any, str, Any]]:
    """Where the program has what is to be replaced; there may be more when more is loaded."""
    return [
        (module, name, value)
        for module in [one for name, one in sys.modules.items() if name.startswith("lomtree.")]
        for name, value in vars(module).items()
        if isinstance(value, type(ahead) | type) and value in REPLACEMENTS
    ]


@contextmanager
def one_thread() -> Iterator[None]:
    """In all modules of the program that are loaded by now."""
    places = _places(len(sys.modules))
    for module, name, value in places:
        setattr(module, name, REPLACEMENTS[value])
    try:
        yield
    finally:
        for module, name, value in places:
            setattr(module, name, value)
