"""The settings that the paper tries, and a few of them that are tried in minutes."""

from collections.abc import Iterator
from itertools import product
from math import inf
from typing import Any, NamedTuple

from scripts.program import PROGRAM

# "lomtree" is this program as it is by default: ranked, with nothing to choose but the passes.
# "paper" is Algorithm 1 and nothing else (--paper), with the paper's step sizes, T and R_S, and one
# walk.
ALGORITHMS = ("lomtree", "paper", "rtree", "filter", "oaa")
LARGEST_FOR_OAA = 1000  # classes; the paper leaves it out where there are more, too
PASSES = 20  # at most
PATIENCE = 3  # a setting without a new best validation error in so many passes is stopped


class Grid(NamedTuple):
    rates: tuple[float, ...]  # step sizes
    nodes: tuple[int, ...]  # T = this times k, minus 1
    resistances: tuple[float, ...]  # R_S
    default_passes: tuple[int, ...]  # that "lomtree" is tried with
    most: float = inf  # examples to go through: large sets get fewer passes

    def passes(self, examples: int) -> int:
        return int(max(1, min(PASSES, self.most // examples)))


GRIDS = {
    "smallest": Grid((1,), (4,), (4,), (1, 3, 10), 3e5),
    "quick": Grid((0.25, 1, 4), (1, 4, 16), (4, 32), (1, 3, 10), 2e6),
    "full": Grid(
        (0.25, 0.5, 0.75, 1, 2, 4, 8),
        (1, 2, 4, 8, 16, 32, 64),
        (4, 8, 16, 32, 64, 128, 256),
        (1, 3, 10, 20),
    ),
}


class Setting(NamedTuple):
    """What one training is done with; with the version it is the name of its result."""

    set: str
    algorithm: str
    rate: float  # 0 where it is the default
    nodes: int  # 0 where there is no T
    resistance: float  # 0 where there is no R_S
    passes: int = PASSES
    seed: int = 0
    data: str = ""  # the fingerprint of the set

    @property
    def key(self) -> str:
        return " ".join(map(str, (*self._replace(rate=float(self.rate)), PROGRAM)))


def setting_of(row: dict[str, Any]) -> Setting:
    return Setting(**row["setting"])


def settings(
    name: str, grid: Grid, classes: int, examples: int, seed: int = 0, data: str = ""
) -> Iterator[Setting]:
    """All that is tried on a set; what the quick grid tries on a set that is not large, the full
    one does not try again."""
    most = grid.passes(examples)
    rest = (most, seed, data)
    for passes in sorted({min(passes, most) for passes in grid.default_passes}):
        yield Setting(name, "lomtree", 0, 0, 0, passes, seed, data)
    for nodes, resistance, rate in product(grid.nodes, grid.resistances, grid.rates):
        yield Setting(name, "paper", rate, nodes, resistance, *rest)
    for algorithm, rate in product(ALGORITHMS[2:], grid.rates):
        if algorithm != "oaa" or classes <= LARGEST_FOR_OAA:
            yield Setting(name, algorithm, rate, 0, 0, *rest)


def rows_about(rows: list[dict[str, Any]], name: str, data: str) -> list[dict[str, Any]]:
    """Those of this version about a set, as it is now."""
    return [
        row
        for row in rows
        if row["version"] == PROGRAM
        and (row["setting"]["set"], row["setting"]["data"]) == (name, data)
    ]


def rows_of_grid(
    rows: list[dict[str, Any]], grid: Grid, classes: int, examples: int
) -> list[dict[str, Any]]:
    """Those whose settings the grid has: the journal has those of all grids."""
    found = [setting_of(row) for row in rows]
    names = {(one.set, one.seed, one.data) for one in found}
    tried = {
        setting
        for name, seed, data in names
        for setting in settings(name, grid, classes, examples, seed, data)
    }
    return [row for row, setting in zip(rows, found, strict=True) if setting in tried]


class Choice(NamedTuple):
    """Fewer errors are better; then fewer passes."""

    error: float  # on validation data
    passes: int
    setting: Setting


def best_of(rows: list[dict[str, Any]], **wanted: Any) -> Choice | None:
    """The setting with the least validation error among the rows whose settings say `wanted`."""
    found = []
    for row in rows:
        if all(row["setting"][name] == value for name, value in wanted.items()):
            error = min(row["validation"])
            passes = row.get("passes") or row["validation"].index(error) + 1
            found.append(Choice(error, passes, setting_of(row)))
    return min(found, default=None)
