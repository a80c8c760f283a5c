"""What is said about compiling, and what is started when it begins; each at most once."""

import contextlib
import sys
from collections.abc import Callable

_unsaid: set[str] = set()
_tell: Callable[[str], None] | None = None
_beside: Callable[[], None] | None = None

_NATIVE, _PLAIN = "native", "plain"


def announce_compilation(tell: Callable[[str], None] | None = None) -> None:
    """From now on, say so in one line on stderr, or through `tell`, if anything has to be compiled,
    and in another if it has to be compiled in every run."""
    global _tell
    _tell = tell
    _unsaid.update((_NATIVE, _PLAIN))


def compile_beside(start: Callable[[], None]) -> None:
    """Call this, which starts another process, if anything has to be compiled."""
    global _beside
    _beside = start


def say_compiling() -> None:
    global _beside
    if _beside is not None:
        start, _beside = _beside, None
        start()
    _say(_NATIVE, "compiling (only the first such run does) ...")


def say_plain(reason: str) -> None:
    _say(_PLAIN, f"compiling with plain numba.njit, in every run: {reason}")


def _say(kind: str, line: str) -> None:
    if kind in _unsaid:
        _unsaid.remove(kind)
        if _tell is not None:
            _tell(line)
            return
        with contextlib.suppress(OSError, AttributeError):  # nobody reads it, or there is none
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
