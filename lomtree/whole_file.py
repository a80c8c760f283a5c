"""Files that are there whole or not at all."""

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO

from lomtree.errors import LomtreeError


def check_writable(path: str) -> None:
    """Find out before hours of work that a file cannot be written there."""
    folder = os.path.dirname(os.path.realpath(path))
    if not path:
        raise LomtreeError("the name of the file to write is empty")
    if os.path.isdir(path):
        raise LomtreeError(f"{path}: is a directory, not a file")
    if not os.path.isdir(folder):
        raise LomtreeError(f"{path}: its folder does not exist")
    if not os.access(folder, os.W_OK) and not _is_special(path):
        raise LomtreeError(f"{path}: no permission to write there")


def _is_special(path: str) -> bool:
    """Whether it is a device or a pipe: written to, never replaced."""
    return os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)


@contextlib.contextmanager
def open_to_replace(path: str) -> Iterator[BinaryIO]:
    """Open a temporary file that takes the place of `path` when the block ends well.

    If it does not, the temporary file is removed and `path` is as it was.
    """
    try:
        if _is_special(path):
            with open(path, "wb") as file:
                yield file
            return
        with _replacing(os.path.realpath(path)) as file:
            yield file
    except OSError as error:
        raise LomtreeError(f"{path}: cannot be written ({error.strerror or error})") from None


@contextlib.contextmanager
def _replacing(path: str) -> Iterator[BinaryIO]:
    import tempfile  # not for those who only read

    folder, name = os.path.split(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name[:40]}.", suffix=".part", dir=folder)
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode_for(path))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _mode_for(path: str) -> int:
    """The permissions of the file that is replaced, or those any new file gets."""
    with contextlib.suppress(OSError):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
