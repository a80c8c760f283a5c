"""What was measured on each set, in one place for the tables, the hypotheses and the figures."""

from math import log2
from pathlib import Path
from typing import Any, NamedTuple

from scripts.reproduce.catalog import Dataset
from scripts.reproduce.counts import Counts
from scripts.reproduce.finals import finals_of, measured, swept
from scripts.reproduce.grid import ALGORITHMS, best_of, rows_about
from scripts.reproduce.journal import Journal
from scripts.reproduce.trial import half_interval

TITLES = {
    "lomtree": "lomtree",
    "paper": "LOMtree",
    "rtree": "Rtree",
    "filter": "Filter tree",
    "oaa": "OAA",
}

AVERAGED = ("train_seconds", "test_microseconds", "learned", "mean_depth")

Rows = list[dict[str, Any]]


class Finding(NamedTuple):
    """A set with what the sweep and the finals say of it; rows are empty where nothing was run."""

    dataset: Dataset
    best: dict[str, dict[str, Any]]  # by algorithm
    compact: dict[str, Any]
    hurried: dict[str, Any]
    untrained: dict[str, Any]
    chosen: list[dict[str, Any]]  # the finals of each split and algorithm
    passes: dict[str, dict[str, Any]]  # by algorithm: the first split's row of the sweep
    tried: int  # settings
    fetched: bool
    counts: Counts | None = None  # of its rows, where they are here
    seconds: float | None = None  # of one core, for all that was run on it; none if not known

    @property
    def name(self) -> str:
        return self.dataset.name

    @property
    def classes(self) -> int:
        return next(iter(self.best.values()))["classes"]

    @property
    def complete(self) -> bool:
        """Whether a LOMtree was measured."""
        return "lomtree" in self.best or "paper" in self.best

    def test_microseconds(self, algorithm: str) -> float | None:
        """Of one example; of one-against-all without training where it cannot be trained."""
        row = self.best.get(algorithm, {})
        if algorithm == "oaa" and not row:
            row = self.untrained
        return row.get("test_microseconds")

    def test_ratio(self, tree: str) -> float | None:
        """How many times as long as a tree one-against-all takes to predict."""
        oaa, own = self.test_microseconds("oaa"), self.test_microseconds(tree)
        return oaa / own if oaa and own else None

    def depth_ratio(self, tree: str) -> float:
        """A tree's mean depth over that of a balanced one of as many leaves; splits may have trees
        of different sizes, so it is averaged last."""
        trees = [row for row in self.chosen if row["setting"]["algorithm"] == tree]
        ratios = [row["mean_depth"] / log2(max(row["internal_nodes"], 1) + 1) for row in trees]
        return sum(ratios) / len(ratios)


def _sweep_row(rows: list[dict[str, Any]], algorithm: str) -> dict[str, Any]:
    best = best_of(rows, algorithm=algorithm)
    return next((row for row in rows if best and row["key"] == best.setting.key), {})


def together(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One row for those of all splits; empty if one is missing. Errors are counted over all test
    parts, which have no row in common; what else is a number is averaged."""
    if not all(rows):
        return {}
    found = dict(rows[0])
    for name in AVERAGED:
        if found.get(name) is not None:
            found[name] = sum(row[name] for row in rows) / len(rows)
    if "error" in found:
        found["tested"] = sum(row["tested"] for row in rows)
        found["error"] = sum(row["error"] * row["tested"] for row in rows) / found["tested"]
        found["interval"] = half_interval(found["error"], found["tested"])
    return found


def _finding(dataset: Dataset, data: Path, runs: Rows, tested: Rows, grid: str) -> Finding:
    rows, finals = [], []
    for one in dataset.splits:
        rows.append(swept(one, data, runs, grid))
        about = rows_about(tested, one.label, one.fingerprint(data))
        finals.append(measured(finals_of(rows[-1]), about))

    def of(kind: str, algorithm: str) -> dict[str, Any]:
        return together([final.get((kind, algorithm), {}) for final in finals])

    keys = [("best", algorithm) for algorithm in ALGORITHMS]
    return Finding(
        dataset,
        {one: row for one in ALGORITHMS if (row := of("best", one))},
        of("compact", "paper"),
        of("hurried", "oaa"),
        of("untrained", "oaa"),
        [final[key] for final in finals for key in keys if key in final],
        {one: row for one in ALGORITHMS if (row := _sweep_row(rows[0], one))},
        sum(map(len, rows)),
        True,
        dataset.splits[0].counts(data),
        _seconds([row for some in (*rows, *(one.values() for one in finals)) for row in some]),
    )


def _seconds(rows: Rows) -> float | None:
    """Earlier programs did not note how long a row took."""
    if not rows or not all("seconds" in row for row in rows):
        return None
    return sum(row["seconds"] for row in rows)


def read_findings(
    catalog: dict[str, Dataset], data: Path, results: Path, finals: Path, grid: str = "quick"
) -> list[Finding]:
    """What a grid found on all sets of the catalog, in its order; of those that are not there
    nothing is known."""
    rows, final = Journal(results).rows(), Journal(finals).rows()
    return [
        _finding(one, data, rows, final, grid)
        if all(split.is_in(data) for split in one.splits)
        else Finding(one, {}, {}, {}, {}, [], {}, 0, False)
        for one in catalog.values()
    ]


def by_classes(findings: list[Finding]) -> list[Finding]:
    """Those that were measured, the smallest k first."""
    return sorted((one for one in findings if one.complete), key=lambda one: one.classes)
