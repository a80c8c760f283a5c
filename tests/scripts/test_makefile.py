"""make: its targets, where they write, and a .venv that recovers from whatever happened to it."""

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = [
    "help",
    "demo",
    "test",
    "matrix",
    "hostile",
    "bench",
    "cluster",
    "fuzz",
    "soak",
    "long",
    "reproduce",
    "clean",
]

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="no make")

# A Python that answers what environment.sh asks, and makes a .venv in which it does so again. Its
# pip notes what it was asked for, and ends as the file `pip` says.
PYTHON = """#!/bin/sh
name={name}
case "$*" in
    *--version) echo "Python of $name" ;;
    *"sys.version_info <"*) exit {old} ;;
    *sys.base_prefix*) echo "$name" ;;
    "-m venv --clear .venv")
        echo "venv by $name" >> log
        rm -rf .venv
        mkdir -p .venv/bin
        cp "$0" .venv/bin/python ;;
    "-m pip"*)
        for last; do :; done
        echo "pip install $last" >> log
        . ./pip ;;
esac
"""


@pytest.fixture
def project(tmp_path):
    """The files that set up .venv, in a folder of their own."""
    (tmp_path / "scripts").mkdir()
    for name in ("Makefile", "pyproject.toml", "scripts/environment.sh"):
        shutil.copy(ROOT / name, tmp_path / name)
    os.utime(tmp_path / "pyproject.toml", (0, 0))
    (tmp_path / "pip").write_text("exit 0\n")
    return tmp_path


@pytest.fixture
def python(project):
    """Make a Python of this name."""

    def make(name: str, old: bool = False) -> str:
        path = project / name
        path.write_text(PYTHON.format(name=name, old=int(old)))
        path.chmod(path.stat().st_mode | stat.S_IEXEC)
        return str(path)

    return make


class SetUp:
    """Runs environment.sh: its status, and what the Pythons have noted; `said` is its stderr."""

    def __init__(self, project: Path) -> None:
        self._project, self.said = project, ""

    def __call__(self, what: str, *python: str) -> tuple[int, list[str]]:
        (self._project / "log").write_text("")
        done = subprocess.run(
            ["sh", "scripts/environment.sh", what, *python],
            cwd=self._project,
            env={**os.environ, "PATH": f"{self._project}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )
        self.said = done.stderr
        return done.returncode, (self._project / "log").read_text().splitlines()


@pytest.fixture
def set_up(project) -> SetUp:
    return SetUp(project)


def test_the_first_time_everything_is_made_and_then_nothing(python, set_up):
    new = python("python3")
    assert set_up("run") == (0, ["venv by python3", "pip install ."])
    assert set_up("run") == (0, [])
    assert set_up("run", new) == (0, [])
    assert set_up("dev") == (0, ["pip install .[dev,plots]", "pip install .[bench]"])
    assert set_up("dev") == (0, [])


def test_other_dependencies_are_installed_where_the_old_ones_are(python, set_up, project):
    python("python3")
    set_up("run")
    os.utime(project / ".venv" / "run", (1, 1))
    os.utime(project / "pyproject.toml", (2, 2))
    assert set_up("run") == (0, ["pip install ."])


def test_an_old_python_is_told_in_one_sentence_and_makes_nothing(python, set_up, project):
    old = python("python3.8", old=True)
    assert set_up("run", old) == (1, [])
    assert set_up.said == (
        f"lomtree needs Python 3.10 or newer ({old} is Python of python3.8): "
        "try make demo PYTHON=python3.12\n"
    )
    assert not (project / ".venv").exists()
    assert set_up("run", "no-such-python") == (1, [])
    assert "(there is no no-such-python)" in set_up.said


def test_what_an_old_python_left_is_made_anew(python, set_up, project):
    """As earlier versions of this Makefile left it: with a Python, and without anything in it."""
    (project / ".venv" / "bin").mkdir(parents=True)
    shutil.copy(python("python3.8", old=True), project / ".venv" / "bin" / "python")
    new = python("python3.12")
    assert set_up("run", new) == (0, ["venv by python3.12", "pip install ."])


def test_another_python_is_taken_when_it_is_asked_for_and_kept_when_not(python, set_up):
    python("python3", old=True)
    set_up("run", python("python3.12"))
    assert set_up("run") == (0, [])  # that python3 is too old does not matter any more
    assert set_up("run", python("python3.11")) == (0, ["venv by python3.11", "pip install ."])


def test_a_python_that_is_gone_is_replaced(python, set_up, project):
    python("python3")
    set_up("run")
    (project / ".venv" / "bin" / "python").unlink()
    (project / ".venv" / "bin" / "python").symlink_to("no-such-python")
    assert set_up("run") == (0, ["venv by python3", "pip install ."])


@pytest.mark.parametrize("what", ["run", "plots"])
def test_a_set_up_that_was_killed_begins_anew(python, set_up, project, what):
    python("python3")
    set_up("run")
    os.utime(project / "pyproject.toml")
    os.utime(project / ".venv" / "run", (1, 1))
    (project / "pip").write_text("kill -9 $$\n")
    status, noted = set_up(what)
    assert (status, len(noted)) == (137, 1)
    (project / "pip").write_text("exit 0\n")
    assert set_up(what) == (0, ["venv by python3", noted[0]])


def test_a_pip_that_gives_up_spoils_nothing(python, set_up, project):
    """Without a network tests cannot be set up, but what runs goes on running."""
    python("python3")
    set_up("run")
    (project / "pip").write_text("exit 1\n")
    assert set_up("dev") == (1, ["pip install .[dev,plots]"])
    assert set_up("run") == (0, [])
    (project / "pip").write_text("exit 0\n")
    assert set_up("dev") == (0, ["pip install .[dev,plots]", "pip install .[bench]"])


def test_tests_do_without_vowpal_wabbit(python, set_up, project):
    python("python3")
    (project / "pip").write_text('[ "$last" != ".[bench]" ]\n')
    assert set_up("dev")[0] == 0
    assert set_up.said.endswith("no Vowpal Wabbit for this Python: tests against it are skipped\n")
    assert set_up("dev") == (0, [])


def test_learners_that_this_python_has_not_are_left_out_of_the_benchmark(python, set_up, project):
    python("python3")
    (project / "pip").write_text('[ "$last" != ".[napkinxc]" ]\n')
    status, noted = set_up("bench")
    assert (status, noted[1:]) == (
        0,
        [f"pip install .[{extra}]" for extra in ("bench,plots,sklearn", "napkinxc", "omikuji")],
    )
    assert set_up.said.endswith("no napkinxc for this Python: it is left out\n")
    assert set_up("bench") == (0, [])


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(["make", *arguments], cwd=folder, env=own, capture_output=True, text=True)


@needs_make
def test_make_alone_lists_the_targets(project):
    done = make(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"^make (\w+) +\w", done.stdout, re.MULTILINE) == TARGETS


@needs_make
def test_make_demo_with_an_old_python_and_then_a_new_one(project, python):
    failed = make(project, "demo", f"PYTHON={python('python3.8', old=True)}")
    assert failed.returncode != 0
    assert failed.stderr.startswith("lomtree needs Python 3.10 or newer (")
    assert make(project, "environment-run", f"PYTHON={python('python3.12')}").returncode == 0
    assert (project / "log").read_text() == "venv by python3.12\npip install .\n"


@needs_make
@pytest.mark.parametrize("target", ["bench", "fuzz", "soak", "reproduce"])
def test_documents_are_written_only_when_asked(project, target):
    commands = make(project, "-n", target).stdout
    assert "docs" not in commands
    assert re.search(r"--write build/\w+/\w+\.md", commands)
    assert make(project, "-n", target, "WRITE=").stdout == commands
    assert make(project, "-n", target, "WRITE=0").stdout == commands
    asked = make(project, "-n", target, "WRITE=1").stdout
    assert re.search(r"--write docs/\w+\.md", asked)
    assert "build/" not in re.sub(r"build/reproduce/times-in-docs", "", asked)


@needs_make
def test_one_command_measures_all_and_sets_by_name_are_measured_alone(project):
    everything = make(project, "-n", "bench").stdout
    measured = re.findall(r"scripts\.bench\.(\w+)", everything)
    assert measured == [
        "beside_vw", "beside_batch", "beside_vw", "ranker_cost", "interactions", "python_api",
        "growth", "work_over_classes", "time_over_classes", "in_short",
    ]  # fmt: skip
    by_name = make(project, "-n", "bench", "SETS=lemma-fi", "REGIMES=equal", "MINUTES=30").stdout
    assert "scripts.bench.beside_vw lemma-fi --regimes equal --minutes 30 " in by_name
    assert re.findall(r"scripts\.bench\.(\w+)", by_name) == [
        "beside_vw", "beside_batch", "in_short",
    ]  # fmt: skip


@needs_make
def test_sets_that_are_asked_for_by_name_come_without_times_over_classes(project):
    by_name = make(project, "-n", "reproduce", "SETS=lemma-fi").stdout
    assert "scripts.reproduce.sweep lemma-fi" in by_name
    assert "scripts.reproduce.tables" in by_name
    assert "time" not in by_name
    assert "times-in-reproduce" in make(project, "-n", "reproduce").stdout


@needs_make
def test_each_grid_has_its_own_section_and_only_the_quick_one_times_and_pictures(project):
    full = make(project, "-n", "reproduce", "GRID=full", "WRITE=1").stdout
    assert full.count("--grid full") == 4
    assert "--write docs/results.md" in full
    assert "--beside" not in full
    assert "times-in" not in full
    assert "--beside docs/results.md" in make(project, "-n", "reproduce", "WRITE=1").stdout


@needs_make
def test_a_set_of_ones_own_does_not_come_into_the_documents(project):
    own = make(project, "-n", "reproduce", "CATALOG=mine.toml", "WRITE=1").stdout
    assert own.count("--catalog mine.toml") == 5
    assert "docs/" not in own
    assert "times-in" not in own
