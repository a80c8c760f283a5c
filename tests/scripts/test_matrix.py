"""The matrix finds Pythons, takes the lowest versions, and notices a model that differs."""

import stat
import sys

import pytest

from scripts.reliability import matrix
from scripts.reliability.matrix import CORE, MODELS, ROOT, Environment, FailedError, Row


def fake_python(path, says: str, status: int = 0) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nfor last; do :; done\necho {says}\nexit {status}\n")
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    return str(path)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/bin:/usr/bin")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setattr(matrix, "PYTHONS", ("3.91", "3.92", "3.93", "3.94"))
    return tmp_path


def test_pythons_are_found_on_the_path_and_among_those_of_pyenv(machine):
    first = fake_python(machine / "bin" / "python3.91", "3.91")
    fake_python(machine / "pyenv" / "versions" / "3.91.5" / "bin" / "python", "3.91")
    third = fake_python(machine / "pyenv" / "versions" / "3.93.2" / "bin" / "python", "3.93")
    assert matrix.pythons() == {"3.91": first, "3.93": third}


def test_a_shim_that_does_not_run_is_passed_by(machine):
    fake_python(machine / "bin" / "python3.92", "not installed", 127)
    fake_python(machine / "bin" / "python3.94", "3.8")
    real = fake_python(machine / "pyenv" / "versions" / "3.92.0" / "bin" / "python", "3.92")
    assert matrix.pythons() == {"3.92": real}


def test_the_lowest_versions_are_those_of_the_bounds():
    requirements = ["numba>=0.61; python_version >= '3.13'", "click>=8.0", "x>=1; extra == 'dev'"]
    assert matrix.lowest(requirements) == "numba==0.61; python_version >= '3.13'\nclick==8.0\n"


def test_the_core_is_there():
    assert [path for path in CORE if not (ROOT / path).exists()] == []


SAME = ["11", "22", "33"]


def row(name: str, models=SAME, well=True, tests="9 passed") -> Row:
    return Row(name, ["3.91.0", "0.59.0", "1.24.0"], tests, models, well)


def test_all_is_well_if_all_models_are_the_same():
    assert matrix.complaints([row("a"), row("b")]) == []


def test_a_model_that_differs_is_told():
    assert matrix.complaints([row("a"), row("b", ["11", "2x", "33"])]) == [
        "the models of 3 trees differ: there are 2 of them"
    ]


def test_a_failure_is_told_and_shown_in_the_table():
    rows = [row("a"), Row("b", [], "no such wheel", [], False)]
    assert matrix.complaints(rows) == ["b failed: no such wheel"]
    lines = matrix.describe(rows).splitlines()
    assert lines[2] == "| a | 3.91.0 | 0.59.0 | 1.24.0 | 9 passed | 11 | 22 | 33 |"
    assert lines[3] == "| b | - | - | - | failed: no such wheel | - | - | - |"


def test_a_command_leaves_a_log_and_its_last_line_is_why_it_failed(tmp_path):
    environment = Environment("a", tmp_path)
    print_kernels = "import os; print(os.environ['NUMBA_CACHE_DIR'])"
    said = environment.call("-c", print_kernels, python=sys.executable)
    assert said == f"{tmp_path / 'kernels'}\n"
    with pytest.raises(FailedError, match=r"^no luck$"):
        environment.call("-c", "raise SystemExit('first\\nno luck')", python=sys.executable)
    assert (tmp_path / "log").read_text().count("$ ") == 2


def test_models_are_compared_by_their_bytes(tmp_path):
    """What trains here writes a word in place of a model."""
    found = []
    for name, word in (("one", "same"), ("two", "same"), ("three", "other")):
        environment = Environment(name, tmp_path / name)
        environment.python = tmp_path / name / "python"
        fake_python(environment.python, f'{word} > "$last"')
        found.append(environment.train(tmp_path / "data.vw"))
    assert found[0] == found[1] != found[2]
    assert len(found[0]) == len(MODELS)
