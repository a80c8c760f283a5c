"""Compiled code is kept where it can be, and never outlives the sources it was made from."""

import os
import shutil
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from lomtree import compiled


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """A copy of the package's sources, in which the module believes to be."""
    copy = tmp_path / "lomtree"
    shutil.copytree(Path(compiled.__file__).parent, copy, ignore=shutil.ignore_patterns("__*__"))
    monkeypatch.setattr(compiled, "__file__", str(copy / "compiled.py"))
    return copy


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return tmp_path / "home"


def folder() -> Path:
    found = compiled._cache_folder()
    assert found is not None
    return Path(found)


def test_an_edit_of_any_file_starts_another_folder(package, home):
    seen = {folder()}
    files = sorted(package.glob("*.py"))
    assert len(files) > 10
    for path in files:
        path.write_bytes(path.read_bytes() + b"#")
        seen.add(folder())
    (package / "new.py").write_text("")
    seen.add(folder())
    (package / "new.py").rename(package / "renamed.py")
    seen.add(folder())
    assert len(seen) == len(files) + 3


def test_the_same_sources_find_their_folder_again(package, home):
    first = folder()
    assert first.is_dir()
    assert first.parent == home / "lomtree"
    assert folder() == first


def test_only_the_newest_folders_stay(package, home):
    folders = []
    for number in range(7):
        (package / "compiled.py").write_text(f"# {number}")
        folders.append(folder())
        os.utime(folders[-1], (number, number))
    assert sorted(home.joinpath("lomtree").iterdir()) == sorted(folders[-compiled.FOLDERS_KEPT :])


def test_the_user_s_own_folder_comes_first(home, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "mine"))
    assert folder().parent == tmp_path / "mine"
    assert not home.exists()


def test_a_home_that_cannot_be_written_is_passed_over(tmp_path, monkeypatch, home):
    home.write_text("not a folder")
    monkeypatch.setattr(compiled.tempfile, "tempdir", str(tmp_path))
    assert folder().parent.parent == tmp_path


def test_without_any_folder_code_is_compiled_but_not_kept(monkeypatch, home, tmp_path):
    home.write_text("not a folder")
    monkeypatch.setattr(compiled.tempfile, "tempdir", str(home))
    assert compiled._cache_folder() is None
    monkeypatch.setattr(compiled, "CACHE_FOLDER", None)
    double = compiled.kernel(lambda number: 2 * number)
    assert double(21) == 42


def test_a_kernel_is_compiled_and_numba_s_settings_stay():
    before = numba.config.CACHE_DIR

    @compiled.kernel
    def fill(array, value):
        for position in range(len(array)):
            array[position] = value

    assert numba.config.CACHE_DIR == before
    array = np.zeros(3)
    fill(array, 7.0)
    assert array.tolist() == [7, 7, 7]
    assert fill.signatures


@pytest.fixture
def listener():
    said = compiled._SayOnce()
    compiled.event.register("numba:compile", said)
    yield said
    compiled.event.unregister("numba:compile", said)


def test_compiling_is_said_once_in_one_line(listener, capsys, monkeypatch):
    monkeypatch.setattr(compiled, "CACHE_FOLDER", None)
    for kernel in (compiled.kernel(lambda x: x + 1), compiled.kernel(lambda x: x + 2)):
        kernel(1)
    err = capsys.readouterr().err
    assert err.startswith("compiling")
    assert err.count("\n") == 1


@pytest.mark.parametrize("stream", [None, "closed pipe"])
def test_compiling_goes_on_if_nobody_reads_stderr(listener, monkeypatch, stream):
    class Closed:
        def write(self, _text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed() if stream else None)
    monkeypatch.setattr(compiled, "CACHE_FOLDER", None)
    assert compiled.kernel(lambda x: x + 3)(1) == 4
