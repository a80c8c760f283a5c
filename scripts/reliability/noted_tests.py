"""A plugin of pytest's: a file of tests is noted in a journal as soon as its last test has ended.

    NOTED_IN=journal.jsonl NOTED_AS=user python -m pytest -p scripts.reliability.noted_tests

A run that is ended early, or that a test ends with itself, has noted what it did before.
"""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

FIGURES = ("passed", "skipped", "failed")


def file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


def note(journal: Path, way: str, file: str, figures: Counter, which: list[str]) -> None:
    """A line of the journal; the last one of a file counts."""
    entry = {"way": way, "file": file, "figures": figures, "which": which}
    with journal.open("a") as lines:
        lines.write(json.dumps(entry) + "\n")


def entries_of(journal: Path) -> list[dict[str, Any]]:
    if not journal.exists():
        return []
    return [json.loads(line) for line in journal.read_text().splitlines()]


def noted(entries: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """The last entry of each file, by the way in which it was run."""
    return {(entry["way"], entry["file"]): entry for entry in entries}


class Notes:
    """The figures of the file whose tests are running."""

    def __init__(self, journal: Path, way: str) -> None:
        self._journal, self._way = journal, way
        self._figures, self._which = Counter(), []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self._figures[report.outcome] += 1
        if report.outcome == "failed":
            self._which.append(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None):
        done = yield
        file = file_of(item.nodeid)
        if nextitem is None or file_of(nextitem.nodeid) != file:
            note(self._journal, self._way, file, self._figures, self._which)
            self._figures, self._which = Counter(), []
        return done

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be imported, or that is skipped as a whole."""
        if report.outcome != "passed":
            figures = Counter({report.outcome: 1})
            which = [report.nodeid] if report.failed else []
            note(self._journal, self._way, file_of(report.nodeid), figures, which)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Notes(Path(os.environ["NOTED_IN"]), os.environ["NOTED_AS"]))
