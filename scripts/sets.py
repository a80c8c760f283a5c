"""Where a set's train and test files are: in the folder that LOMTREE_DATA names, or where
`python -m scripts.reproduce.fetch` has built it."""

import os
from pathlib import Path

FETCHED = Path("build/reproduce/data")


def data_folder() -> Path:
    return Path(os.environ.get("LOMTREE_DATA") or "data")


def folder_of(name: str, fetched: Path = FETCHED) -> Path | None:
    """Nothing if it is in neither."""
    for folder in (data_folder() / name, fetched / name / "fetched"):
        if all(any(folder.glob(f"{part}.*.gz")) for part in ("train", "test")):
            return folder
    return None
