"""Code is kept where it can be, found again where it was, and stale or foreign code never is."""

import os
import tempfile
from pathlib import Path

import pytest

from lomtree.jit import cache
from lomtree.jit.cache import Code, find, folders, keep

CODE = Code("f", "(qd)", b"\x7fELF\n\0binary")


def first_folder() -> Path:
    return Path(next(folders()))


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "home"


def test_what_was_kept_is_found(home):
    assert find("a.o") is None
    keep("a.o", CODE)
    assert find("a.o") == CODE
    assert find("b.o") is None
    assert [path.name for path in first_folder().iterdir()] == ["a.o"]
    assert first_folder().parent == home / "lomtree"


def test_only_the_newest_folders_stay(home, monkeypatch):
    made = []
    for number in range(7):
        monkeypatch.setattr(cache, "fingerprint", lambda number=number: f"{number}")
        keep("a.o", CODE)
        made.append(first_folder())
        os.utime(made[-1], (number, number))
    assert sorted((home / "lomtree").iterdir()) == sorted(made[-cache.FOLDERS_KEPT :])


def test_the_user_s_own_folder_comes_first(home, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    keep("a.o", CODE)
    assert first_folder().parent == tmp_path / "mine"
    assert find("a.o") == CODE
    assert not home.exists()


def test_a_home_that_cannot_be_written_is_passed_over(home, tmp_path):
    home.write_text("not a folder")
    (tmp_path / "temporary").mkdir()
    keep("a.o", CODE)
    assert find("a.o") == CODE
    assert list((tmp_path / "temporary").iterdir())


def test_without_any_folder_nothing_is_kept(home, tmp_path):
    home.write_text("not a folder")
    (tmp_path / "temporary").write_text("not a folder")
    keep("a.o", CODE)
    assert find("a.o") is None


def test_a_folder_that_can_only_be_read_serves(home):
    keep("a.o", CODE)
    first_folder().chmod(0o500)
    try:
        assert find("a.o") == CODE
    finally:
        first_folder().chmod(0o700)


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_code_that_others_could_have_written_is_not_run(home, mode):
    keep("a.o", CODE)
    first_folder().chmod(mode)
    assert find("a.o") is None


@pytest.mark.parametrize("owner", [12345])
def test_code_of_another_user_is_not_run(home, monkeypatch, owner):
    keep("a.o", CODE)
    real = os.stat

    def stat(path):
        fields = list(real(path))
        fields[4] = owner
        return os.stat_result(fields)

    monkeypatch.setattr(cache.os, "stat", stat)
    assert find("a.o") is None


def test_damaged_code_is_not_run(home):
    keep("a.o", CODE)
    path = first_folder() / "a.o"
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert find("a.o") is None
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 4
        path.write_bytes(damaged)
        assert find("a.o") is None


def test_a_disk_that_fills_up_leaves_no_half_file(home, monkeypatch):
    def fail(_from, _to):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.os, "replace", fail)
    keep("a.o", CODE)
    assert find("a.o") is None
    there = [Path(folder) for folder in folders() if os.path.exists(folder)]
    assert there
    assert [path for folder in there for path in folder.iterdir()] == []
