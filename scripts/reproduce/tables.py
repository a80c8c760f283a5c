"""The paper's tables with what was measured here beside what the paper says.

    python -m scripts.reproduce.tables [SET ...] [--grid quick|full] [--into build/reproduce/tables]
                             [--write docs/results.md]

Reads what fetch.py, sweep.py and finals.py left in build/reproduce (--data, --results, --finals).
Each table is written as Markdown and CSV; --write puts all of them into a marked section, which
each grid has for itself, unless that has results of a set which nothing is known of now. The full
grid's section has what the grid changes: the errors, the settings and the hypotheses.
"""

import argparse
import csv
import datetime
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from scripts.command import add_write, parser_of, run_script
from scripts.program import PROGRAM
from scripts.report import MISSING, NOT_RUN, table, write_section
from scripts.reproduce.catalog import CATALOG, read_catalog
from scripts.reproduce.findings import TITLES, Finding, read_findings
from scripts.reproduce.grid import (
    ALGORITHMS,
    GRIDS,
    LARGEST_FOR_OAA,
    PASSES,
    PATIENCE,
)
from scripts.reproduce.hypotheses import hypotheses
from scripts.reproduce.intervals import intervals

SECTIONS = {  # by grid
    "smallest": "the smallest grid",
    "quick": "the paper's experiments",
    "full": "the full grid",
}
NOTHING = "-"


class Table(NamedTuple):
    name: str
    title: str
    headings: list[str]
    rows: list[list[str]]

    @property
    def markdown(self) -> str:
        return f"**{self.title}**\n\n{table(self.headings, self.rows)}"


def _missing(one: Finding, ran: str) -> str:
    """Why a cell is empty: no data, or nothing was run yet."""
    return ran if one.fetched else MISSING


def _without_oaa(one: Finding) -> str:
    """Why one-against-all has no row, where its set is there."""
    few = one.counts is not None and one.counts.classes <= LARGEST_FOR_OAA
    return NOT_RUN if few else "too many classes"


def _times(
    one: Finding, values: list[float | None], show: Callable[[float], str], absent: str
) -> list[str]:
    """Two times and their ratio."""
    tree, oaa = values
    if tree is None:
        return [_missing(one, NOT_RUN), NOTHING, NOTHING]
    if oaa is None:
        return [show(tree), absent, NOTHING]
    ratio = oaa / tree
    return [show(tree), show(oaa), f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"]


def data_table(findings: list[Finding]) -> Table:
    """What was counted in the sets that are here, and what the paper says of its own."""
    rows = []
    for one in findings:
        facts, paper = one.dataset.facts, one.dataset.paper
        here = [MISSING, NOTHING, NOTHING]
        if one.counts:
            here = [f"{number:,}" for number in one.counts]
        said = [str(paper.get(name, NOTHING)) for name in ("size", "features", "examples")]
        classes = str(paper.get("classes", NOTHING))
        rows.append([one.name, *here, *said, classes, facts.get("stands_for", NOTHING)])
    names = ["features", "examples", "classes"]
    headings = ["set", *names, *(f"paper: {name}" for name in ["size", *names]), "stands for"]
    return Table("table_1_data", "Table 1: data", headings, rows)


def training_table(findings: list[Finding]) -> Table:
    def show(seconds: float) -> str:
        return f"{seconds:.2f} s"

    rows = []
    for one in findings:
        here = [one.best.get(name, {}).get("train_seconds") for name in ("paper", "oaa")]
        said = one.dataset.paper.get("train_seconds", {})
        paper: list[float | None] = [said.get("lomtree"), said.get("oaa")]
        shown = _times(one, paper, show, NOTHING) if said else [NOTHING] * 3
        rows.append([one.name, *_times(one, here, show, _without_oaa(one)), *shown])
    return Table("table_2_training", "Table 2: training time", _time_headings(), rows)


def testing_table(findings: list[Finding]) -> Table:
    def show(milliseconds: float) -> str:
        if milliseconds < 0.05:
            return f"{1000 * milliseconds:.3g} us"
        return f"{milliseconds:.3g} ms" if milliseconds < 1000 else f"{milliseconds:,.0f} ms"

    rows = []
    for one in findings:
        times = [one.test_microseconds(name) for name in ("paper", "oaa")]
        here = [None if taken is None else taken / 1000 for taken in times]
        said = one.dataset.paper.get("test_milliseconds", {})
        paper: list[float | None] = [said.get("lomtree"), said.get("oaa")]
        shown = _times(one, paper, show, NOTHING) if said else [NOTHING] * 3
        cells = _times(one, here, show, NOT_RUN)
        if "oaa" not in one.best and one.untrained:
            cells[1] += " (untrained)"
        rows.append([one.name, *cells, *shown])
    return Table("table_3_testing", "Table 3: test time of an example", _time_headings(), rows)


def _time_headings() -> list[str]:
    names = ["LOMtree", "OAA", "OAA / LOMtree"]
    return ["set", *names, *(f"paper: {name}" for name in names)]


def error_table(findings: list[Finding]) -> Table:
    rows = []
    for one in findings:
        cells = []
        for name in ALGORITHMS:
            row = one.best.get(name)
            absent = _missing(one, _without_oaa(one) if name == "oaa" else NOT_RUN)
            cells.append(f"{row['error']:.2%} ± {row['interval']:.2%}" if row else absent)
        for name in ALGORITHMS[1:]:
            # What the paper calls a LOMtree is what is called "paper" here.
            said = one.dataset.paper.get("errors", {}).get("lomtree" if name == "paper" else name)
            cells.append(f"{said[0]:.2f}% ± {said[1]:.2f}%" if said else NOTHING)
        rows.append([one.name, *cells])
    names = [TITLES[name] for name in ALGORITHMS]
    headings = ["set", *names, *(f"paper: {name}" for name in names[1:])]
    return Table("table_4_errors", "Table 4: test error, 95% interval", headings, rows)


def setting_table(findings: list[Finding]) -> Table:
    """What validation chose on each split: the paper does not tell, but whoever checks needs it."""
    rows = [_setting_cells(row) for one in findings for row in one.chosen]
    headings = ["set", "algorithm", "step size", "T", "R_S", "passes", "validation error"]
    headings += ["test error", "internal nodes", "mean depth", "largest depth"]
    return Table("settings", "The settings with the least validation error", headings, rows)


def _setting_cells(row: dict[str, Any]) -> list[str]:
    chosen = row["setting"]
    shape, tree = [NOTHING] * 2, [NOTHING] * 3
    if chosen["algorithm"] == "paper":
        shape = [f"{chosen['nodes']}k - 1", f"{chosen['resistance']:g}"]
    if chosen["algorithm"] != "oaa":
        tree = [f"{row['internal_nodes']:,}", f"{row['mean_depth']:.4g}", f"{row['largest_depth']}"]
    rate = f"{chosen['rate']:g}" if chosen["rate"] else "default"
    words = [chosen["set"], TITLES[chosen["algorithm"]], rate, *shape]
    return [*words, str(row["passes"]), f"{row['validation']:.2%}", f"{row['error']:.2%}", *tree]


def same_time_table(findings: list[Finding]) -> Table:
    rows = []
    for one in findings:
        if one.compact and one.hurried:
            cells = [
                f"{row['error']:.2%} ± {row['interval']:.2%}" for row in (one.compact, one.hurried)
            ]
            budget, learned = one.compact["train_seconds"], one.hurried["learned"]
            cells += [f"{budget:.2f} s", f"{learned:,.0f}"]
            rows.append([one.name, f"{one.classes:,}", *cells])
    headings = ["set", "k", "LOMtree, T = k - 1", "OAA in the same time", "time", "OAA learned"]
    return Table("figure_1_same_time", "Figure 1: test error in the same time", headings, rows)


def all_tables(findings: list[Finding]) -> list[Table]:
    makers = (data_table, training_table, testing_table, error_table, setting_table)
    return [*(make(findings) for make in makers), same_time_table(findings)]


def unknown_of(findings: list[Finding], grid: str = "quick") -> list[str]:
    """The sets that a table has no result of: their data is not here, or not all was run yet."""
    rows = [row for one in all_tables(findings) for row in one.rows]
    lacking = {row[0] for row in rows if {MISSING, NOT_RUN} & set(row)}
    if 1 in GRIDS[grid].nodes:
        lacking |= {one.name for one in findings if not (one.compact and one.hurried)}
    return [one.name for one in findings if one.name in lacking]


def made_on(findings: list[Finding], grid: str) -> list[str]:
    """When, with what, and how long it took."""
    tried = ", ".join(f"{one.tried} on {one.name}" for one in findings if one.tried)
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    lines = [
        f"Made on {datetime.date.today()} by `make reproduce` with lomtree {PROGRAM}, "
        f"Python {platform.python_version()}, {libraries}, {platform.machine()}.",
        f"Settings tried: {tried or 'none yet'}.",
        f"The {grid} grid has {_describe(grid)}; up to {PASSES} passes, and a setting is stopped "
        f"when {PATIENCE} passes in a row bring no new best validation error. Settings that differ "
        "in R_S alone are one training where no node is recycled.",
    ]
    seconds = [one.seconds for one in findings if one.tried]
    if seconds and None not in seconds:
        took = sum(one or 0.0 for one in seconds) / 60
        lines.append(f"All of it took {took:.1f} minutes of one core, so {took / 2:.1f} of two.")
    return lines


def preface(findings: list[Finding], grid: str) -> str:
    """Also what was left out, and what the columns mean."""
    if grid == "full":
        return _bullets(made_on(findings, grid))
    out = ", ".join(one.name for one in findings if not one.fetched) or "none"
    lines = [
        *made_on(findings, grid),
        *_splits(findings),
        "The settings with the least validation error are trained once more, with the validation "
        "part as well, and tested once.",
        f"Left out, {MISSING}: {out}.",
        f"One-against-all is left out where there are more than {LARGEST_FOR_OAA} classes; its "
        "test time is then that of a model with next to no training, as in the paper.",
        "LOMtree is the paper's (`--paper`): Algorithm 1 and one walk. It, Rtree, Filter tree and "
        "OAA have the paper's step sizes with the update that VW has by default: adaptive, "
        "normalised, no step beyond the target; and the logistic loss. lomtree is this program as "
        "it is by default, ranked: only the number of passes is chosen.",
        "Times are of one core, learning and predicting alone, without reading; the paper's are of "
        "other machines and another program, so compare their ratios.",
    ]
    return _bullets(lines)


def _bullets(lines: list[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)


def _splits(findings: list[Finding]) -> Iterator[str]:
    """Where errors are not those of one split."""
    for one in findings:
        if one.complete and (count := len(one.dataset.splits)) > 1:
            yield (
                f"{one.name} is small, so it is split {count} times, with a sweep for each. The "
                "test parts have no row in common: errors and intervals are of all their "
                f"{next(iter(one.best.values()))['tested']:,} rows, times are means."
            )


def _describe(name: str) -> str:
    grid = GRIDS[name]
    sizes = [", ".join(f"{value:g}" for value in values) for values in grid[:4]]
    most = f"; at most {grid.most:,.0f} examples in all passes" if grid.most < inf else ""
    shape = f"T = mk - 1 for m = {sizes[1]}; R_S = {sizes[2]}"
    return f"step sizes {sizes[0]}; {shape}; lomtree with {sizes[3]} passes{most}"


def section(findings: list[Finding], grid: str = "quick") -> str:
    made = all_tables(findings)
    if grid == "full":  # of the sets that were swept alone
        swept = [one for one in findings if one.complete]
        made = [make(swept) for make in (error_table, setting_table)]
    tables = "\n".join(one.markdown for one in made if one.rows)
    words = f"**The paper's hypotheses**\n\n{hypotheses(findings)}"
    if compared := intervals(findings):
        words = f"**Beside the paper's intervals**\n\n{compared}\n{words}"
    return f"{preface(findings, grid)}\n{tables}\n{words}"


def write_tables(findings: list[Finding], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for one in all_tables(findings):
        (folder / f"{one.name}.md").write_text(one.markdown, encoding="utf-8")
        with (folder / f"{one.name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([one.headings, *one.rows])
    (folder / "hypotheses.md").write_text(hypotheses(findings), encoding="utf-8")


def add_places(parser: argparse.ArgumentParser) -> None:
    """Where the other steps left what they found, and of which grid."""
    folder = Path("build/reproduce")
    parser.add_argument("--grid", choices=GRIDS, default="quick")
    parser.add_argument("--data", type=Path, default=folder / "data")
    parser.add_argument("--results", type=Path, default=folder / "runs.jsonl")
    parser.add_argument("--finals", type=Path, default=folder / "finals.jsonl")
    parser.add_argument("--catalog", type=Path, default=CATALOG, help=argparse.SUPPRESS)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help="[default: all of the catalog]")
    add_places(parser)
    parser.add_argument("--into", type=Path, default=Path("build/reproduce/tables"))
    add_write(parser)
    given = parser.parse_args()
    catalog = read_catalog(given.catalog)
    if unknown := set(given.sets) - set(catalog):
        parser.error(f"no such set: {', '.join(sorted(unknown))}")
    catalog = {name: one for name, one in catalog.items() if name in (given.sets or catalog)}
    findings = read_findings(catalog, given.data, given.results, given.finals, given.grid)
    write_tables(findings, given.into)
    text = section(findings, given.grid)
    print(text)
    if given.write:
        write_section(given.write, SECTIONS[given.grid], text, unknown_of(findings, given.grid))


if __name__ == "__main__":
    run_script(main)
