"""A run of the suite in pieces: what went well is not run again, and all that ends it is noted."""

from pathlib import Path

from scripts.reliability import hostile
from scripts.reliability.noted_tests import entries_of

ROOT = Path(__file__).parents[2]
TESTS = {
    "test_dies.py": "import os\ndef test_dies():\n    os._exit(3)\n",
    "test_fails.py": "def test_fails():\n    assert False\ndef test_passes():\n    pass\n",
    "test_passes.py": "import pytest\ndef test_passes():\n    pass\n"
    "@pytest.mark.skip\ndef test_skipped():\n    pass\n",
    "test_wrong.py": "import nothing_of_this_name\n",
}


def run(names: list[str], journal: Path) -> list[dict]:
    """What a run over the files adds to the journal."""
    before = len(entries_of(journal))
    hostile.go_on("bounds", names, journal)
    return entries_of(journal)[before:]


def test_a_run_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(hostile, "ROOT", tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name, text in TESTS.items():
        (tmp_path / name).write_text(text)
    names, journal = hostile.files_of(["."]), tmp_path / "journal.jsonl"
    assert names == list(TESTS)
    first = {entry["file"]: entry["figures"] for entry in run(names, journal)}
    assert first == {
        "test_dies.py": {"failed": 1},
        "test_fails.py": {"failed": 1, "passed": 1},
        "test_passes.py": {"passed": 1, "skipped": 1},
        "test_wrong.py": {"failed": 1},
    }
    (tmp_path / "test_dies.py").write_text("def test_lives():\n    pass\n")
    again = {entry["file"]: entry["figures"] for entry in run(names, journal)}
    assert again == {
        "test_dies.py": {"passed": 1},
        "test_fails.py": {"failed": 1, "passed": 1},
        "test_wrong.py": {"failed": 1},
    }
    text, failed = hostile.report(["bounds"], journal)
    assert "| with bounds checks | 4 | 3 | 1 | 2 |" in text
    assert failed == ["bounds: test_fails.py::test_fails", "bounds: test_wrong.py"]
