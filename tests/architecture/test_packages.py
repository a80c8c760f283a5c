"""The house has rooms: what is where, what each says of itself, and what it reaches into."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

import lomtree

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "lomtree"
PACKAGES = sorted(path.parent for path in PACKAGE.rglob("__init__.py") if path.parent != PACKAGE)
SOURCES = sorted(
    path for top in ("lomtree", "tests", "scripts") for path in (ROOT / top).rglob("*.py")
)


def name_of(package: Path) -> str:
    return str(package.relative_to(PACKAGE))


def docstring_of(package: Path) -> str:
    return ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""


def test_the_root_holds_the_front_door_alone():
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}
    assert lomtree.__doc__


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_every_package_says_what_it_is_for_and_what_it_may_import(package):
    first, *_, last = docstring_of(package).split("\n\n")
    assert len(first) > 20
    assert last.startswith("May import")
    table = (ROOT / "docs" / "architecture.md").read_text()
    [row] = re.findall(rf"^\| `{name_of(package)}` \|.*$", table, re.MULTILINE)
    assert " ".join(last.split()) in row
    assert re.split(r"(?<=\.)\s", " ".join(first.split()))[0] in row


def test_no_file_is_too_long_to_read():
    long = [str(path) for path in SOURCES if len(path.read_text().splitlines()) > 350]
    assert long == []


def test_inspection_asks_learners_through_methods():
    for path in (PACKAGE / "inspection").glob("*.py"):
        touched = [
            node.attr
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Attribute) and node.attr in ("state", "ranker", "combination")
        ]
        assert touched == [], path


def test_only_the_table_of_algorithms_compares_their_names():
    name = r"[\"'](lomtree|rtree|filter|oaa)[\"']"
    names = rf"[!=]=\s*{name}|{name}\s*[!=]=|\bin \({name}"
    for path in PACKAGE.rglob("*.py"):
        assert not re.search(names, path.read_text()), path


def test_tests_lie_as_the_packages_do():
    for package in PACKAGES:
        mirror = ROOT / "tests" / package.relative_to(PACKAGE)
        assert list(mirror.glob("test_*.py")), mirror


def test_the_contracts_of_the_imports_are_kept():
    lint = Path(subprocess.sys.executable).with_name("lint-imports")
    done = subprocess.run([lint], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout
