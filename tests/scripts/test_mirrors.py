"""Every address of datasets.toml, with a server on this machine in its place: what is there, in the
form that is published, becomes the parts of the set."""

import bz2
import gzip
import io
import json
import zipfile

import pytest

from scripts.reproduce.catalog import Dataset, read_catalog
from scripts.reproduce.counts import count
from scripts.reproduce.fetch import fetch
from scripts.reproduce.sources import INDEX, NotAvailableError

MIRRORS = [
    (name, number)
    for name, dataset in read_catalog().items()
    for number, mirror in enumerate(dataset.mirrors)
    if not mirror["urls"][0].startswith(INDEX)
]
LIBSVM = b"".join(b"%d 1:0.5 %d:1\n" % (row % 3, row % 5 + 2) for row in range(60))
VW = b"".join(b"%d |f a:0.5 b%d\n" % (row % 3, row % 5) for row in range(60))
COMMAS = b"".join(b"0.5, %d.0, -1, %d.\n" % (row % 5 + 1, row % 3) for row in range(60))
INTENTS = {part: [["pay my bill", "bills"], ["hi you", "hi"]] * 20 for part in ("train", "test")}
HISTOGRAMS = "".join(f"{' '.join(['0.5'] * 27)} {1 + row % 2} Inlier\n" for row in range(200))


def zipped(*members: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for member in members:
            archive.writestr(member, gzip.compress(COMMAS))  # gzip takes it for a .Z, too
    return file.getvalue()


def published(file: str) -> bytes:
    """What a file of this name has."""
    if file.endswith(".zip"):
        return zipped("isolet1+2+3+4.data.Z", "isolet5.data.Z")
    if file.endswith(".json"):
        return json.dumps(INTENTS | {"val": INTENTS["train"]}).encode()
    if file.endswith(".csv.gz"):
        return gzip.compress(HISTOGRAMS.encode())
    if file.endswith(".Z"):
        return gzip.compress(COMMAS)
    if file.endswith(".gz"):
        return gzip.compress(VW)
    return bz2.compress(LIBSVM) if "." in file else b""


def beside(dataset: Dataset, number: int, serve) -> Dataset:
    """The set with one of its mirrors alone, which is a server on this machine."""
    urls = dataset.mirrors[number]["urls"]
    files = {url.rsplit("/", 1)[-1].partition("#")[0] for url in urls}
    server = serve({file: published(file) for file in files})
    here = [server.url + url.rsplit("/", 1)[-1] for url in urls]
    return dataset._replace(facts=dataset.facts | {"mirrors": [{"urls": here}]})


@pytest.mark.parametrize(("name", "number"), MIRRORS)
def test_what_is_published_there_becomes_the_parts(serve, tmp_path, name, number):
    dataset = beside(read_catalog()[name], number, serve)
    if name == "lemma-fi":  # the catalog knows its checksum
        with pytest.raises(NotAvailableError, match="its SHA-256 is"):
            fetch(dataset, tmp_path, None, 0)
        return
    fetch(dataset, tmp_path, None, 0)
    parts = [dataset.part(tmp_path, part) for part in ("train", "validation", "test")]
    found = count(parts, dataset.format)
    assert found.classes == (2 if name in ("clinc150", "aloi-438") else 3)
    assert found.examples >= 60
    assert all(count([part], dataset.format).examples > 0 for part in parts)


def test_all_sets_that_the_paper_has_are_asked_for():
    assert {"isolet", "sector", "aloi", "imagenet", "odp"} <= {name for name, _ in MIRRORS}
