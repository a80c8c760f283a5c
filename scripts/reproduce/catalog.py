"""The data sets of datasets.toml, and where their parts lie once they are fetched."""

import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; comes with the extra `plots`, and with pytest
    import tomli as tomllib  # type: ignore

CATALOG = Path(__file__).parents[2] / "datasets.toml"
PARTS = ("train", "validation", "test")


class Dataset(NamedTuple):
    """One entry; `facts` is all that the file says of it. A small set is split in several ways,
    whose test parts have no row in common: the errors of one would say too little."""

    name: str
    facts: dict[str, Any]
    split: int = 0

    @property
    def splits(self) -> list["Dataset"]:
        return [self._replace(split=number) for number in range(self.facts.get("splits", 1))]

    @property
    def label(self) -> str:
        """The name of a split: of its folder, and in results."""
        return f"{self.name}.{self.split}" if len(self.splits) > 1 else self.name

    @property
    def suffix(self) -> str:
        return self.facts["suffix"]

    @property
    def urls(self) -> list[str]:
        return self.facts.get("urls", [])

    @property
    def pool(self) -> bool:
        return self.facts.get("pool", False)

    @property
    def paper(self) -> dict[str, Any]:
        """What the paper's tables say; empty for sets that it does not have."""
        return self.facts.get("paper", {})

    def part(self, folder: Path, part: str) -> Path:
        return folder / self.label / f"{part}.{self.suffix}.gz"

    def is_in(self, folder: Path) -> bool:
        return all(self.part(folder, part).exists() for part in PARTS)

    def fingerprint(self, folder: Path) -> str:
        """Of the parts' content, so that results of other data are not taken for this one's: gzip
        has a checksum and the size at the end of a file."""
        checksum = 0
        for part in PARTS:
            with self.part(folder, part).open("rb") as file:
                file.seek(-8, os.SEEK_END)
                checksum = zlib.crc32(file.read(), checksum)
        return f"{checksum:08x}"


def read_catalog(path: Path = CATALOG) -> dict[str, Dataset]:
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: Dataset(name, facts) for name, facts in entries.items()}


def fetched(catalog: dict[str, Dataset], names: list[str], folder: Path) -> list[Dataset]:
    """The splits of these sets, or of all, that are there."""
    splits = [one for name in names or catalog for one in catalog[name].splits]
    return [one for one in splits if one.is_in(folder)]
