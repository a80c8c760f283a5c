"""The tables are of the sets that are named, or of all that the catalog has."""

import pytest

from scripts.reproduce import tables
from scripts.reproduce.catalog import read_catalog


@pytest.mark.parametrize("words", [["isolet", "odp"], []])
def test_tables_are_of_the_sets_that_are_asked_for(tmp_path, monkeypatch, words):
    told: list = []
    monkeypatch.setattr(tables, "section", lambda findings, _grid: told.extend(findings) or "")
    folders = ["--into", str(tmp_path), "--data", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["tables", *words, *folders])
    tables.main()
    assert [one.name for one in told] == (words or list(read_catalog()))


def test_tables_of_no_set_are_a_mistake(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["tables", "isolete"])
    with pytest.raises(SystemExit, match="2"):
        tables.main()
    assert "no such set: isolete" in capsys.readouterr().err
