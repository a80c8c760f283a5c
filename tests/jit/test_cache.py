"""Code is kept where it can be, found again where it was, and stale or foreign code never is."""

import os
import tempfile
from pathlib import Path

import pytest

from lomtree.jit import cache
from lomtree.jit.cache import Code, base_folders, find, folder_name, keep, locked

CODE = Code("f", "(qd)", b"\x7fELF\n\0binary")


def first_folder() -> Path:
    return Path(next(base_folders())) / folder_name()


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
        monkeypatch.setattr(cache, "fingerprint", lambda number=number: f"{number:016x}")
        keep("a.o", CODE)
        made.append(first_folder())
        os.utime(made[-1], (number, number))
    assert sorted((home / "lomtree").iterdir()) == sorted(made[-cache.FOLDERS_KEPT :])


def test_the_user_s_own_folder_comes_first(home, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    keep("a.o", CODE)
    assert first_folder().parent == tmp_path / "mine" / "lomtree"
    assert find("a.o") == CODE
    assert not home.exists()


def test_what_else_is_in_a_folder_that_the_user_names_stays(home, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    others = [f"kernels-{number}" for number in range(7)] + [f"kernels-{n:016x}" for n in range(7)]
    for name in others:
        (tmp_path / "mine" / name).mkdir(parents=True)
    keep("a.o", CODE)
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == sorted(
        [*others, "lomtree"]
    )


def test_of_its_own_folder_only_what_it_made_is_removed(home, monkeypatch):
    (home / "lomtree" / "kernels-of-mine").mkdir(parents=True)
    (home / "lomtree").chmod(0o700)
    for number in range(7):
        monkeypatch.setattr(cache, "fingerprint", lambda number=number: f"{number:016x}")
        keep("a.o", CODE)
    assert len(list((home / "lomtree").iterdir())) == 1 + cache.FOLDERS_KEPT
    assert (home / "lomtree" / "kernels-of-mine").exists()


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


WRITABLE = [0o770, 0o707, 0o777]
PLACES = ["base", "folder", "file"]


def place_of(which: str) -> Path:
    return {
        "base": first_folder().parent, "folder": first_folder(), "file": first_folder() / "a.o"
    }[which]  # fmt: skip


@pytest.mark.parametrize("mode", WRITABLE)
@pytest.mark.parametrize("which", PLACES)
def test_code_that_others_could_have_written_is_not_run(home, which, mode):
    keep("a.o", CODE)
    place_of(which).chmod(mode)
    assert find("a.o") is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("which", PLACES)
def test_code_of_another_user_is_not_run(home, which):
    keep("a.o", CODE)
    os.chown(place_of(which), 12345, -1)
    assert find("a.o") is None


@pytest.mark.parametrize("which", PLACES)
def test_what_was_opened_is_checked_not_what_a_path_led_to_before(home, monkeypatch, which):
    """The owner that counts is that of the descriptor: a path may lead elsewhere by then."""
    keep("a.o", CODE)
    real, wanted = os.fstat, os.stat(place_of(which)).st_ino

    def fstat(descriptor):
        fields = list(real(descriptor))
        fields[4] = 12345 if fields[1] == wanted else fields[4]
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", fstat)
    assert find("a.o") is None


@pytest.mark.parametrize("which", PLACES)
def test_links_are_not_followed(home, tmp_path, which):
    """Whoever can write the folder above would choose what is executed."""
    keep("a.o", CODE)
    place = place_of(which)
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    assert find("a.o") is None


def test_a_shared_folder_in_which_others_rename_is_not_used(home, tmp_path):
    home.write_text("not a folder")
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary").chmod(0o777)  # as /tmp, but without its sticky bit
    keep("a.o", CODE)
    assert find("a.o") is None
    assert not list((tmp_path / "temporary").iterdir())
    (tmp_path / "temporary").chmod(0o1777)
    keep("a.o", CODE)
    assert find("a.o") == CODE


def test_nothing_is_kept_below_the_current_folder(tmp_path, monkeypatch):
    """It may be full of somebody's files, which the user has unpacked and so owns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "here")
    monkeypatch.setenv("XDG_CACHE_HOME", "there")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # the user is not known
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    keep("a.o", CODE)
    assert list(base_folders()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_named_pipe_in_place_of_code_is_not_waited_for(home):
    keep("a.o", CODE)
    (first_folder() / "a.o").unlink()
    os.mkfifo(first_folder() / "a.o", 0o600)
    assert find("a.o") is None


def test_a_lock_is_waited_for_but_not_for_ever(home, monkeypatch):
    monkeypatch.setattr(cache, "PATIENCE", 0.0)
    with locked("a.o"):
        with locked("a.o"):  # somebody who was suspended holds it
            keep("a.o", CODE)
        assert (first_folder() / "a.o.lock").exists()  # it is still held
    assert [path.name for path in first_folder().iterdir()] == ["a.o"]


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
    def fail(_from, _to, **_folders):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    keep("a.o", CODE)
    assert find("a.o") is None
    there = [Path(base) / folder_name() for base in base_folders() if os.path.exists(base)]
    assert there
    assert [path for folder in there for path in folder.iterdir()] == []
