"""Scripts whose data is not there leave what is published alone: text and pictures."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.report import MISSING
from scripts.reproduce import accuracy, tables
from scripts.reproduce.catalog import read_catalog
from scripts.reproduce.findings import read_findings
from scripts.sets import folder_of

ROOT = Path(__file__).parents[2]


def run(script: str, *arguments, folder: Path) -> subprocess.CompletedProcess:
    """In the project's root, with an empty folder of data sets."""
    done = subprocess.run(
        [sys.executable, "-m", f"scripts.{script}", *map(str, arguments)],
        cwd=ROOT,
        env={"LOMTREE_DATA": str(folder / "no data"), "PATH": "", "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done


def places(folder: Path) -> list[str]:
    """Where nothing was fetched and nothing was run."""
    return [f"--{name}={folder / name}" for name in ("data", "results", "finals")]


@pytest.fixture
def published(tmp_path) -> dict[str, Path]:
    """Copies of the documents, with pictures that are easily told."""
    copies = {}
    for name in ("results", "benchmarks", "reliability"):
        copies[name] = tmp_path / f"{name}.md"
        copies[name].write_bytes((ROOT / "docs" / f"{name}.md").read_bytes())
    for name in ("same_time", "time_ratio", "error_by_pass"):
        (tmp_path / f"{name}.svg").write_text("published")
    return copies


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_tables_that_know_nothing_do_not_replace_results(published, tmp_path):
    before = contents(tmp_path)
    arguments = (*places(tmp_path), "--into", tmp_path / "tables", "--write", published["results"])
    done = run("reproduce.tables", *arguments, folder=tmp_path)
    assert MISSING in done.stdout
    assert "stays as it is, for there is no data on isolet, clinc150" in done.stderr
    assert contents(tmp_path) == before


def test_figures_that_know_nothing_do_not_replace_pictures(published, tmp_path):
    pytest.importorskip("matplotlib")
    before = contents(tmp_path)
    arguments = (*places(tmp_path), "--beside", published["results"])
    done = run("reproduce.figures", *arguments, folder=tmp_path)
    assert "the figures stay as they are, for there is no data on isolet" in done.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("script", "document", "name"),
    [
        ("bench.beside_vw", "benchmarks", "isolet"),
        ("bench.beside_vw", "benchmarks", "bible-verses"),
        ("reproduce.accuracy", "results", "isolet"),
        ("reliability.bounds", "reliability", "bible-verses"),
    ],
)
def test_a_set_that_is_not_there_is_told_and_keeps_its_results(
    published, tmp_path, script, document, name
):
    before = contents(tmp_path)
    sets = () if script == "reliability.bounds" else (name,)
    done = run(script, *sets, "--write", published[document], folder=tmp_path)
    assert f"{name}: data not available in {tmp_path / 'no data'}\n" in done.stderr
    assert contents(tmp_path) == before


def test_sets_that_were_fetched_but_not_run_are_unknown_too(tmp_path):
    catalog = read_catalog()
    findings = read_findings(catalog, tmp_path, tmp_path / "runs", tmp_path / "finals")
    assert tables.unknown_of(findings) == list(catalog)
    fetched = [one._replace(fetched=True) for one in findings]
    assert tables.unknown_of(fetched) == list(catalog)


def test_measuring_some_sets_does_not_drop_the_others(published, tmp_path, monkeypatch, capsys):
    """`accuracy isolet --write` would have left a table of isolet alone."""
    before = contents(tmp_path)
    (tmp_path / "isolet").mkdir()
    for part in ("train", "test"):
        (tmp_path / "isolet" / f"{part}.svm.gz").touch()
    monkeypatch.setenv("LOMTREE_DATA", str(tmp_path))
    monkeypatch.setattr(accuracy, "Set", lambda *_: None)
    monkeypatch.setattr(accuracy, "rows_of", lambda _: [["isolet", *["5%"] * 8]])
    monkeypatch.setattr(sys, "argv", ["accuracy", "isolet", "--write", str(published["results"])])
    accuracy.main()
    said = capsys.readouterr()
    assert "| isolet | 5% |" in said.out
    assert "there is no data on aloi-438, clinc150, " in said.err
    assert contents(tmp_path) == before


def test_a_set_is_found_where_it_was_built_if_it_is_nowhere_else(tmp_path, monkeypatch):
    monkeypatch.setenv("LOMTREE_DATA", str(tmp_path / "data"))
    fetched = tmp_path / "fetched"
    assert folder_of("a", fetched) is None
    built, given = fetched / "a" / "fetched", tmp_path / "data" / "a"
    for folder in (built, given):
        folder.mkdir(parents=True)
        (folder / "train.vw.gz").touch()
        assert folder_of("a", fetched) != folder  # half of a set is none
        (folder / "test.vw.gz").touch()
        assert folder_of("a", fetched) == folder
