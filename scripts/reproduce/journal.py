"""Results as they come: one JSON object a line, so that a killed run goes on where it was."""

import json
import os
from pathlib import Path
from typing import Any


class Journal:
    """A file of rows. A last line without its end was being written when the run was killed: it
    is not a row, and the next row takes its place."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)

    def rows(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        whole, _, _ = self._path.read_bytes().rpartition(b"\n")
        return [json.loads(line) for line in whole.splitlines()]

    def add(self, row: dict[str, Any]) -> None:
        """The row is on the disk when this returns."""
        with self._path.open("ab+") as file:
            self._drop_unfinished(file)
            file.write(json.dumps(row).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    @staticmethod
    def _drop_unfinished(file) -> None:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return
        file.seek(size - 1)
        if file.read(1) != b"\n":
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
