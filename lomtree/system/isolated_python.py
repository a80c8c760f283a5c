"""Another Python that runs a function of this package, and imports nothing of the current folder.

`python -c` and `python -m` look there first, and it may be full of somebody's data: a numpy.py in
it would be executed. So the other process is isolated (-I: what is found neither depends on the
current folder nor on the environment) and is told where this one finds its packages.
"""

import contextlib
import os
import sys
from collections.abc import Iterator

_PROGRAM = """
import sys
sys.path[:] = {path!r}
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("lomtree", {init!r}, submodule_search_locations=[{folder!r}])
sys.modules["lomtree"] = module_from_spec(spec)
spec.loader.exec_module(sys.modules["lomtree"])
from {module} import {function}
sys.exit({function}(*{arguments!r}))
"""
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _search_path() -> list[str]:
    """Where this process finds packages, without places that depend on the current folder. The
    package itself is found by its own folder, wherever that is."""
    return [place for place in sys.path if os.path.isabs(place) and not _is_here(place)]


def _is_here(place: str) -> bool:
    try:
        return os.path.samefile(place, os.curdir)
    except (OSError, ValueError):
        return False


def isolated(module: str, function: str, *arguments: str) -> list[str]:
    """The command that calls a function of the package in a process of its own; what it returns is
    the exit status."""
    program = _PROGRAM.format(
        path=_search_path(),
        init=os.path.join(_PACKAGE, "__init__.py"),
        folder=_PACKAGE,
        module=module,
        function=function,
        arguments=arguments,
    )
    writes_no_bytecode = ["-B"] if sys.dont_write_bytecode else []
    return [sys.executable, "-I", *writes_no_bytecode, "-c", program]


@contextlib.contextmanager
def isolated_children() -> Iterator[None]:
    """The processes that multiprocessing starts meanwhile are isolated, too: it starts them with
    `python -c`, and then gives them this one's search path."""
    from multiprocessing import util

    flags = util._args_from_interpreter_flags  # type: ignore[attr-defined]
    util._args_from_interpreter_flags = lambda: ["-I", *flags()]  # type: ignore[attr-defined]
    try:
        yield
    finally:
        util._args_from_interpreter_flags = flags  # type: ignore[attr-defined]
