"""The first mirror that has a set wins; checksums are noted, and checked from then on."""

import gzip
import hashlib
import json
import sys

import pytest

from scripts.command import MistakeError
from scripts.reproduce import sources
from scripts.reproduce.catalog import Dataset
from scripts.reproduce.download import Checksums, DownloadError
from scripts.reproduce.fetch import main
from scripts.reproduce.sources import NotAvailableError, find, from_index, text_digest

ROWS = b"".join(b"%d 1:%d\n" % (number % 3, number + 1) for number in range(60))


def a_set(*mirrors: list[str], **facts) -> Dataset:
    facts = {"format": "libsvm", "source": "somewhere", **facts}
    return Dataset("tiny", {**facts, "mirrors": [{"urls": urls} for urls in mirrors]})


def test_the_next_mirror_is_tried_where_one_lacks_a_file(serve, tmp_path):
    half, whole = serve({"a": ROWS}), serve({"a": ROWS, "b": ROWS[:50]})
    dataset = a_set(*([f"{one.url}a", f"{one.url}b"] for one in (half, whole)))
    found = find(dataset, tmp_path, None)
    assert [path.read_bytes() for path in found.paths] == [ROWS, ROWS[:50]]
    assert found.come_from == f"from {whole.url}a"


def test_all_that_was_tried_is_said(serve, tmp_path):
    dataset = a_set([serve({}).url + "a"], ["http://127.0.0.1:9/a"])
    with pytest.raises(NotAvailableError, match=r"says 404 .*; http://127.0.0.1:9/a: .*refused"):
        find(dataset, tmp_path, None)


def test_a_redirect_is_followed_and_a_cut_transfer_goes_on_behind_it(serve, tmp_path):
    content = ROWS * 1000
    server = serve({"a": content})
    server.files["old"] = server.url + "a"
    server.break_at = [100_000]
    found = find(a_set([server.url + "old"]), tmp_path, None)
    assert found.paths[0].read_bytes() == content
    assert "bytes=100000-" in server.asked


def test_a_checksum_is_noted_and_another_file_refused_from_any_mirror(serve, tmp_path):
    first, other = serve({"a": ROWS}), serve({"a": ROWS + b"1 1:1\n"})
    find(a_set([first.url + "a"]), tmp_path, None)
    noted = json.loads((tmp_path / "checksums.json").read_text())
    assert noted == {"tiny/a": hashlib.sha256(ROWS).hexdigest()}
    (tmp_path / "tiny" / "fetched" / "a").unlink()
    with pytest.raises(NotAvailableError, match="its SHA-256 is"):
        find(a_set([other.url + "a"]), tmp_path, None)
    found = find(a_set([other.url + "a"], [first.url + "a"]), tmp_path, None)
    assert found.paths[0].read_bytes() == ROWS


def test_a_file_that_has_changed_on_the_disk_is_told(serve, tmp_path):
    dataset = a_set([serve({"a": ROWS}).url + "a"])
    (path,) = find(dataset, tmp_path, None).paths
    path.write_bytes(ROWS[:-1])
    with pytest.raises(NotAvailableError, match="fetch it again"):
        find(dataset, tmp_path, None)
    assert find(dataset, tmp_path, None).paths[0].read_bytes() == ROWS


def test_a_checksum_of_the_catalog_counts_from_the_beginning(serve, tmp_path):
    dataset = a_set([serve({"a": ROWS}).url + "a"], sha256={"a": "00"})
    with pytest.raises(NotAvailableError, match="not 00"):
        find(dataset, tmp_path, None)
    assert not (tmp_path / "checksums.json").exists()


def test_checksums_that_cannot_be_read_are_told(tmp_path):
    (tmp_path / "sums").write_text("{")
    with pytest.raises(DownloadError, match="sums is no JSON"):
        Checksums(tmp_path / "sums").known("a")


def test_a_file_of_this_machine_needs_no_mirror(tmp_path):
    (tmp_path / "rows.svm").write_bytes(ROWS)
    dataset = Dataset("tiny", {"path": str(tmp_path / "rows.svm"), "format": "libsvm"})
    assert find(dataset, tmp_path, None).paths == [tmp_path / "rows.svm"]
    with pytest.raises(NotAvailableError, match="is no file"):
        find(Dataset("tiny", {"path": "nowhere.svm", "format": "libsvm"}), tmp_path, None)


def test_a_package_that_the_index_does_not_have_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(DownloadError, match="pip download nothing==1"):
        from_index("nothing==1", tmp_path, "")


def test_a_package_is_fetched_once_and_checked(tmp_path):
    (tmp_path / "some-1-py3-none-any.whl").write_bytes(b"a wheel")
    expected = hashlib.sha256(b"a wheel").hexdigest()
    assert from_index("some==1", tmp_path, expected).name == "some-1-py3-none-any.whl"
    with pytest.raises(DownloadError, match="not 00"):
        from_index("some==1", tmp_path, "00")
    assert list(tmp_path.iterdir()) == []


class Builder:
    @staticmethod
    def build(source, train, test):
        for path in (train, test):
            with gzip.open(path, "wb") as file:
                file.write(source.read_bytes())


def test_what_is_built_is_checked_by_its_text(serve, tmp_path, monkeypatch):
    monkeypatch.setitem(sources.BUILDERS, "copy", Builder)
    url = serve({"a": ROWS}).url + "a"
    made = {"train": hashlib.sha256(ROWS).hexdigest()}
    found = find(a_set([url], builder="copy", made=made), tmp_path, None)
    assert [path.name for path in found.paths] == ["train.svm.gz", "test.svm.gz"]
    assert text_digest(found.paths[1]) == made["train"]
    with pytest.raises(NotAvailableError, match="its train part, as built, has the SHA-256"):
        find(a_set([url], builder="copy", made={"train": "00"}), tmp_path, None)


def test_what_is_built_without_a_known_checksum_must_be_the_same_the_next_time(
    serve, tmp_path, monkeypatch
):
    monkeypatch.setitem(sources.BUILDERS, "copy", Builder)
    one = a_set([serve({"a": ROWS}).url + "a"], builder="copy")
    find(one, tmp_path, None)
    find(one, tmp_path, None)
    monkeypatch.setattr(sources, "text_digest", lambda path: "another")
    with pytest.raises(NotAvailableError, match="has the SHA-256 another, not"):
        find(one, tmp_path, None)


def test_a_large_set_comes_only_by_name_and_says_before_what_it_takes(
    serve, tmp_path, monkeypatch, capsys
):
    server = serve({"a": ROWS, "b": ROWS})
    (tmp_path / "sets.toml").write_text(
        f'[big]\nlarge = true\nformat = "libsvm"\ndownload = "9 TB"\ndisk = "18 TB"\n'
        f'time = "a year"\nfeatures = 9\nexamples = 60\nclasses = 3\n'
        f'url = ["{server.url}a", "{server.url}b"]\n'
    )
    monkeypatch.delenv("LOMTREE_DATA", raising=False)
    words = ["fetch", "--catalog", str(tmp_path / "sets.toml"), "--into", str(tmp_path / "data")]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(MistakeError, match="has large sets alone: name those that you want"):
        main()
    assert server.asked == []
    monkeypatch.setattr(sys, "argv", [*words, "big"])
    main()
    said = capsys.readouterr().err.splitlines()
    assert "to download 9 TB, disk 18 TB, time a year" in said[0]
    assert "9 features, 60 examples, 3 classes" in said[1]
    assert not list(tmp_path.glob("data/big/*.svm"))  # nothing was unpacked
