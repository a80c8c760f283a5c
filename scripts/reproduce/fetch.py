"""Fetch the data sets of datasets.toml and split them as the paper does.

    python -m scripts.reproduce.fetch [SET ...] [--into build/reproduce/data] [--seed 0]
                            [--catalog datasets.toml]

The folder named by LOMTREE_DATA is looked at first, then the web, one mirror after the other. A
transfer that was cut goes on where it was. Checksums are noted when a file first comes, in
checksums.json, and checked from then on. Large sets come only if they are asked for by name.

Rows of sets that the paper pools are shuffled by the seed and a tenth becomes the test part; others
keep their own. A tenth of the training part is for validation. Small sets are split several times:
<set>.0, <set>.1 and so on take one tenth after the other for testing. Leaves
<set>/{train,validation,test}.<suffix>.gz, and in <set>/origin.json what they were made of: they
stay while the seed and the files are the same. What cannot be had is told, and is no error: the
tables leave it out.
"""

import bz2
import contextlib
import gzip
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from lomtree.core.errors import DataError
from scripts.command import MistakeError, parser_of, run_script
from scripts.reproduce.catalog import CATALOG, PARTS, Dataset, chosen, read_catalog
from scripts.reproduce.counts import Counts
from scripts.reproduce.origin import origin_of, read_origin, write_origin
from scripts.reproduce.sources import NotAvailableError, find, mirrored

SHARE = 10  # one of so many rows is for testing, and one of so many others for validation
PACKING = 1  # gzip's fastest: parts are not kept for long
_OPENERS: dict[str, Callable] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


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
    try:
        with _OPENERS.get(path.suffix, open)(path, "rb") as file:
            for line in file:
                yield line if line.endswith(b"\n") else line + b"\n"
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise NotAvailableError(f"{path} cannot be read: {error}") from None


def as_libsvm(line: bytes) -> bytes:
    """A row of comma-separated values whose last is the label, as UCI has it."""
    *values, label = (word.strip() for word in line.split(b","))
    pairs = (b"%d:%b" % (index, value) for index, value in enumerate(values, 1) if float(value))
    return b"%d %b\n" % (int(float(label)), b" ".join(pairs))


def rows_of(paths: Iterable[Path], layout: str) -> Iterator[bytes]:
    for path in paths:
        for line in lines_of(path):
            if line.strip():
                yield as_libsvm(line) if layout == "csv-label-last" else line


@contextlib.contextmanager
def new_parts(dataset: Dataset, into: Path) -> Iterator[dict[str, BinaryIO]]:
    """Files for the three parts, in their places only when all of them are whole and have rows."""
    (into / dataset.label).mkdir(parents=True, exist_ok=True)
    targets = {part: dataset.part(into, part) for part in PARTS}
    unfinished = {part: path.with_name(path.name + ".part") for part, path in targets.items()}
    with contextlib.ExitStack() as stack:
        raw = {part: stack.enter_context(path.open("wb")) for part, path in unfinished.items()}
        yield {
            part: stack.enter_context(gzip.GzipFile("", "wb", PACKING, file, mtime=0))  # type: ignore
            for part, file in raw.items()
        }
    for path in unfinished.values():
        with gzip.open(path) as file:
            if not file.read(1):
                raise NotAvailableError(
                    "it has too few rows: some are to train with, a tenth to test, and a tenth of "
                    "the others to choose settings"
                )
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
    local = dataset.paths or mirrored(dataset, mirror)
    if not local and drawn.items() <= noted.items():
        return "is there already"  # the web is not asked again
    found = find(dataset, into, mirror)
    origin = origin_of(found.paths, **drawn)
    if origin == noted:
        return "is there already"
    note.unlink(missing_ok=True)  # killed before all parts are new, they are made again
    make_parts(dataset, into, found.paths, found.layout, seed)
    write_origin(note, origin)
    return found.come_from


def make_parts(dataset: Dataset, into: Path, paths: list[Path], layout: str, seed: int) -> None:
    with new_parts(dataset, into) as parts:
        if dataset.pool or len(paths) == 1:
            split_pooled(list(rows_of(paths, layout)), seed, dataset.split, parts)
        else:
            train, test = ([path] for path in paths)
            split_training(rows_of(train, layout), rows_of(test, layout), seed, parts)


def tell(name: str, text: str) -> None:
    print(f"{name:12} {text}", file=sys.stderr, flush=True)


def announce(dataset: Dataset) -> None:
    """What a large set takes, before it is fetched."""
    facts = {name: dataset.facts.get(name, "not known") for name in ("download", "disk", "time")}
    tell(
        dataset.name,
        "is large: to download {download}, disk {disk}, time {time}; "
        "interrupted, the same command goes on".format(**facts),
    )


def fetch_splits(dataset: Dataset, into: Path, mirror: Path | None, seed: int) -> None:
    for one in dataset.splits:
        come_from = fetch(one, into, mirror, seed)
        counts = counts_of(one, into)
        words = "{features:,} features, {examples:,} examples, {classes:,} classes"
        tell(one.label, f"{come_from}: {words.format(**counts._asdict())}")


def counts_of(dataset: Dataset, folder: Path) -> Counts:
    """MistakeError where a row is not of the format: which line of which part that is, tells
    nothing to somebody who never saw the parts."""
    try:
        return dataset.counts(folder)
    except DataError as error:
        wrong = re.sub(r"^.*?:\d+(:\d+)?: ", "", str(error))
        raise MistakeError(
            f"{dataset.name}: a row of {dataset.source} is not {dataset.format}: {wrong}"
        ) from None


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help="[default: all but the large ones]")
    parser.add_argument("--into", type=Path, default=Path("build/reproduce/data"), metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--catalog", type=Path, default=CATALOG, metavar="FILE")
    given = parser.parse_args()
    catalog = read_catalog(given.catalog)
    mirror = Path(os.environ["LOMTREE_DATA"]) if os.environ.get("LOMTREE_DATA") else None
    wanted = [one for one in chosen(catalog, given.sets) if given.sets or not one.large]
    if not wanted:
        lack = "large sets alone: name those that you want" if catalog else "no sets"
        raise MistakeError(f"{given.catalog} has {lack}")
    for one in wanted:
        if one.large:
            announce(one)
        try:
            fetch_splits(one, given.into, mirror, given.seed)
        except NotAvailableError as reason:
            tell(one.name, f"data not available: {reason}")
    if not any(split.is_in(given.into) for one in wanted for split in one.splits):
        raise MistakeError("none of these sets is there, so there is nothing to do")


if __name__ == "__main__":
    run_script(main)
