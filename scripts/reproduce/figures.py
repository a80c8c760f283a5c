"""The paper's figures from what was measured here, readable in grey.

    python -m scripts.reproduce.figures [--into build/reproduce/figures]
    python -m scripts.reproduce.figures --beside docs/results.md

Needs matplotlib: pip install 'lomtree[plots]'. Draws, as .svg and .png,

same_time        Figure 1: one-against-all, given the LOMtree's training time, against it
time_ratio       Figure 3: log2 of the ratio of test times, here and in the paper, over log2 k
error_by_pass    validation and progressive errors of the best settings after each pass, where a
                 set is split several times those of the first split

Time per example over k, on generated data, is drawn by scripts/bench/time_over_classes.py.

--beside puts the pictures beside a file that tables.py --write has written or will write; if that
has results of a set which nothing is known of now, its pictures stay as they are.
"""

import re
import sys
from math import log2
from pathlib import Path
from typing import Any

from scripts.command import parser_of, run_script
from scripts.picture import load_pyplot, look, name_point, require_matplotlib, save
from scripts.report import results_of
from scripts.reproduce.catalog import read_catalog
from scripts.reproduce.findings import TITLES, Finding, by_classes, read_findings
from scripts.reproduce.grid import PATIENCE
from scripts.reproduce.tables import SECTIONS, add_places, unknown_of


def same_time(findings: list[Finding], pyplot) -> Any:
    shown = [one for one in by_classes(findings) if one.compact and one.hurried]
    if not shown:
        return None
    width = max(6.0, 1.15 * len(shown) + 1)
    figure, panel = pyplot.subplots(figsize=(width, 4.2), layout="constrained")
    places = list(range(len(shown)))
    for algorithm, kind, label in (
        ("paper", "compact", "LOMtree, k - 1 internal nodes"),
        ("oaa", "hurried", "OAA, stopped after the LOMtree's training time"),
    ):
        rows = [getattr(one, kind) for one in shown]
        right = [1 - row["error"] for row in rows]
        spread = [row["interval"] for row in rows]
        panel.errorbar(places, right, spread, capsize=3, label=label, **look(algorithm))
    panel.set(
        title="Accuracy after the same training time", xlabel="set, classes k",
        ylabel="accuracy on test data", ylim=(0, 1.02), xticks=places,
    )  # fmt: skip
    panel.set_xticklabels([f"{one.name}\n{one.classes:,}" for one in shown], fontsize=8)
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return figure


NAMES_APART = 0.028  # of the panel's width
NAMES_ROOM = 0.33  # of its height


def count_of(text: str) -> float:
    """The paper's number of classes, as it is printed: ~105K."""
    number, unit = re.fullmatch(r"~?([\d.,]+)(K?)", text).groups()  # type: ignore
    return float(number.replace(",", "")) * (1000 if unit else 1)


def time_ratio(findings: list[Finding], pyplot) -> Any:
    here = [
        (log2(one.classes), log2(ratio), one.name)
        for one in by_classes(findings)
        if (ratio := one.test_ratio("paper"))
    ]
    if not here:
        return None
    paper = []
    for one in findings:
        said = one.dataset.paper.get("test_milliseconds")
        if said:
            classes = log2(count_of(one.dataset.paper["classes"]))
            paper.append((classes, log2(said["oaa"] / said["lomtree"]), one.name))
    figure, panel = pyplot.subplots(figsize=(7, 4.6), layout="constrained")
    for points, algorithm, label in ((paper, "rtree", "the paper"), (here, "paper", "here")):
        x, y, _names = zip(*sorted(points), strict=True) if points else ((), (), ())
        panel.plot(x, y, label=label, **look(algorithm))
    for *point, name in paper:  # the curve rises to the right: above a point on its left is room
        name_point(panel, name, tuple(point), (-5, 4), fontsize=8, ha="right", va="bottom")
    panel.set(
        title="Time to predict: one-against-all over LOMtree",
        xlabel="log2 of the classes k",
        ylabel="log2 of the ratio of test times",
    )
    panel.margins(x=0.16, y=0.2)
    name_below(panel, sorted(here))
    panel.axhline(0, color="0.7", linewidth=1, zorder=1)
    panel.legend(loc="upper left")
    return figure


def name_below(panel, points: list[tuple[float, float, str]]) -> None:
    """Names under all curves, upright, each with a thin line to its point: points may be close."""
    low, high = panel.get_ylim()
    left, right = panel.get_xlim()
    last = left
    for x, y, name in points:
        last = max(x, last + NAMES_APART * (right - left))
        panel.plot([x, x, last], [y, low, low - 0.03 * (high - low)], color="0.6", lw=0.6, zorder=1)
        panel.text(
            last, low - 0.05 * (high - low), name, fontsize=8, rotation=90, ha="center", va="top"
        )
    panel.set(xlim=(left, right), ylim=(low - NAMES_ROOM * (high - low), high))


def error_by_pass(findings: list[Finding], pyplot) -> Any:
    shown = [one for one in by_classes(findings) if one.passes]
    if not shown:
        return None
    columns = min(2, len(shown))
    lines = -(-len(shown) // columns)
    figure, panels = pyplot.subplots(
        lines, columns, figsize=(5 * columns, 3 * lines + 1), layout="constrained", squeeze=False
    )
    for panel, one in zip(panels.flat, shown, strict=False):
        draw_passes(panel, one)
    for panel in panels[:, 0]:
        panel.set_ylabel("validation error")
    for panel in panels.flat[len(shown) :]:
        panel.set_visible(False)
    handles = {
        label: handle
        for panel in panels.flat
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    title = (
        f"A curve stops when {PATIENCE} passes in a row brought no new best validation error, or "
        "after\nthe last pass that was tried. lomtree is one point: its passes are one training."
    )
    figure.legend(
        handles.values(), handles.keys(), loc="outside lower center", ncols=3, title=title,
        title_fontsize=9, fontsize=9, frameon=False,
    )  # fmt: skip
    return figure


def draw_passes(panel, one: Finding) -> None:
    """The validation errors of a set after each pass; of lomtree after all of them."""
    for algorithm, row in one.passes.items():
        passes = [row["passes"]] if "passes" in row else range(1, len(row["validation"]) + 1)
        style = look(algorithm)
        if algorithm == "lomtree":  # one point, before all curves
            style |= {"markersize": 9, "zorder": 5}
        panel.plot(passes, row["validation"], label=TITLES[algorithm], **style)
    progressive = one.passes.get("paper", {}).get("progressive", [])
    label = "LOMtree, before it learns an example"
    panel.plot(range(1, len(progressive) + 1), progressive, color="0.6", lw=1, label=label)
    panel.set(title=f"{one.dataset.label}, k = {one.classes:,}", xlabel="passes", ylim=(0, 1.02))
    panel.xaxis.get_major_locator().set_params(integer=True)
    panel.set_xlim(0.5, max(panel.dataLim.x1, 2) + 0.5)  # one pass is no interval


def draw(findings: list[Finding], folder: Path) -> list[str]:
    """The files that were drawn; none for a figure that nothing is known for."""
    pyplot = load_pyplot()

    names = []
    for make in (same_time, time_ratio, error_by_pass):
        figure = make(findings, pyplot)
        if figure is None:
            continue
        for suffix in (".svg", ".png"):
            names.append(make.__name__ + suffix)
            save(figure, folder / names[-1])
        pyplot.close(figure)
    return names


def main() -> None:
    parser = parser_of(__doc__)
    add_places(parser)
    parser.add_argument("--into", type=Path, default=Path("build/reproduce/figures"))
    parser.add_argument("--beside", type=Path, metavar="FILE", help="into the folder of this file")
    given = parser.parse_args()
    require_matplotlib(parser)
    catalog = read_catalog(given.catalog)
    findings = read_findings(catalog, given.data, given.results, given.finals, given.grid)
    folder = given.beside.parent if given.beside else given.into
    unknown = unknown_of(findings, given.grid)
    if given.beside and (kept := results_of(given.beside, SECTIONS[given.grid], unknown)):
        print(
            f"{folder}: the figures stay as they are, for there is no data on {', '.join(kept)} "
            "to draw them anew",
            file=sys.stderr,
        )
        return
    for name in draw(findings, folder):
        print(folder / name, file=sys.stderr)


if __name__ == "__main__":
    run_script(main)
