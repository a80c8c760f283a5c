"""How kernels are compiled, and where the compiled code is kept.

numba's cache notices an edit of the file that holds a kernel, not of a file whose functions that
kernel inlines. So the folder is named after the text of the whole package: any edit, and any
upgrade, starts a folder of its own, and stale code cannot be found.
"""

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, event

FOLDERS_KEPT = 4


def _package_digest() -> str:
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _base_folders() -> list[Path]:
    """Where the cache may live, the best place first; NUMBA_CACHE_DIR is the user's word."""
    folders = []
    if os.environ.get("NUMBA_CACHE_DIR"):
        folders.append(Path(os.environ["NUMBA_CACHE_DIR"]))
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folders.append(Path(home) / "lomtree")
    folders.append(Path(tempfile.gettempdir()) / f"lomtree-{os.getuid()}")
    return folders


def _drop_old_folders(base: Path, keep: Path) -> None:
    """Every version of the sources leaves a folder; only the newest few stay."""
    import shutil

    others = [path for path in base.glob("kernels-*") if path != keep]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[FOLDERS_KEPT - 1 :]:
        shutil.rmtree(path, ignore_errors=True)


def _cache_folder() -> str | None:
    for base in _base_folders():
        folder = base / f"kernels-{_package_digest()}"
        if folder.is_dir() and _writable(folder):
            return str(folder)
        if _writable(folder):
            _drop_old_folders(base, folder)
            return str(folder)
    return None


CACHE_FOLDER = _cache_folder()


class _LazyCache:
    """numba's cache of one kernel, opened when the kernel is first called from Python.

    Most kernels never are: they live on inside others. And what numba does before it looks into a
    cache (it imports all that it could compile) waits until something must be compiled. Both save
    a large part of the time that a short run takes.
    """

    def __init__(self, function: Callable) -> None:
        self._function = function
        self._cache: Any = None

    def _open(self) -> Any:
        if self._cache is None:
            config: Any = numba.config
            before = config.CACHE_DIR
            config.CACHE_DIR = CACHE_FOLDER
            try:
                self._cache = caching.FunctionCache(self._function)
            finally:
                config.CACHE_DIR = before
        return self._cache

    def load_overload(self, signature: Any, target: Any) -> Any:
        cache = self._open()
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, target)

    def save_overload(self, signature: Any, compiled: Any) -> None:
        self._open().save_overload(signature, compiled)


def kernel(function: Callable) -> Callable:
    """Compile on first use, without the GIL and without bounds checks; keep the code on disk.

    Kernels allocate nothing, so they do without numba's run time (`_nrt`), whose counting of
    references to the arrays costs more than many a small function does. They are always inlined:
    a call would pass every length and stride of every array in its arguments.
    """
    dispatcher = numba.njit(function, nogil=True, error_model="numpy", forceinline=True, _nrt=False)
    if CACHE_FOLDER is not None:
        dispatcher._cache = _LazyCache(function)
    return dispatcher


class _SayOnce(event.Listener):
    def __init__(self) -> None:
        self.said = False

    def on_start(self, _event) -> None:
        if not self.said:
            self.said = True
            with contextlib.suppress(OSError, AttributeError):  # nobody reads it, or there is none
                sys.stderr.write("compiling (only the first run does) ...\n")
                sys.stderr.flush()

    def on_end(self, _event) -> None:
        pass


def announce_compilation() -> None:
    """From now on, say so in one line on stderr if anything has to be compiled."""
    event.register("numba:compile", _SayOnce())
