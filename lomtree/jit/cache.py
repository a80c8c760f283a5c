"""Where compiled code is kept between runs: a file for each kernel and form of its arguments.

The folder has the name of the fingerprint of all that the code depends on. Every run comes by here,
so it does without pathlib, which takes time to import.
"""

import contextlib
import fcntl
import json
import os
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from lomtree.jit.fingerprint import fingerprint

FOLDERS_KEPT = 4


class Code(NamedTuple):
    symbol: str  # the function's name in the object file
    returns: str  # what it returns, in the letters of `struct`; in brackets if it is a tuple
    object_file: bytes


def _base_folders() -> Iterator[str]:
    """Where the code may be, the best place first; NUMBA_CACHE_DIR is the user's word."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield os.environ["NUMBA_CACHE_DIR"]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    yield os.path.join(home, "lomtree")
    import tempfile  # takes time, and is rarely needed

    yield os.path.join(tempfile.gettempdir(), f"lomtree-{os.getuid()}")


def folders() -> Iterator[str]:
    return (os.path.join(base, f"kernels-{fingerprint()}") for base in _base_folders())


def _is_trusted(folder: str) -> bool:
    """What is in there will be executed: only the user, or root, may have written it."""
    try:
        found = os.stat(folder)
    except OSError:
        return False
    return found.st_uid in (0, os.getuid()) and not found.st_mode & 0o022


def find(name: str) -> Code | None:
    """The code kept under this name; None if there is none, or it is damaged."""
    for folder in folders():
        if not _is_trusted(folder):
            continue
        with contextlib.suppress(OSError):
            with open(os.path.join(folder, name), "rb") as file:
                text = file.read()
            if text[:4] == _sum(text[4:]):
                header, _, object_file = text[4:].partition(b"\n")
                return Code(**json.loads(header), object_file=object_file)
    return None


def keep(name: str, code: Code) -> None:
    """Keep code for further runs, in the first folder that can be written; or in none."""
    header = json.dumps({"symbol": code.symbol, "returns": code.returns})
    text = header.encode() + b"\n" + code.object_file
    for folder in folders():
        with contextlib.suppress(OSError):
            if _is_there(folder):
                _write(os.path.join(folder, name), _sum(text) + text)
                return


def _is_there(folder: str) -> bool:
    """Whether it can be used; it is made if need be."""
    if not os.path.exists(folder):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.mkdir(folder, 0o700)
        _drop_old_folders(folder)
    return _is_trusted(folder)


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """While one process is here, others that want the same code wait; where nothing can be kept,
    nobody does."""
    with contextlib.ExitStack() as stack:
        for folder in folders():
            with contextlib.suppress(OSError):
                if _is_there(folder):
                    lock = os.path.join(folder, f"{name}.lock")
                    file = stack.enter_context(open(lock, "wb"))
                    stack.callback(_remove, lock)
                    fcntl.flock(file, fcntl.LOCK_EX)
                    break
        yield


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _sum(text: bytes) -> bytes:
    return zlib.crc32(text).to_bytes(4, "little")


def _write(path: str, text: bytes) -> None:
    """Another process may be reading or writing the same file."""
    import tempfile

    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:  # a signal as well
        os.unlink(temporary)
        raise


def _drop_old_folders(keep: str) -> None:
    """Every version of the sources leaves a folder; only the newest few stay."""
    import glob
    import shutil

    pattern = os.path.join(glob.escape(os.path.dirname(keep)), "kernels-*")
    others = [path for path in glob.glob(pattern) if path != keep]
    others.sort(key=os.path.getmtime, reverse=True)
    for path in others[FOLDERS_KEPT - 1 :]:
        shutil.rmtree(path, ignore_errors=True)
