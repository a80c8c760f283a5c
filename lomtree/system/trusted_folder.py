"""Folders whose files may be executed: nobody but the user, and root, can have written them.

A path may lead elsewhere a moment after it was checked. So a folder is opened first, without
following a link, and what was opened is checked; from then on it is its descriptor that counts, and
its files are opened, checked and written through that. Every run comes by here, so it does without
pathlib and tempfile, which take time to import.
"""

import contextlib
import os
import stat

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without waiting: a named pipe in place of a file would wait for a writer.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK_FILE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class UntrustedError(OSError):
    """Somebody else could have written what is there."""


class TrustedFolder(contextlib.AbstractContextManager):
    """OSError wherever something cannot be done, or cannot be trusted."""

    def __init__(self, path: str, parent: int | None = None, make: bool = False) -> None:
        """`path` is absolute, or a name in the folder with the descriptor `parent`; `make` creates
        the folder if need be."""
        if make:
            with contextlib.suppress(FileExistsError):
                os.mkdir(path, 0o700, dir_fd=parent)
        self._descriptor = os.open(path, _OPEN_FOLDER, dir_fd=parent)
        try:
            _check(os.fstat(self._descriptor))
        except OSError:
            os.close(self._descriptor)
            raise

    def __exit__(self, *_error: object) -> None:
        os.close(self._descriptor)

    def folder(self, name: str, make: bool = False) -> "TrustedFolder":
        return TrustedFolder(name, self._descriptor, make)

    def read(self, name: str) -> bytes:
        with open(os.open(name, _OPEN_FILE, dir_fd=self._descriptor), "rb") as file:
            _check_file(os.fstat(file.fileno()))
            return file.read()

    def write(self, name: str, text: bytes) -> None:
        """Another process may be reading or writing the same file."""
        temporary = f"{name}.{os.urandom(8).hex()}.new"
        try:
            descriptor = os.open(temporary, _NEW_FILE, 0o600, dir_fd=self._descriptor)
            with open(descriptor, "wb") as file:
                file.write(text)
            os.replace(temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except BaseException:  # a signal as well
            self.remove(temporary)
            raise

    def open_lock(self, name: str) -> int:
        """The descriptor of a file to be locked, which is made if need be."""
        descriptor = os.open(name, _LOCK_FILE, 0o600, dir_fd=self._descriptor)
        try:
            _check_file(os.fstat(descriptor))
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def remove(self, name: str) -> None:
        """Remove a file, if it is there and can be removed."""
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove a folder of files, if that can be done."""
        with contextlib.suppress(OSError):
            with self.folder(name) as folder:
                for file in os.listdir(folder._descriptor):
                    folder.remove(file)
            os.rmdir(name, dir_fd=self._descriptor)

    def newest_first(self) -> list[str]:
        """The names of what is in it."""
        with contextlib.suppress(OSError), os.scandir(self._descriptor) as entries:
            found = [(entry.stat(follow_symlinks=False).st_mtime, entry.name) for entry in entries]
            return [name for _time, name in sorted(found, reverse=True)]
        return []


def _check(found: os.stat_result) -> None:
    if found.st_uid not in (0, os.geteuid()) or found.st_mode & _WRITABLE_BY_OTHERS:
        raise UntrustedError("others could have written it")


def _check_file(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UntrustedError("it is not a file")
    _check(found)


def is_safe_parent(path: str) -> bool:
    """Whether others cannot rename what the user makes in this folder."""
    with contextlib.suppress(OSError):
        found = os.stat(path)
        sticky = found.st_mode & stat.S_ISVTX
        return found.st_uid in (0, os.geteuid()) and bool(
            sticky or not found.st_mode & _WRITABLE_BY_OTHERS
        )
    return False
