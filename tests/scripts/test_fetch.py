"""Data is fetched whole or not at all, goes on where it broke off, and is split by a seed."""

import bz2
import gzip
import hashlib
import zipfile
from itertools import chain

import pytest

from scripts.reproduce.catalog import Dataset, fetched, read_catalog
from scripts.reproduce.download import DownloadError, download
from scripts.reproduce.fetch import fetch, lines_of
from scripts.reproduce.sources import NotAvailableError
from tests.scripts.conftest import Server

CONTENT = bytes(range(256)) * 1000


def get(server: Server, target, name="file", **settings) -> None:
    download(server.url + name, target, **({"wait": 0.0} | settings))


def test_a_file_arrives_whole_and_is_not_fetched_twice(serve, tmp_path):
    server = serve({"file": CONTENT})
    for _ in range(2):
        get(server, tmp_path / "a" / "file", sha256=hashlib.sha256(CONTENT).hexdigest())
    assert (tmp_path / "a" / "file").read_bytes() == CONTENT
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["file"]
    assert server.asked == [None]


def test_a_broken_transfer_goes_on_where_it_was(serve, tmp_path):
    server = serve({"file": CONTENT})
    server.break_at = [100_000, 200_000]
    get(server, tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert server.asked == [None, "bytes=100000-", "bytes=200000-"]


def test_it_goes_on_in_another_run_too(serve, tmp_path):
    server = serve({"file": CONTENT})
    server.break_at = [100_000]
    with pytest.raises(DownloadError, match="broken off after 100,000 of 256,000 bytes"):
        get(server, tmp_path / "file", tries=1)
    assert not (tmp_path / "file").exists()
    get(server, tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert server.asked == [None, "bytes=100000-"]


def test_all_of_it_may_be_there_already(serve, tmp_path):
    (tmp_path / "file.part").write_bytes(CONTENT)
    get(serve({"file": CONTENT}), tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_a_file_that_has_become_shorter_is_fetched_anew(serve, tmp_path):
    (tmp_path / "file.part").write_bytes(CONTENT)
    get(serve({"file": CONTENT[:1000]}), tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == CONTENT[:1000]


def test_a_server_that_cannot_resume_gives_it_from_the_beginning(serve, tmp_path):
    server = serve({"file": CONTENT}, ranges=False)
    server.break_at = [100_000]
    get(server, tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_a_wrong_checksum_is_told_and_nothing_is_left(serve, tmp_path):
    with pytest.raises(DownloadError, match=r"its SHA-256 is [0-9a-f]{64}, not 00"):
        get(serve({"file": CONTENT}), tmp_path / "file", sha256="00")
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_there_is_told_at_once(serve, tmp_path):
    server = serve({})
    with pytest.raises(DownloadError, match="the server says 404"):
        get(server, tmp_path / "file")
    assert len(server.asked) == 1


def test_redirects_in_a_circle_are_told_in_one_line(serve, tmp_path):
    server = serve({})
    server.files["file"] = server.url + "file"
    with pytest.raises(DownloadError, match="the server says 302 The HTTP server returned") as told:
        get(server, tmp_path / "file")
    assert "\n" not in str(told.value)


def test_nobody_listening_is_told(tmp_path):
    with pytest.raises(DownloadError, match="refused"):
        download("http://127.0.0.1:9/file", tmp_path / "file", wait=0.0)


ROWS = [b"%d 1:%d\n" % (number % 7, number) for number in range(200)]


def a_set(**facts) -> Dataset:
    return Dataset("tiny", {"format": "libsvm", "source": "somewhere", **facts})


def parts_of(dataset: Dataset, folder) -> dict[str, list[bytes]]:
    return {
        part: gzip.open(dataset.part(folder, part)).readlines()
        for part in ("train", "validation", "test")
    }


def make_mirror(folder) -> None:
    (folder / "tiny").mkdir(parents=True)
    with gzip.open(folder / "tiny" / "train.svm.gz", "wb") as file:
        file.writelines(ROWS[:150])
    with gzip.open(folder / "tiny" / "test.svm.gz", "wb") as file:
        file.writelines(ROWS[150:])


def test_a_mirror_keeps_its_test_part_and_gives_a_tenth_for_validation(tmp_path):
    make_mirror(tmp_path / "mirror")
    dataset = a_set()
    assert fetch(dataset, tmp_path / "data", tmp_path / "mirror", 0) == "from LOMTREE_DATA"
    parts = parts_of(dataset, tmp_path / "data")
    assert parts["test"] == ROWS[150:]
    assert sorted(parts["train"] + parts["validation"]) == sorted(ROWS[:150])
    assert parts["train"] == [row for row in ROWS[:150] if row in parts["train"]]  # in order
    assert 5 <= len(parts["validation"]) <= 30
    assert fetch(dataset, tmp_path / "data", tmp_path / "mirror", 0) == "is there already"


def test_a_pooled_set_is_shuffled_and_split_exactly_by_the_seed(tmp_path):
    make_mirror(tmp_path / "mirror")
    dataset = a_set(pool=True)
    found = []
    for folder, seed in (("a", 0), ("b", 0), ("c", 1)):
        fetch(dataset, tmp_path / folder, tmp_path / "mirror", seed)
        found.append(parts_of(dataset, tmp_path / folder))
    assert [len(rows) for rows in found[0].values()] == [162, 18, 20]
    assert sorted(chain(*found[0].values())) == sorted(ROWS)
    assert found[0] == found[1] != found[2]


def test_the_splits_of_a_small_set_test_other_rows_each(tmp_path):
    make_mirror(tmp_path / "mirror")
    tested = []
    for one in a_set(pool=True, splits=10).splits:
        fetch(one, tmp_path, tmp_path / "mirror", 0)
        parts = parts_of(one, tmp_path)
        assert [len(rows) for rows in parts.values()] == [162, 18, 20]
        assert sorted(chain(*parts.values())) == sorted(ROWS)
        tested += parts["test"]
    assert sorted(tested) == sorted(ROWS)
    assert (tmp_path / "tiny.9" / "test.svm.gz").exists()
    (tmp_path / "tiny.3" / "test.svm.gz").unlink()
    there = fetched({"tiny": one}, [], tmp_path)
    assert [one.split for one in there] == [0, 1, 2, 4, 5, 6, 7, 8, 9]


def test_parts_of_another_seed_or_of_other_files_are_made_anew(tmp_path):
    make_mirror(tmp_path / "mirror")
    dataset = a_set(pool=True)

    def made(seed: int, mirror="mirror") -> tuple[str, list[bytes]]:
        told = fetch(dataset, tmp_path / "data", tmp_path / mirror, seed)
        return told, parts_of(dataset, tmp_path / "data")["test"]

    told, first = made(0)
    assert made(0) == ("is there already", first)
    assert made(0, "no mirror") == ("is there already", first)
    told, other = made(1)
    assert told == "from LOMTREE_DATA"
    assert other != first
    with gzip.open(tmp_path / "mirror" / "tiny" / "test.svm.gz", "wb") as file:
        file.writelines(ROWS[100:150])
    assert made(1)[0] == "from LOMTREE_DATA"
    assert made(1)[0] == "is there already"
    (tmp_path / "data" / "tiny" / "origin.json").write_text("{")  # as a kill may leave it
    assert made(1)[0] == "from LOMTREE_DATA"


def test_a_file_of_the_web_is_fetched_once_for_all_seeds(serve, tmp_path):
    server = serve({"a": b"".join(ROWS)})
    dataset = a_set(pool=True, mirrors=[{"urls": [server.url + "a"]}])
    told = [fetch(dataset, tmp_path, None, seed) for seed in (0, 1, 1)]
    assert told == [f"from {server.url}a", f"from {server.url}a", "is there already"]
    assert len(server.asked) == 1


def test_a_set_comes_over_the_web_where_there_is_no_mirror(serve, tmp_path):
    server = serve({"a.bz2": bz2.compress(b"".join(ROWS[:90])), "b": b"".join(ROWS[90:])[:-1]})
    dataset = a_set(pool=True, mirrors=[{"urls": [server.url + "a.bz2", server.url + "b"]}])
    assert fetch(dataset, tmp_path, tmp_path / "no mirror", 0) == f"from {server.url}a.bz2"
    assert sorted(chain(*parts_of(dataset, tmp_path).values())) == sorted(ROWS)


def test_a_member_of_a_zip_with_the_label_last_becomes_libsvm(serve, tmp_path):
    with zipfile.ZipFile(tmp_path / "it.zip", "w") as archive:
        archive.writestr("rows.data", "0.5, -1.0, 0, 3.\n" * 20)
    server = serve({"it.zip": (tmp_path / "it.zip").read_bytes()})
    dataset = a_set(
        pool=True, mirrors=[{"urls": [server.url + "it.zip#rows.data"], "layout": "csv-label-last"}]
    )
    fetch(dataset, tmp_path / "data", None, 0)
    assert parts_of(dataset, tmp_path / "data")["train"] == [b"3 1:0.5 2:-1.0\n"] * 17


def test_what_ends_in_Z_is_unpacked_by_gzip(tmp_path):
    """Python cannot write that format; gzip goes by the content, whatever the name is."""
    (tmp_path / "rows.Z").write_bytes(gzip.compress(b"".join(ROWS)))
    assert list(lines_of(tmp_path / "rows.Z")) == ROWS
    (tmp_path / "rows.Z").write_bytes(b"neither")
    with pytest.raises(NotAvailableError, match="gzip cannot unpack it"):
        list(lines_of(tmp_path / "rows.Z"))


def test_what_cannot_be_had_is_said_and_leaves_no_part(serve, tmp_path):
    with pytest.raises(NotAvailableError, match="not public"):
        fetch(a_set(source="not public"), tmp_path, None, 0)
    gone = a_set(mirrors=[{"urls": [serve({}).url + "file.bz2"]}])
    with pytest.raises(NotAvailableError, match="404"):
        fetch(gone, tmp_path, None, 0)
    assert not gone.is_in(tmp_path)


def test_the_catalog_has_the_papers_five_sets_with_its_numbers():
    catalog = read_catalog()
    papers = [name for name, one in catalog.items() if one.paper]
    assert papers == ["isolet", "sector", "aloi", "imagenet", "odp"]
    for name in papers:
        assert {"size", "features", "examples", "classes", "errors"} <= set(catalog[name].paper)
    for one in catalog.values():
        assert {"title", "source", "format", "license", "classes"} <= set(one.facts)
