"""No command may write onto what it reads."""

import contextlib
import os
import stat
from collections.abc import Iterable

from lomtree.core.errors import LomtreeError, OptionError
from lomtree.system.atomic_file import STANDARD

Named = tuple[str, str | None]  # what it is for a person, and its path; None: it is not used


class _File:
    """What a path leads to: a regular file, or where one will be."""

    def __init__(self, name: str, path: str, stream: int) -> None:
        self.shown = f"{name} {path}" if path != STANDARD else name
        self._path = path
        self._status: os.stat_result | None = None
        with contextlib.suppress(OSError, ValueError):  # it does not exist yet, or never can
            self._status = os.fstat(stream) if path == STANDARD else os.stat(path)

    @property
    def may_be_lost(self) -> bool:
        """Devices and pipes hold nothing that could be overwritten."""
        if self._status is None:
            return self._path != STANDARD
        return stat.S_ISREG(self._status.st_mode)

    @property
    def identity(self) -> tuple:
        """The same for a file under another name, or through a link or a redirection."""
        if self._status is not None:
            return self._status.st_dev, self._status.st_ino
        return (os.path.realpath(self._path),)


def _files(named: Iterable[Named], stream: int) -> list[_File]:
    files = [_File(name, path, stream) for name, path in named if path is not None]
    return [file for file in files if file.may_be_lost]


def refuse_existing(path: str) -> None:
    """LomtreeError if there is a file that is not empty: the last of `*.csv`, say."""
    with contextlib.suppress(OSError):
        found = os.stat(path)
        if path != STANDARD and stat.S_ISREG(found.st_mode) and found.st_size:
            raise LomtreeError(f"{path}: is there already, and would be lost; remove it first")


def refuse_overwriting(outputs: Iterable[Named], inputs: Iterable[Named]) -> None:
    """OptionError if one of the files to be written is one to be read, or is there twice. As a
    path, '-' is standard output or standard input."""
    read = {file.identity: file for file in _files(inputs, stream=0)}
    written: dict[tuple, _File] = {}
    for output in _files(outputs, stream=1):
        if output.identity in read:
            raise OptionError(f"{output.shown} would overwrite {read[output.identity].shown}")
        if output.identity in written:
            other = written[output.identity]
            raise OptionError(f"{other.shown} and {output.shown} are the same file")
        written[output.identity] = output
