"""Code is found again only where everything that it depends on is as it was."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lomtree.jit import fingerprint as module
from lomtree.jit.fingerprint import checksum

ROOT = Path(module.__file__).parents[2]


def fingerprint() -> str:
    """What a process that starts now would find."""
    module.fingerprint.cache_clear()
    return module.fingerprint()


@pytest.fixture(autouse=True)
def clear_cache():
    yield
    module.fingerprint.cache_clear()


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """A copy of the package's sources, in which the module believes to be."""
    copy = tmp_path / "lomtree"
    source = Path(module.__file__)
    shutil.copytree(source.parents[1], copy, ignore=shutil.ignore_patterns("__*__"))
    monkeypatch.setattr(module, "__file__", str(copy / "jit" / source.name))
    return copy


@pytest.fixture
def installed(tmp_path, monkeypatch) -> Path:
    """A folder of packages that comes before all others."""
    folder = tmp_path / "installed"
    for name in ("numba", "llvmlite"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").touch()
        (folder / name / "_version.py").write_text("version = '1'")
    monkeypatch.syspath_prepend(str(folder))
    return folder


def test_an_edit_of_any_file_changes_it(package):
    seen = {fingerprint()}
    files = sorted(package.rglob("*.py"))
    assert len({path.parent for path in files}) > 10  # packages in the package
    for path in files:
        path.write_bytes(path.read_bytes() + b"#")
        seen.add(fingerprint())
    (package / "new.py").write_text("")
    seen.add(fingerprint())
    (package / "jit" / "new.py").write_text("")
    seen.add(fingerprint())
    assert len(seen) == len(files) + 3


def test_it_is_the_same_in_whatever_order_files_are_found(package, monkeypatch):
    before, found = fingerprint(), []

    def walk(top):
        names = sorted(os.listdir(top), reverse=True)
        folders = [name for name in names if os.path.isdir(os.path.join(top, name))]
        found.append(top)
        yield top, folders, [name for name in names if name not in folders]
        for name in folders:
            yield from walk(os.path.join(top, name))

    monkeypatch.setattr(os, "walk", walk)
    assert fingerprint() == before
    assert len(found) > 10


def test_what_python_leaves_beside_the_sources_does_not_count(package):
    before = fingerprint()
    (package / "jit" / "__pycache__").mkdir()
    (package / "jit" / "__pycache__" / "kernel.py").write_text("# not a source")
    (package / "jit" / "kernel.cpython-311.pyc").touch()
    assert fingerprint() == before


def test_texts_that_are_cut_elsewhere_have_another_checksum():
    lists = [[], [b""], [b"", b""], [b"ab"], [b"a", b"b"], [b"b", b"a"], [b"", b"ab"], [b"ab", b""]]
    assert len({checksum(texts) for texts in lists}) == len(lists)
    assert checksum([b"a", b"b"]) == checksum(iter([b"a", b"b"]))


@pytest.mark.parametrize("name", ["numba", "llvmlite"])
def test_another_version_of_the_compiler_changes_it(installed, name):
    before = fingerprint()
    (installed / name / "_version.py").write_text("version = '2'")
    assert fingerprint() != before


@pytest.mark.parametrize("name", ["numba", "llvmlite"])
def test_a_compiler_that_does_not_say_its_version_is_known_by_its_installation(installed, name):
    (installed / name / "_version.py").unlink()
    (installed / f"{name}-1.0.dist-info").mkdir()
    before = fingerprint()
    (installed / "another-1.0.dist-info").mkdir()
    assert fingerprint() == before
    (installed / f"{name}-1.0.dist-info").rename(installed / f"{name}-2.0.dist-info")
    assert fingerprint() != before


def test_another_version_of_numpy_changes_it(monkeypatch):
    before = fingerprint()
    monkeypatch.setattr("numpy.__version__", "1.0")
    assert fingerprint() != before


def test_settings_of_the_compiler_change_it(monkeypatch):
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    seen = [fingerprint()]
    for name, value in (("BOUNDSCHECK", "1"), ("OPT", "0"), ("X", "\udcff")):
        monkeypatch.setenv(f"NUMBA_{name}", value)
        seen.append(fingerprint())
    assert len(set(seen)) == len(seen)


def test_where_code_is_kept_and_how_many_threads_there_are_does_not(monkeypatch):
    before = fingerprint()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    assert fingerprint() == before


def test_a_settings_file_in_the_current_folder_changes_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = {fingerprint()}
    for text in ("boundscheck: 1", "boundscheck: 0"):
        (tmp_path / ".numba_config.yaml").write_text(text)
        seen.add(fingerprint())
    assert len(seen) == 3


def test_finding_it_imports_no_compiler():
    program = (
        "import sys, numpy; before = set(sys.modules)\n"
        "from lomtree.jit.fingerprint import fingerprint; fingerprint()\n"
        "more = set(sys.modules) - before\n"
        "print(*more & {'numba', 'llvmlite', 'importlib.metadata', 'pathlib'})"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


BOUNDS = """
import numpy as np
from lomtree.jit.kernel import kernel

@kernel
def second(numbers):
    return numbers[1]

print(second(np.arange(3)))
"""


def test_code_with_checks_of_bounds_is_kept_apart(tmp_path):
    sizes = []
    for bounds in ("0", "1"):
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "NUMBA_CACHE_DIR": str(tmp_path),
            "NUMBA_BOUNDSCHECK": bounds,
        }
        command = [sys.executable, "-c", BOUNDS]
        assert subprocess.run(command, env=environment, capture_output=True).stdout == b"1\n"
        sizes.append(sorted(path.stat().st_size for path in tmp_path.glob("lomtree/*/*.o")))
    assert len(list((tmp_path / "lomtree").iterdir())) == 2
    assert len(sizes[1]) == 2
    assert sizes[1][0] < sizes[1][1]
