"""All that compiled code depends on, as one word: the name of the folder where it is kept.

A kernel inlines functions of other files, so the text of the whole package counts, and so do the
processor, the compiler and its settings: any edit, any upgrade and any other machine has a folder
of its own, and stale code cannot be found.

Every run comes by here, so it does without hashlib and pathlib, which take 8 ms to import, and
finds the versions of packages without importing them.
"""

import contextlib
import os
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import PathFinder

import numpy as np

_COMPILERS = ("numba", "llvmlite")
_SETTINGS_FILE = ".numba_config.yaml"  # numba reads it if it is in the current folder
# Settings of numba's that change no code of ours: kernels start no threads.
_HARMLESS = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")
_AS_BY_DEFAULT = ("NUMBA_BOUNDSCHECK=0", "NUMBA_DISABLE_JIT=0")


def checksum(texts: Iterable[bytes]) -> str:
    """What tells one list of texts from another, unless somebody makes them agree."""
    first, second = 0, 1
    for text in texts:
        text = b"%d %b" % (len(text), text)
        first, second = zlib.crc32(text, first), zlib.adler32(text, second)
    return f"{first:08x}{second:08x}"


@cache
def fingerprint() -> str:
    """Of the processor, the compiler, its settings, and every module of the package."""
    return checksum([_processor(), *_versions(), *_settings(), *_sources()])


@cache
def _processor() -> bytes:
    """What tells processors that take other code apart."""
    with contextlib.suppress(OSError):
        lines = _read("/proc/cpuinfo").partition(b"\n\n")[0].splitlines()
        telling = (b"model name", b"cpu family", b"model\t", b"flags", b"Features", b"CPU part")
        return b"\n".join(line for line in lines if line.startswith(telling))
    import llvmlite.binding as llvm  # takes time

    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}".encode()


def _versions() -> Iterator[bytes]:
    yield np.__version__.encode()
    yield from map(_version_of, _COMPILERS)


def _version_of(package: str) -> bytes:
    """What tells releases of a package apart: its _version.py, or else the names of the folders
    beside it that installers leave, such as numba-0.59.0.dist-info."""
    spec = PathFinder.find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    with contextlib.suppress(OSError):
        return b"\n".join(_read(os.path.join(folder, "_version.py")) for folder in folders[:1])
    names = {name for folder in folders for name in os.listdir(os.path.dirname(folder))}
    return os.fsencode("\n".join(sorted(name for name in names if name.startswith(f"{package}-"))))


def _settings() -> Iterator[bytes]:
    for name, value in sorted(os.environ.items()):
        setting = f"{name}={value}"
        if name.startswith("NUMBA_") and name not in _HARMLESS and setting not in _AS_BY_DEFAULT:
            yield os.fsencode(setting)
    with contextlib.suppress(OSError):
        yield _read(_SETTINGS_FILE)


def _sources() -> Iterator[bytes]:
    """Name and text of every module, in all folders of the package, always in the same order."""
    top = os.path.dirname(os.path.dirname(__file__))
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            if name.endswith(".py"):
                path = os.path.join(folder, name)
                yield os.fsencode(path[len(top) :])
                yield _read(path)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
