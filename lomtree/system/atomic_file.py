"""Files that are there whole or not at all."""

import contextlib
import os
import re
import stat
import time
from collections.abc import Iterator
from typing import BinaryIO

from lomtree.core.errors import LomtreeError

_DESCRIPTORS = "/proc/self/fd"
_OLD = 3600  # seconds
_SUFFIX = ".lomtree.part"
STANDARD = "-"  # as a path: standard input or output


def check_writable(path: str) -> None:
    """Find out before hours of work that a file cannot be written there."""
    if path == STANDARD:
        return
    folder = os.path.dirname(os.path.realpath(path))
    if not path:
        raise LomtreeError("the name of the file to write is empty")
    if os.path.isdir(path):
        raise LomtreeError(f"{path}: is a directory, not a file")
    if not os.path.isdir(folder):
        raise LomtreeError(f"{path}: its folder does not exist")
    if not os.access(folder, os.W_OK) and not is_special(path):
        raise LomtreeError(f"{path}: no permission to write there")


def is_special(path: str) -> bool:
    """Whether it is a device, a pipe or standard output: written to, never replaced."""
    if path == STANDARD:
        return True
    return os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)


@contextlib.contextmanager
def open_to_replace(path: str) -> Iterator[BinaryIO]:
    """Open a temporary file that takes the place of `path` when the block ends well.

    If it does not, `path` is as it was and nothing else is left, even after a kill -9 where the
    system has files without a name. (Only between getting a first name and taking the place of
    `path`, which is an instant, a whole copy can be left; later writes remove it.) What is there in
    the end is on the disk, power cut or not.
    """
    try:
        if is_special(path):
            with open(os.dup(1) if path == STANDARD else path, "wb") as file:
                yield file
            return
        with _replacing(os.path.realpath(path)) as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        name = "standard output" if path == STANDARD else path
        raise LomtreeError(f"{name}: cannot be written ({error.strerror or error})") from None


@contextlib.contextmanager
def _replacing(path: str) -> Iterator[BinaryIO]:
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f"{_prefix(name)}{os.urandom(8).hex()}{_SUFFIX}")
    _remove_left_behind(folder, name)
    try:
        descriptor, named = _open_temporary(folder, temporary)
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fchmod(descriptor, _mode_for(path))
            os.fsync(descriptor)
            if not named:
                # With a folder's descriptor Python follows the link to the file itself.
                os.link(f"{_DESCRIPTORS}/{descriptor}", temporary, src_dir_fd=descriptor)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _remove_left_behind(folder: str, name: str) -> None:
    """What a killed process of this program and user may have left; a young file may be somebody's
    who still writes."""
    made_here = re.compile(re.escape(_prefix(name)) + "[0-9a-f]{16}" + re.escape(_SUFFIX))
    with contextlib.suppress(OSError):
        for found in filter(made_here.fullmatch, os.listdir(folder)):
            path = os.path.join(folder, found)
            status = os.lstat(path)
            own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
            if own and time.time() - status.st_mtime > _OLD:
                os.unlink(path)


def _prefix(name: str) -> str:
    return f".{name[:40]}."


def _open_temporary(folder: str, path: str) -> tuple[int, bool]:
    """A new file of this user's: one without a name in the folder, if there are such, else `path`;
    tells whether it has the name. What was written can be read again before it gets its name."""
    unnamed = getattr(os, "O_TMPFILE", 0)
    if unnamed and os.path.isdir(_DESCRIPTORS):
        with contextlib.suppress(OSError):
            return os.open(folder, unnamed | os.O_RDWR | os.O_CLOEXEC, 0o600), False
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), True


def _sync_folder(folder: str) -> None:
    """The new name has to reach the disk, too; not every system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _mode_for(path: str) -> int:
    """The permissions of the file that is replaced, or those any new file gets."""
    with contextlib.suppress(OSError):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
