"""What the parts of a set were made of, noted beside them: parts of another seed, or of files that
have changed since, are made anew."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scripts.reproduce.download import digest


def origin_of(sources: Iterable[Path], **drawn: Any) -> dict[str, Any]:
    """The content of the files, in their order, and how rows are drawn from them."""
    return {**drawn, "sha256": [digest(path) for path in sources]}


def read_origin(note: Path) -> dict[str, Any]:
    """Empty if there is no note, or none that can be read."""
    try:
        return json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def write_origin(note: Path, origin: dict[str, Any]) -> None:
    note.write_text(json.dumps(origin) + "\n", encoding="utf-8")
