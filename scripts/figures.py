"""The paper's figures from what was measured here, readable in grey.

    python scripts/figures.py [--into docs]

Needs matplotlib: pip install 'lomtree[plots]'. Draws, as .svg and .png,

same_time        Figure 1: one-against-all, given the LOMtree's training time, against it
time_ratio       Figure 3: log2 of the ratio of test times, here and in the paper, over log2 k
error_by_pass    validation and progressive errors of the best settings after each pass, where a
                 set is split several times those of the first split

Time per example over k, on generated data, is drawn by scripts/time_over_classes.py.
"""

import argparse
import re
import sys
from importlib.util import find_spec
from math import log2
from pathlib import Path
from typing import Any

from catalog import read_catalog
from findings import TITLES, Finding, by_classes, read_findings
from tables import add_places

LOOKS = {  # line, marker, grey
    "lomtree": ("-", "o", "0.0"),
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
        ("lomtree", "compact", "LOMtree, k - 1 internal nodes"),
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
        (log2(one.classes), log2(one.test_ratio), one.name)
        for one in by_classes(findings)
        if one.test_ratio
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
            passes = range(1, len(row["validation"]) + 1)
            panel.plot(
                passes, row["validation"], markersize=4, label=TITLES[algorithm], **look(algorithm)
            )
        progressive = one.passes["lomtree"]["progressive"]
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
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "lomtree", "font.size": 10})
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for make in (same_time, time_ratio, error_by_pass):
        figure = make(findings, pyplot)
        if figure is None:
            continue
        for suffix, metadata in ((".svg", {"Date": None}), (".png", None)):
            names.append(make.__name__ + suffix)
            figure.savefig(folder / names[-1], metadata=metadata, dpi=150)
        pyplot.close(figure)
    return names


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    add_places(parser)
    parser.add_argument("--into", type=Path, default=Path("docs"))
    given = parser.parse_args()
    if find_spec("matplotlib") is None:
        parser.error("matplotlib is missing: pip install 'lomtree[plots]'")
    catalog = read_catalog(given.catalog)
    findings = read_findings(catalog, given.data, given.results, given.finals)
    for name in draw(findings, given.into):
        print(given.into / name, file=sys.stderr)


if __name__ == "__main__":
    main()
