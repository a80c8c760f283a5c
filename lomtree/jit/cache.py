"""Where compiled code is kept between runs: a file for each kernel and form of its arguments.

The folder has the name of the fingerprint of all that the code depends on, and is in a folder of
the program's own. What is in there will be executed, so it is used only where nobody else can have
written it (system/trusted_folder). Every run comes by here, so it does without pathlib, which takes
time to import.
"""

import contextlib
import fcntl
import json
import os
import re
import time
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from lomtree.jit.fingerprint import fingerprint
from lomtree.system.trusted_folder import TrustedFolder, is_safe_parent

FOLDERS_KEPT = 4
PATIENCE = 60.0  # seconds: whoever holds a lock longer may have been suspended
_GLANCE = 0.05  # seconds between two looks at a lock
_VERSION_FOLDER = re.compile("kernels-[0-9a-f]{16}")


class Code(NamedTuple):
    symbol: str  # the function's name in the object file
    returns: str  # what it returns, in the letters of `struct`; in brackets if it is a tuple
    object_file: bytes


def base_folders() -> Iterator[str]:
    """Where the code may be, the best place first. A relative path is none: the current folder is
    anybody's."""
    named = os.environ.get("NUMBA_CACHE_DIR", "")  # the user's word, for more than this program
    if os.path.isabs(named):
        yield os.path.join(named, "lomtree")
    home = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".cache")
    if os.path.isabs(home):  # without HOME and a known user it is not
        yield os.path.join(home, "lomtree")
    import tempfile  # takes time, and is rarely needed

    with contextlib.suppress(OSError):  # there is none
        shared = tempfile.gettempdir()  # the current folder, if there is no other
        if not os.path.samefile(shared, os.curdir) and is_safe_parent(shared):
            yield os.path.join(os.path.abspath(shared), f"lomtree-{os.geteuid()}")


def folder_name() -> str:
    return f"kernels-{fingerprint()}"


def find(name: str) -> Code | None:
    """The code kept under this name; None if there is none, or it is damaged."""
    for base in base_folders():
        with contextlib.suppress(OSError, ValueError, TypeError):
            with TrustedFolder(base) as own, own.folder(folder_name()) as folder:
                text = folder.read(name)
            if text[:4] == _sum(text[4:]):
                header, _, object_file = text[4:].partition(b"\n")
                return Code(**json.loads(header), object_file=object_file)
    return None


def keep(name: str, code: Code) -> None:
    """Keep code for further runs, in the first folder that can be written; or in none."""
    header = json.dumps({"symbol": code.symbol, "returns": code.returns})
    text = header.encode() + b"\n" + code.object_file
    for base in base_folders():
        with contextlib.suppress(OSError), _open_to_write(base) as folder:
            folder.write(name, _sum(text) + text)
            return


@contextlib.contextmanager
def _open_to_write(base: str) -> Iterator[TrustedFolder]:
    """The folder of this version of the program; it is made if need be."""
    os.makedirs(os.path.dirname(base), exist_ok=True)
    with TrustedFolder(base, make=True) as own:
        try:
            folder = own.folder(folder_name())
        except FileNotFoundError:
            _drop_old_folders(own)
            folder = own.folder(folder_name(), make=True)
        with folder:
            yield folder


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """While one process is here, others that want the same code wait, but not for ever; where
    nothing can be kept, nobody does."""
    with contextlib.ExitStack() as stack:
        for base in base_folders():
            with contextlib.suppress(OSError):
                folder = stack.enter_context(_open_to_write(base))
                file = folder.open_lock(f"{name}.lock")
                stack.callback(os.close, file)
                if _lock(file):
                    stack.callback(folder.remove, f"{name}.lock")
                break
        yield


def _lock(file: int) -> bool:
    """Whether it could be locked before patience ended."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
        time.sleep(_GLANCE)


def _sum(text: bytes) -> bytes:
    return zlib.crc32(text).to_bytes(4, "little")


def _drop_old_folders(own: TrustedFolder) -> None:
    """Every version of the sources leaves a folder; only the newest few stay."""
    versions = [name for name in own.newest_first() if _VERSION_FOLDER.fullmatch(name)]
    for name in versions[FOLDERS_KEPT - 1 :]:
        own.remove_folder(name)
