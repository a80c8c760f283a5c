"""The tests' core on every Python and with the oldest and newest libraries: are models the same?

    python -m scripts.reliability.matrix [3.10 3.13-newest ...] [--no-tests] [--into build/matrix]

Looks for Python 3.10 to 3.13 on the PATH and among the versions of pyenv. On each it makes two
virtual environments, one after the other: `oldest` has the lowest versions that pyproject.toml
allows for that Python, `newest` what pip finds. In both it runs the tests' core (some two minutes,
most of it to compile) and trains a few small models, whose files must be the same, byte for byte,
in all of them. Prints a table; ends with status 1 if a test fails, if models differ, or if an
environment cannot be made. What pip and the tests said is in <into>/<environment>/log.
"""

import os
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path
from typing import NamedTuple

from scripts import unicode_names
from scripts.command import parser_of, run_script
from scripts.report import table

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
ENDS = ("oldest", "newest")
# Kernels, parsers, learners, models and commands; the whole suite would take half an hour each.
CORE = (
    "tests/hashing",
    "tests/jit",
    "tests/formats",
    "tests/linear",
    "tests/learners/lom/test_algorithm1.py",
    "tests/learners/oaa",
    "tests/model",
    "tests/cli/test_main.py",
    "tests/arrays",
    "tests/estimator/test_scikit_suite.py",
)
OLDEST_SCIKIT = "scikit-learn==1.6.*\n"  # of the extra `sklearn`; its own suite is in the core
LINES = 4000  # to train the models with; made once, because Pythons know other Unicode characters
MODELS = {
    "lomtree": ("--passes", "2"),
    "3 trees": ("--trees", "3"),
    "oaa": ("--algorithm", "oaa"),
}
VERSIONS = (
    "import platform, numba, numpy; "
    "print(platform.python_version(), numba.__version__, numpy.__version__)"
)


class FailedError(Exception):
    """A command that failed; its last line."""


class Row(NamedTuple):
    environment: str
    versions: list[str]  # of Python, numba and numpy; empty if there is no environment
    tests: str  # what pytest said last, or the command that failed
    models: list[str]  # checksums of those that were trained
    well: bool


def pythons() -> dict[str, str]:
    """By version: the first interpreter that runs. A shim of pyenv may be there and not run."""
    return {wanted: path for wanted in PYTHONS if (path := find(wanted))}


def find(wanted: str) -> str | None:
    for path in candidates(wanted):
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        done = subprocess.run([path, "-I", "-c", code], capture_output=True, text=True)
        if done.returncode == 0 and done.stdout.strip() == wanted:
            return path
    return None


def candidates(wanted: str) -> Iterator[str]:
    if found := shutil.which(f"python{wanted}"):
        yield found
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(root.glob(f"versions/{wanted}.*/bin/python"), reverse=True))


def lowest(requirements: list[str]) -> str:
    """Constraints that allow the lower bounds alone: "a>=1; marker" becomes "a==1; marker"."""
    lines = []
    for one in requirements:
        bound, mark, marker = one.partition(";")
        if "extra ==" not in marker:
            lines.append(bound.replace(">=", "==") + mark + marker)
    return "\n".join(lines) + "\n"


class Environment:
    """A virtual environment, with its log, its compiled code and its models in one folder."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.python = folder / "venv" / "bin" / "python"

    def call(self, *command: object, python: object = None) -> str:
        """What a command of its Python prints; no kernels are found that another environment has
        compiled."""
        words = [str(python or self.python), *map(str, command)]
        own = {**os.environ, "NUMBA_CACHE_DIR": str(self.folder / "kernels")}
        done = subprocess.run(words, cwd=ROOT, env=own, capture_output=True, text=True)
        with (self.folder / "log").open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(words)}\n{done.stdout}{done.stderr}")
        if done.returncode != 0:
            said = (done.stdout + done.stderr).strip().splitlines()
            raise FailedError(said[-1] if said else f"status {done.returncode}")
        return done.stdout

    def make(self, python: str, constraints: str) -> None:
        """Anew, with lomtree's libraries and those of its tests."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        (self.folder / "constraints.txt").write_text(constraints)
        self.call("-m", "venv", self.folder / "venv", python=python)
        constrained = ("--constraint", self.folder / "constraints.txt")
        self.call("-m", "pip", "install", "--quiet", *constrained, "--editable", ".[test,python]")

    def test(self) -> str:
        said = self.call("-m", "pytest", "-q", "-p", "no:cacheprovider", *CORE)
        return re.sub(r" in .*", "", said.strip().splitlines()[-1])

    def train(self, data: Path) -> list[str]:
        """The models' checksums."""
        found = []
        for name, options in MODELS.items():
            model = self.folder / f"{name.replace(' ', '-')}.lom"
            self.call("-m", "lomtree", "train", data, *options, "--quiet", "-f", model)
            found.append(f"{zlib.crc32(model.read_bytes()):08x}")
        return found


def examine(environment: Environment, python: str, constraints: str, tested: bool) -> Row:
    """Models come before the tests: a test that fails does not keep them from being compared."""
    versions: list[str] = []
    models: list[str] = []
    try:
        environment.make(python, constraints)
        versions = environment.call("-I", "-c", VERSIONS).split()
        models = environment.train(environment.folder.parent / "names.vw")
        tests = environment.test() if tested else "not run"
    except FailedError as error:
        return Row(environment.name, versions, str(error), models, False)
    return Row(environment.name, versions, tests, models, True)


def describe(rows: list[Row]) -> str:
    headings = ["environment", "Python", "numba", "numpy", "tests", *MODELS]
    cells = []
    for row in rows:
        versions, models = row.versions or ["-"] * 3, [*row.models, *["-"] * len(MODELS)]
        tests = row.tests if row.well else f"failed: {row.tests}"
        cells.append([row.environment, *versions, tests, *models[: len(MODELS)]])
    return table(headings, cells)


def complaints(rows: list[Row]) -> list[str]:
    found = [f"{row.environment} failed: {row.tests}" for row in rows if not row.well]
    for number, name in enumerate(MODELS):
        files = {row.models[number] for row in rows if len(row.models) > number}
        if len(files) > 1:
            found.append(f"the models of {name} differ: there are {len(files)} of them")
    return found


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument(
        "pythons", nargs="*", metavar="PYTHON[-END]", help="[default: all of them, both ends]"
    )
    parser.add_argument("--no-tests", action="store_true", help="train the models alone")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "matrix", metavar="FOLDER")
    given = parser.parse_args()
    found = pythons()
    every = [(version, end) for version in found for end in ENDS]
    known = {*found, *map("-".join, every)}
    if unknown := [one for one in given.pythons if one not in known]:
        parser.error(f"there is no Python {', '.join(unknown)}; found: {', '.join(found)}")
    into = given.into.resolve()
    into.mkdir(parents=True, exist_ok=True)
    (into / "names.vw").write_text("".join(unicode_names.lines()[:LINES]))
    rows = []
    for version, end in every:
        name = f"{version}-{end}"
        if given.pythons and not {version, name} & set(given.pythons):
            continue
        constraints = ""
        if end == "oldest":
            constraints = lowest(requires("lomtree") or []) + OLDEST_SCIKIT
        environment = Environment(name, into / name)
        rows.append(examine(environment, found[version], constraints, not given.no_tests))
        print(*rows[-1].versions, rows[-1].tests, file=sys.stderr, flush=True)
    print(describe(rows))
    if wrong := complaints(rows):
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    run_script(main)
