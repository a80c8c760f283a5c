"""Fetch the data sets of datasets.toml and split them as the paper does.

    python -m scripts.reproduce.fetch [SET ...] [--into build/reproduce/data] [--seed 0]

The folder named by LOMTREE_DATA is looked at first, then the web. Rows of sets that the paper pools
are shuffled by the seed and a tenth becomes the test part; others keep their own. A tenth of the
training part is for validation. Small sets are split several times: <set>.0, <set>.1 and so on take
one tenth after the other for testing. Leaves <set>/{train,validation,test}.<suffix>.gz, and in
<set>/origin.json what they were made of: they stay while the seed and the files are the same. What
cannot be had is told, and is no error: the tables leave it out.
"""

import bz2
import contextlib
import gzip
import lzma
import os
import random
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from scripts.command import parser_of, run_script
from scripts.reproduce.catalog import PARTS, Dataset, read_catalog
from scripts.reproduce.download import DownloadError, download
from scripts.reproduce.origin import origin_of, read_origin, write_origin

SHARE = 10  # one of so many rows is for testing, and one of so many others for validation
PACKING = 1  # gzip's fastest: parts are not kept for long
_OPENERS: dict[str, Callable] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


class NotAvailableError(Exception):
    """Why a set cannot be had."""


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines of a file, unpacked as its name asks for."""
    if path.suffix == ".Z":  # Python has no LZW; gzip has
        if shutil.which("gzip") is None:
            raise NotAvailableError(f"{path.name} needs the program gzip")
        with subprocess.Popen(["gzip", "-dc"], stdin=path.open("rb"), stdout=subprocess.PIPE) as it:
            assert it.stdout is not None
            yield from it.stdout
        if it.returncode:
            raise NotAvailableError(f"{path}: gzip cannot unpack it")
        return
    with _OPENERS.get(path.suffix, open)(path, "rb") as file:
        for line in file:
            yield line if line.endswith(b"\n") else line + b"\n"


def as_libsvm(line: bytes) -> bytes:
    """A row of comma-separated values whose last is the label, as UCI has it."""
    *values, label = (word.strip() for word in line.split(b","))
    pairs = (b"%d:%b" % (index, value) for index, value in enumerate(values, 1) if float(value))
    return b"%d %b\n" % (int(float(label)), b" ".join(pairs))


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


def downloaded(dataset: Dataset, into: Path) -> list[Path]:
    """The files of a set's addresses, unzipped where an address asks for a member."""
    if not dataset.urls:
        raise NotAvailableError(dataset.facts.get("source", "it has no address"))
    paths = []
    for address in dataset.urls:
        url, _, member = address.partition("#")
        path = into / url.rsplit("/", 1)[1]
        sums = dataset.facts.get("sha256", {})
        try:
            download(url, path, sums.get(path.name, ""))
            if member:
                with zipfile.ZipFile(path) as archive:
                    path = Path(archive.extract(member, into))
        except (DownloadError, zipfile.BadZipFile, KeyError, OSError) as error:
            raise NotAvailableError(str(error)) from None
        paths.append(path)
    return paths


def rows_of(paths: Iterable[Path], layout: str) -> Iterator[bytes]:
    for path in paths:
        for line in lines_of(path):
            if line.strip():
                yield as_libsvm(line) if layout == "csv-label-last" else line


@contextlib.contextmanager
def new_parts(dataset: Dataset, into: Path) -> Iterator[dict[str, BinaryIO]]:
    """Files for the three parts, in their places only when all of them are whole."""
    (into / dataset.label).mkdir(parents=True, exist_ok=True)
    targets = {part: dataset.part(into, part) for part in PARTS}
    unfinished = {part: path.with_name(path.name + ".part") for part, path in targets.items()}
    with contextlib.ExitStack() as stack:
        raw = {part: stack.enter_context(path.open("wb")) for part, path in unfinished.items()}
        yield {
            part: stack.enter_context(gzip.GzipFile("", "wb", PACKING, file, mtime=0))  # type: ignore
            for part, file in raw.items()
        }
    for part, path in targets.items():
        unfinished[part].replace(path)


def split_pooled(rows: list[bytes], seed: int, split: int, parts: dict[str, BinaryIO]) -> None:
    """All rows in an order drawn by the seed: exactly a tenth for testing, the first one for the
    first split, and a tenth of the rest for validation."""
    random.Random(seed).shuffle(rows)
    test = len(rows) // SHARE
    rows = rows[split * test :] + rows[: split * test]
    validation = test + (len(rows) - test) // SHARE
    parts["test"].writelines(rows[:test])
    parts["validation"].writelines(rows[test:validation])
    parts["train"].writelines(rows[validation:])


def split_training(
    train: Iterable[bytes], test: Iterable[bytes], seed: int, parts: dict[str, BinaryIO]
) -> None:
    """In one go, so that files of any size will do: each row is drawn for itself."""
    draw = random.Random(seed)
    for row in train:
        parts["validation" if draw.random() * SHARE < 1 else "train"].write(row)
    parts["test"].writelines(test)


def fetch(dataset: Dataset, into: Path, mirror: Path | None, seed: int) -> str:
    """Make a set's parts; where they come from. NotAvailableError says why there are none."""
    note = into / dataset.label / "origin.json"
    noted = read_origin(note) if dataset.is_in(into) else {}
    drawn = {"seed": seed, "pool": dataset.pool}
    paths, layout = mirrored(dataset, mirror), ""
    come_from = "from LOMTREE_DATA"
    if not paths and drawn.items() <= noted.items():
        return "is there already"  # the web is not asked again
    if not paths:
        paths = downloaded(dataset, into / dataset.name / "fetched")
        layout = dataset.facts.get("layout", "")
        come_from = f"from {dataset.facts['source']}"
    origin = origin_of(paths, **drawn)
    if origin == noted:
        return "is there already"
    note.unlink(missing_ok=True)  # killed before all parts are new, they are made again
    make_parts(dataset, into, paths, layout, seed)
    write_origin(note, origin)
    return come_from


def make_parts(dataset: Dataset, into: Path, paths: list[Path], layout: str, seed: int) -> None:
    with new_parts(dataset, into) as parts:
        if dataset.pool or len(paths) == 1:
            split_pooled(list(rows_of(paths, layout)), seed, dataset.split, parts)
        else:
            train, test = ([path] for path in paths)
            split_training(rows_of(train, layout), rows_of(test, layout), seed, parts)


def tell(name: str, text: str) -> None:
    print(f"{name:12} {text}", file=sys.stderr, flush=True)


def main() -> None:
    parser = parser_of(__doc__)
    catalog = read_catalog()
    parser.add_argument("sets", nargs="*", metavar="SET", help="[default: all]")
    parser.add_argument("--into", type=Path, default=Path("build/reproduce/data"), metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if unknown := set(given.sets) - set(catalog):
        parser.error(f"not in datasets.toml: {', '.join(sorted(unknown))}")
    mirror = Path(os.environ["LOMTREE_DATA"]) if os.environ.get("LOMTREE_DATA") else None
    for name in given.sets or catalog:
        try:
            for one in catalog[name].splits:
                tell(one.label, fetch(one, given.into, mirror, given.seed))
        except NotAvailableError as reason:
            tell(name, f"data not available: {reason}")


if __name__ == "__main__":
    run_script(main)
