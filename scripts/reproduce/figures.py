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
from scripts.picture import load_pyplot, require_matplotlib, save
from scripts.report import results_of
from scripts.reproduce.catalog import read_catalog
from scripts.reproduce.findings import TITLES, Finding, by_classes, read_findings
from scripts.reproduce.tables import SECTION, add_places, unknown_of

LOOKS = {  # line, marker, grey
    "lomtree": ("-", "*", "0.0"),
    "paper": ("-", "o", "0.0"),
    "rtree": ("--", "s", "0.35"),
    "filter": (":", "^", "0.35"),
    "oaa": ("-.", "D", "0.0"),
}
HOLLOW = ("rtree", "oaa")


def look(algorithm: str) -> dict[str, Any]:
    line, marker, grey = LOOKS[algorithm]
    face = "white" if algorithm in HOLLOW else grey
    return {"linestyle": line, "marker": marker, "color": grey, "markerfacecolor": face}


def same_time(findings: list[Finding], pyplot) -> Any:
    shown = [one for one in by_classes(findings) if one.compact and one.hurried]
    if not shown:
        return None
    figure, panel = pyplot.subplots(figsize=(6, 4), layout="constrained")
    places = list(range(len(shown)))
    for algorithm, kind, label in (
        ("paper", "compact", "LOMtree, k - 1 internal nodes"),
        ("oaa", "hurried", "OAA, in the same time"),
    ):
        rows = [getattr(one, kind) for one in shown]
        right = [1 - row["error"] for row in rows]
        spread = [row["interval"] for row in rows]
        panel.errorbar(places, right, spread, capsize=3, label=label, **look(algorithm))
    panel.set(xlabel="classes k", ylabel="accuracy on test data", ylim=(0, 1.02), xticks=places)
    panel.set_xticklabels([f"{one.name}\n{one.classes:,}" for one in shown])
    panel.grid(color="0.9")
    panel.legend()
    return figure


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
    figure, panel = pyplot.subplots(figsize=(6, 4), layout="constrained")
    drawn = [(here, "o", "-", "0.0", "here", -14), (paper, "s", "--", "0.45", "the paper", 9)]
    for points, marker, line, grey, label, shift in drawn:
        points = sorted(points)
        x, y, names = zip(*points, strict=True) if points else ((), (), ())
        face = "white" if label == "the paper" else grey
        panel.plot(x, y, line, marker=marker, color=grey, markerfacecolor=face, label=label)
        for point in zip(x, y, names, strict=True):
            panel.annotate(
                point[2], point[:2], (0, shift), textcoords="offset points", ha="center",
                fontsize=8, color=grey,
            )  # fmt: skip
    panel.set(xlabel="log2 k", ylabel="log2 of the test time of OAA / LOMtree")
    panel.margins(0.12)
    panel.axhline(0, color="0.8", zorder=0)
    panel.grid(color="0.9")
    panel.legend()
    return figure


def error_by_pass(findings: list[Finding], pyplot) -> Any:
    shown = [one for one in by_classes(findings) if one.passes]
    if not shown:
        return None
    columns = min(2, len(shown))
    lines = -(-len(shown) // columns)
    figure, panels = pyplot.subplots(
        lines, columns, figsize=(5 * columns, 3.4 * lines), layout="constrained", squeeze=False
    )
    for panel, one in zip(panels.flat, shown, strict=False):
        for algorithm, row in one.passes.items():
            # Of lomtree only what all passes together gave is known.
            passes = [row["passes"]] if "passes" in row else range(1, len(row["validation"]) + 1)
            panel.plot(
                passes, row["validation"], markersize=4, label=TITLES[algorithm], **look(algorithm)
            )
        progressive = one.passes.get("paper", {}).get("progressive", [])
        label = "LOMtree, progressive"
        panel.plot(range(1, len(progressive) + 1), progressive, color="0.6", lw=1, label=label)
        panel.set(
            title=f"{one.dataset.label}, k = {one.classes:,}", xlabel="passes", ylim=(0, 1.02)
        )
        panel.xaxis.get_major_locator().set_params(integer=True)
        panel.grid(color="0.9")
    for panel in panels[:, 0]:
        panel.set_ylabel("validation error")
    panels[0, 0].legend(fontsize=8, handlelength=3)
    for panel in panels.flat[len(shown) :]:
        panel.set_visible(False)
    return figure


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
    findings = read_findings(catalog, given.data, given.results, given.finals)
    folder = given.beside.parent if given.beside else given.into
    if given.beside and (kept := results_of(given.beside, SECTION, unknown_of(findings))):
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
