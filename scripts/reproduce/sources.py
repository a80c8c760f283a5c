"""The files of a set: on this machine, or from the first of its mirrors that has them all."""

import gzip
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

from scripts.reproduce.builders import BUILDERS
from scripts.reproduce.catalog import Dataset
from scripts.reproduce.download import Checksums, DownloadError, digest, download

INDEX = "pypi:"  # a package of the index that pip uses, as pypi:name==version


class NotAvailableError(Exception):
    """Why a set cannot be had."""


class Found(NamedTuple):
    """One file with all rows, or one to train with and one to test."""

    paths: list[Path]
    layout: str  # what their lines are, if not the set's format already
    come_from: str


def find(dataset: Dataset, into: Path, mirror: Path | None) -> Found:
    """NotAvailableError says what was tried."""
    if paths := mirrored(dataset, mirror):
        return Found(paths, "", "from LOMTREE_DATA")
    if dataset.paths:
        for path in dataset.paths:
            if not path.is_file():
                raise NotAvailableError(f"{path} is no file")
        return Found(dataset.paths, dataset.facts.get("layout", ""), f"from {dataset.source}")
    return fetched_from_mirrors(dataset, into)


def mirrored(dataset: Dataset, mirror: Path | None) -> list[Path]:
    """The training and the test part of a local folder; nothing if it does not have both."""
    if mirror is None:
        return []
    found = []
    for part in ("train", "test"):
        names = [f"{part}.{dataset.suffix}{packed}" for packed in (".gz", ".bz2", ".xz", "")]
        paths = [mirror / dataset.name / name for name in names]
        found += [path for path in paths if path.exists()][:1]
    return found if len(found) == 2 else []


def fetched_from_mirrors(dataset: Dataset, into: Path) -> Found:
    if not dataset.mirrors:
        raise NotAvailableError(dataset.source)
    reasons = []
    folder, sums = into / dataset.name / "fetched", Checksums(into / "checksums.json")
    for one in dataset.mirrors:
        layout = one.get("layout", dataset.facts.get("layout", ""))
        try:
            paths = [file_of(address, dataset, folder, sums) for address in one["urls"]]
            if builder := dataset.facts.get("builder"):
                paths = built(builder, dataset, paths[0], folder, sums)
            return Found(paths, layout, f"from {one['urls'][0].partition('#')[0]}")
        except (DownloadError, zipfile.BadZipFile, KeyError, OSError) as error:
            reasons.append(str(error))
    raise NotAvailableError("; ".join(reasons))


def file_of(address: str, dataset: Dataset, folder: Path, sums: Checksums) -> Path:
    """What an address stands for; unzipped, if it asks for a member."""
    url, _, member = address.partition("#")
    name = url.rsplit("/", 1)[-1].removeprefix(INDEX)
    given, noted = dataset.facts.get("sha256", {}).get(name, ""), f"{dataset.name}/{name}"
    expected = given or sums.known(noted)
    path = folder / name
    if url.startswith(INDEX):
        path = from_index(url.removeprefix(INDEX), folder, given)
    else:
        was_there = path.exists()
        download(url, path, expected)
        if was_there and expected and not dataset.large and (found := digest(path)) != expected:
            path.unlink()
            raise DownloadError(f"{path}: its SHA-256 was {found}, not {expected}; fetch it again")
    if not expected:
        sums.record(noted, digest(path))
    if not member:
        return path
    with zipfile.ZipFile(path) as archive:
        return Path(archive.extract(member, folder))


def from_index(package: str, folder: Path, sha256: str) -> Path:
    """A wheel from the index that pip is set up to use; nothing of it is installed or run."""
    folder.mkdir(parents=True, exist_ok=True)
    name, _, version = package.partition("==")

    def there() -> list[Path]:
        return sorted(folder.glob(f"{name}-{version}-*.whl"))

    if not there():
        asked = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", folder]
        words = [sys.executable, "-m", "pip", *map(str, asked), package]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode or not there():
            said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            raise DownloadError(f"pip download {package}: {said}")
    path = there()[0]
    if sha256 and (found := digest(path)) != sha256:
        path.unlink()
        raise DownloadError(f"{package}: its SHA-256 is {found}, not {sha256}")
    return path


def built(
    builder: str, dataset: Dataset, source: Path, folder: Path, sums: Checksums
) -> list[Path]:
    """The training and the test part that a builder makes of the file that was fetched. They must
    have the catalog's checksums or, where it has none, those of the first time."""
    paths = [folder / f"{part}.{dataset.suffix}.gz" for part in ("train", "test")]
    try:
        BUILDERS[builder].build(source, *paths)
    except ValueError as error:
        raise DownloadError(f"{source.name}: {error}") from None
    for path in paths:
        part = path.name.partition(".")[0]
        found, noted = text_digest(path), f"{dataset.name}, {part} part as built"
        expected = dataset.facts.get("made", {}).get(part) or sums.known(noted)
        if not expected:
            sums.record(noted, found)
        elif found != expected:
            raise DownloadError(
                f"its {part} part, as built, has the SHA-256 {found}, not {expected}"
            )
    return paths


def text_digest(path: Path) -> str:
    """Of what is packed: other versions of zlib pack it into other bytes."""
    found = hashlib.sha256()
    with gzip.open(path, "rb") as file:
        while piece := file.read(1 << 20):
            found.update(piece)
    return found.hexdigest()
