"""What was measured on each set, in one place for the tables, the hypotheses and the figures."""

from math import log2
from pathlib import Path
from typing import Any, NamedTuple

from catalog import Dataset
from finals import latest
from grid import ALGORITHMS, best_of, rows_about
from journal import Journal

TITLES = {"lomtree": "LOMtree", "rtree": "Rtree", "filter": "Filter tree", "oaa": "OAA"}


class Finding(NamedTuple):
    """A set with what the sweep and the finals say of it; rows are empty where nothing was run."""

    dataset: Dataset
    best: dict[str, dict[str, Any]]  # by algorithm
    compact: dict[str, Any]
    hurried: dict[str, Any]
    untrained: dict[str, Any]
    passes: dict[str, dict[str, Any]]  # by algorithm: the row of the sweep that was best
    tried: int  # settings
    fetched: bool

    @property
    def name(self) -> str:
        return self.dataset.name

    @property
    def classes(self) -> int:
        return self.best["lomtree"]["classes"]

    @property
    def complete(self) -> bool:
        return "lomtree" in self.best

    def test_microseconds(self, algorithm: str) -> float | None:
        """Of one example; of one-against-all without training where it cannot be trained."""
        row = self.best.get(algorithm, {})
        if algorithm == "oaa" and not row:
            row = self.untrained
        return row.get("test_microseconds")

    @property
    def test_ratio(self) -> float | None:
        """How many times as long one-against-all takes to answer."""
        oaa, tree = self.test_microseconds("oaa"), self.test_microseconds("lomtree")
        return oaa / tree if oaa and tree else None

    @property
    def train_ratio(self) -> float | None:
        if "oaa" not in self.best or not self.complete:
            return None
        return self.best["oaa"]["train_seconds"] / self.best["lomtree"]["train_seconds"]

    @property
    def depth_ratio(self) -> float:
        """The LOMtree's mean depth over log2 k."""
        return self.best["lomtree"]["mean_depth"] / log2(max(self.classes, 2))


def _sweep_row(rows: list[dict[str, Any]], algorithm: str) -> dict[str, Any]:
    best = best_of(rows, algorithm=algorithm)
    return next((row for row in rows if best and row["key"] == best[0].key), {})


def _finding(
    dataset: Dataset, rows: list[dict[str, Any]], final: dict[tuple[str, str], dict[str, Any]]
) -> Finding:
    return Finding(
        dataset,
        {one: final["best", one] for one in ALGORITHMS if ("best", one) in final},
        final.get(("compact", "lomtree"), {}),
        final.get(("hurried", "oaa"), {}),
        final.get(("untrained", "oaa"), {}),
        {one: row for one in ALGORITHMS if (row := _sweep_row(rows, one))},
        len(rows),
        True,
    )


def read_findings(
    catalog: dict[str, Dataset], data: Path, results: Path, finals: Path
) -> list[Finding]:
    """All sets of the catalog, in its order; of those that are not there nothing is known."""
    rows, final = Journal(results).rows(), Journal(finals).rows()
    found = []
    for name, dataset in catalog.items():
        if not dataset.is_in(data):
            found.append(Finding(dataset, {}, {}, {}, {}, {}, 0, False))
            continue
        fingerprint = dataset.fingerprint(data)
        tried, tested = (rows_about(part, name, fingerprint) for part in (rows, final))
        found.append(_finding(dataset, tried, latest(tested)))
    return found


def by_classes(findings: list[Finding]) -> list[Finding]:
    """Those that were measured, the smallest k first."""
    return sorted((one for one in findings if one.complete), key=lambda one: one.classes)
