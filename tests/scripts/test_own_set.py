"""A set of one's own: three lines of TOML, as docs/reproduce.md shows, and a sentence for every
mistake in them."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import unicode_names
from scripts.reproduce.catalog import CatalogError, read_catalog
from scripts.reproduce.counts import Counts

ROOT = Path(__file__).parents[2]
LINES = 600  # of the worked example's 3,000: the test has little time


def run(script: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    words = [sys.executable, "-m", f"scripts.reproduce.{script}", "--catalog", "mine.toml"]
    return subprocess.run(
        [*words, *arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )


def test_the_worked_example(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("LOMTREE_DATA", raising=False)
    page = (ROOT / "docs" / "reproduce.md").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0])
    (tmp_path / "names.vw").write_text("".join(unicode_names.lines()[:LINES]))
    grid = ["--grid", "smallest"]
    for script, *arguments in (["fetch"], ["sweep", *grid], ["finals", *grid], ["tables", *grid]):
        done = run(script, tmp_path, *arguments)
        assert done.returncode == 0, done.stderr
    made = tmp_path / "build" / "reproduce"
    assert len((made / "runs.jsonl").read_text().splitlines()) == 7
    errors = (made / "tables" / "table_4_errors.md").read_text()
    assert re.search(r"mine *\| \d+\.\d\d% ± .*\| \d+\.\d\d% ± .*\| \d+\.\d\d% ± ", errors)
    counts = read_catalog(tmp_path / "mine.toml")["mine"].counts(made / "data")
    assert counts.examples == LINES
    assert f"| mine | {counts.features:,} | {LINES} | {counts.classes:,} |" in re.sub(
        " +", " ", (made / "tables" / "table_1_data.md").read_text()
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('format = "vw"', r"\[mine\] says neither path nor url"),
        ('path = "a"', r"\[mine\] has no format; it is one of vw, libsvm, fasttext"),
        ('path = "a"\nformat = "csv"', r"\[mine\] has format = 'csv'; it is one of .*convert"),
        ('paht = "a"\nformat = "vw"', r"\[mine\] has the unknown key 'paht'; known are title"),
        ('path = 3\nformat = "vw"', r"\[mine\] has path = 3, which is of the wrong type"),
        ('path = []\nformat = "vw"', r"\[mine\] has path with neither one file nor two"),
        ('path = "a"\nformat = "vw"\nsplits = true', r"splits = True, which is of the wrong type"),
        ("path = ", r"mine.toml is no TOML: "),
        ('path = [1]\nformat = "vw"', r"\[mine\] has 1 in path, which is no name of a file"),
        ('path = ""\nformat = "vw"', r"\[mine\] has '' in path, which is no name of a file"),
        ('path = "a"\nurl = "b"\nformat = "vw"', r"\[mine\] says path and url: which"),
        ('url = "a.vw"\nformat = "vw"', r"\[mine\] has 'a.vw' in url, which is no http://"),
        ('url = "http://a/"\nformat = "vw"', r"\[mine\] has 'http://a/' in url, which is no"),
        ('mirrors = [3]\nformat = "vw"', r"\[mine\] has the mirror 3, which is not { urls"),
        ('mirrors = [{urls = 3}]\nformat = "vw"', r"\[mine\] has 3 in urls, which is no name"),
        ('path = "a"\nformat = "vw"\nsplits = 0', r"\[mine\] has splits = 0; from 1 to 10"),
        ('path = "a"\nformat = "vw"\nlayout = "b"', r"\[mine\] has layout = 'b'; known: csv-"),
        ('path = "a"\nformat = "vw"\nbuilder = "b"', r"\[mine\] has builder = 'b'; known: aloi"),
        ('path = "a"\nformat = "vw"\nlarge = true', r"\[mine\] is large, so it is not counted:"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, text, sentence):
    (tmp_path / "mine.toml").write_text(f"[mine]\n{text}\n")
    with pytest.raises(CatalogError, match=sentence) as told:
        read_catalog(tmp_path / "mine.toml")
    assert "\n" not in str(told.value)


def test_an_entry_that_is_no_table_and_a_file_that_is_not_there(tmp_path):
    (tmp_path / "mine.toml").write_text('mine = "a.vw"\n')
    with pytest.raises(CatalogError, match=r"\[mine\] is no table"):
        read_catalog(tmp_path / "mine.toml")
    with pytest.raises(CatalogError, match="no such file"):
        read_catalog(tmp_path / "nothing.toml")


def test_scripts_end_with_the_sentence_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "mine.toml").write_text("[mine]\n")
    for script in ("fetch", "sweep"):
        done = run(script, tmp_path)
        assert done.returncode == 2
        assert done.stderr == "mine.toml: [mine] says neither path nor url: where is it?\n"


def test_rows_that_are_not_of_the_format_are_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "mine.toml").write_text('[mine]\npath = "rows"\nformat = "libsvm"\n')
    (tmp_path / "rows").write_text("a | b c\n" * 30)
    done = run("fetch", tmp_path)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("mine: a row of rows is not libsvm: expected INDEX:VALUE")


CUT = gzip.compress(b"a | b\n" * 99, mtime=0)[:-9]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("gone.vw", None, "gone.vw is no file"),
        ("few.vw", b"a | b\n" * 5, "it has too few rows: some are to train with"),
        ("rows.vw.gz", b"a | b\n", "rows.vw.gz cannot be read: Not a gzipped file"),
        ("cut.vw.gz", CUT, "cut.vw.gz cannot be read: Compressed"),
        ("rows.vw.bz2", b"a | b\n", "rows.vw.bz2 cannot be read: Invalid data stream"),
        ("rows.vw.xz", b"a | b\n", "rows.vw.xz cannot be read: Input format not supported"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_and_nothing_goes_on(
    tmp_path, monkeypatch, name, content, sentence
):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "mine.toml").write_text(f'[mine]\npath = "{name}"\nformat = "vw"\n')
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = run("fetch", tmp_path)
    first, last = done.stderr.splitlines()
    assert done.returncode == 2
    assert first.startswith(f"mine         data not available: {sentence}")
    assert last == "none of these sets is there, so there is nothing to do"


def test_an_entrys_name_is_that_of_a_folder(tmp_path):
    (tmp_path / "mine.toml").write_text('["../a"]\npath = "a"\nformat = "vw"\n')
    with pytest.raises(CatalogError, match=r"\[\.\./a\] is no name for a set: it takes letters"):
        read_catalog(tmp_path / "mine.toml")


def test_a_file_without_a_set_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "mine.toml").touch()
    done = run("fetch", tmp_path)
    assert (done.returncode, done.stderr) == (2, "mine.toml has no sets\n")


def test_a_set_that_the_file_does_not_have_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "mine.toml").write_text('[mine]\npath = "a"\nformat = "vw"\n')
    for script in ("fetch", "sweep", "finals"):
        done = run(script, tmp_path, "other")
        assert done.returncode == 2
        assert done.stderr == "no set is called other; there are mine\n"


def test_counts(tmp_path):
    (tmp_path / "mine.toml").write_text('[mine]\npath = "a"\nformat = "libsvm"\n')
    dataset = read_catalog(tmp_path / "mine.toml")["mine"]
    for number, part in enumerate(("train", "validation", "test")):
        path = dataset.part(tmp_path, part)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(b"a 1:1 2:1\nb 2:1 %d:1\n" % (3 + number)))
    assert dataset.counts(tmp_path) == Counts(5, 6, 2)
    note = tmp_path / "mine" / "counts.json"
    note.write_text(note.read_text().replace("[5, 6, 2]", "[7, 8, 9]"))
    assert dataset.counts(tmp_path) == Counts(7, 8, 9)  # not counted again
    note.write_text("{")
    assert dataset.counts(tmp_path) == Counts(5, 6, 2)
