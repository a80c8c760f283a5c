"""Where compiled code is kept between runs: a file for each kernel and form of its arguments.

A kernel inlines functions of other files, so the folder is named after the text of the whole
package, and after the processor: any edit, any upgrade and any other machine has a folder of its
own, and stale code cannot be found.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDERS_KEPT = 4


class Code(NamedTuple):
    symbol: str  # the function's name in the object file
    returns: str  # what it returns, in the letters of `struct`; in brackets if it is a tuple
    object_file: bytes


@cache
def _processor() -> bytes:
    """What tells processors that take other code apart."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_bytes().partition(b"\n\n")[0].splitlines()
        telling = (b"model name", b"cpu family", b"model\t", b"flags", b"Features", b"CPU part")
        return b"\n".join(line for line in lines if line.startswith(telling))
    import llvmlite.binding as llvm  # takes time

    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}".encode()


@cache
def _digest() -> str:
    digest = hashlib.blake2b(digest_size=8)
    digest.update(_processor())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _base_folders() -> Iterator[Path]:
    """Where the code may be, the best place first; NUMBA_CACHE_DIR is the user's word."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(os.environ["NUMBA_CACHE_DIR"])
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    yield Path(home) / "lomtree"
    import tempfile  # takes time, and is rarely needed

    yield Path(tempfile.gettempdir()) / f"lomtree-{os.getuid()}"


def folders() -> Iterator[Path]:
    return (base / f"kernels-{_digest()}" for base in _base_folders())


def _is_trusted(folder: Path) -> bool:
    """What is in there will be executed: only the user, or root, may have written it."""
    try:
        found = folder.stat()
    except OSError:
        return False
    return found.st_uid in (0, os.getuid()) and not found.st_mode & 0o022


def find(name: str) -> Code | None:
    """The code kept under this name; None if there is none, or it is damaged."""
    for folder in folders():
        if not _is_trusted(folder):
            continue
        with contextlib.suppress(OSError):
            text = (folder / name).read_bytes()
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
                _write(folder / name, _sum(text) + text)
                return


def _is_there(folder: Path) -> bool:
    """Whether it can be used; it is made if need be."""
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True)
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
                    file = stack.enter_context(open(folder / f"{name}.lock", "wb"))
                    stack.callback((folder / f"{name}.lock").unlink, missing_ok=True)
                    fcntl.flock(file, fcntl.LOCK_EX)
                    break
        yield


def _sum(text: bytes) -> bytes:
    return zlib.crc32(text).to_bytes(4, "little")


def _write(path: Path, text: bytes) -> None:
    """Another process may be reading or writing the same file."""
    import tempfile

    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:  # a signal as well
        os.unlink(temporary)
        raise


def _drop_old_folders(keep: Path) -> None:
    """Every version of the sources leaves a folder; only the newest few stay."""
    import shutil

    others = [path for path in keep.parent.glob("kernels-*") if path != keep]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[FOLDERS_KEPT - 1 :]:
        shutil.rmtree(path, ignore_errors=True)
