"""Finished shards in a folder that the workers share: a second run goes on from them."""

import contextlib
import hashlib
import json
import os
from dataclasses import asdict
from typing import Any, NamedTuple

from lomtree import __version__
from lomtree.cluster.chunks import filesystem_of, is_remote, size_of
from lomtree.core.errors import LomtreeError, ModelError
from lomtree.core.options import Options
from lomtree.storage.container import read_arrays
from lomtree.system.atomic_file import open_to_replace


def run_of(options: Options, passes: int, sample: int, shards: int, data: Any) -> str:
    """What tells a run from others: a digest of all that its result depends on."""
    said = [__version__, asdict(options), passes, sample, shards, data]
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()[:16]


def data_of(paths: list[str]) -> list[Any]:
    """Files as they are now: whatever their system can tell of a change."""
    return [[path, size_of(path), *_state_of(path)] for path in paths]


def _state_of(path: str) -> list[Any]:
    if not is_remote(path):
        status = os.stat(path)
        return [status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
    system, own = filesystem_of(path)
    return [system.ukey(own)]


class Scratch(NamedTuple):
    folder: str
    run: str

    def _path(self, number: tuple[int, ...]) -> str:
        name = "shard-" + "-".join(map(str, number)) + ".lom"
        return f"{self.folder.rstrip('/')}/{self.run}/{name}"

    def keep(self, number: tuple[int, ...], shard: bytes) -> None:
        """Whole or not at all."""
        path = self._path(number)
        if not is_remote(path):
            with _blaming(self.folder):
                os.makedirs(os.path.dirname(path), exist_ok=True)
            with open_to_replace(path) as file:
                file.write(shard)
            return
        with _blaming(self.folder):
            system, own = filesystem_of(path)
            system.pipe_file(own, shard)

    def find(self, number: tuple[int, ...]) -> bytes | None:
        """What an earlier run has kept, if it is whole."""
        path = self._path(number)
        with contextlib.suppress(OSError, ModelError):
            if is_remote(path):
                system, own = filesystem_of(path)
                return bytes(system.cat_file(own))
            read_arrays(path, lambda _name: True, lambda _name: False)
            with open(path, "rb") as file:
                return file.read()
        return None


@contextlib.contextmanager
def _blaming(folder: str) -> Any:
    try:
        yield
    except OSError as error:
        raise LomtreeError(
            f"{folder}: shards cannot be kept there ({error.strerror or error})"
        ) from None
