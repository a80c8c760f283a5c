"""The data sets of datasets.toml, and where their parts lie once they are fetched."""

import json
import os
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from scripts.command import MistakeError
from scripts.reproduce.counts import Counts, count
from scripts.reproduce.entries import FORMATS, listed, problem_of

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; comes with the extra `plots`, and with pytest
    import tomli as tomllib  # type: ignore

CATALOG = Path(__file__).parents[2] / "datasets.toml"
SOURCES = ("source", "path", "url")
PARTS = ("train", "validation", "test")


class CatalogError(MistakeError):
    """What is wrong with the file."""


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
    def format(self) -> str:
        return self.facts["format"]

    @property
    def suffix(self) -> str:
        return self.facts.get("suffix") or FORMATS[self.format]

    @property
    def source(self) -> str:
        """Where it is from, for people."""
        said = (self.facts[key] for key in SOURCES if key in self.facts)
        return ", ".join(listed(next(said, "its mirrors")))

    @property
    def mirrors(self) -> list[dict[str, Any]]:
        """What to try, one after the other: `urls`, and `layout` where lines are something else."""
        if "url" in self.facts:
            return [{"urls": listed(self.facts["url"])}]
        return self.facts.get("mirrors", [])

    @property
    def paths(self) -> list[Path]:
        """Files that are on this machine: one, or one to train with and one to test."""
        return [Path(path).expanduser() for path in listed(self.facts.get("path", []))]

    @property
    def large(self) -> bool:
        """Whether it must be asked for by its name."""
        return self.facts.get("large", False)

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

    def counts(self, folder: Path) -> Counts:
        """Counted once, then noted beside the parts; as published, where a set is large."""
        if self.large:
            return Counts(*(self.facts[name] for name in Counts._fields))
        note, data = folder / self.label / "counts.json", self.fingerprint(folder)
        try:
            noted = json.loads(note.read_text(encoding="utf-8"))
            if noted["data"] == data:
                return Counts(*noted["counts"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # there is none, or a kill left half of it
        found = count([self.part(folder, part) for part in PARTS], self.format)
        note.write_text(json.dumps({"data": data, "counts": found}) + "\n", encoding="utf-8")
        return found

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
    """CatalogError, which says where, if the file is not what it should be."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CatalogError(f"{path}: {(error.strerror or str(error)).lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"{path} is no TOML: {error}") from None
    for name, facts in entries.items():
        if wrong := problem_of(name, facts):
            raise CatalogError(f"{path}: [{name}] {wrong}")
    return {name: Dataset(name, facts) for name, facts in entries.items()}


def chosen(catalog: dict[str, Dataset], names: list[str]) -> list[Dataset]:
    """The sets of these names; without names all. CatalogError tells which there are not."""
    if unknown := sorted(set(names) - set(catalog)):
        raise CatalogError(f"no set is called {', '.join(unknown)}; there are {', '.join(catalog)}")
    return [catalog[name] for name in names or catalog]


def fetched(catalog: dict[str, Dataset], names: list[str], folder: Path) -> list[Dataset]:
    """The splits of these sets, or of all, that are there."""
    splits = [split for one in chosen(catalog, names) for split in one.splits]
    return [split for split in splits if split.is_in(folder)]
