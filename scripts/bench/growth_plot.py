"""The picture of growth.py: times and memory over classes and over examples."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scripts.picture import GUIDE, load_pyplot, look, name_point, save

TIMES = ("microseconds per example", ("learn", "predict"))
MEMORY = ("megabytes", ("training", "prediction"))
BOTH = ("paper", "rtree")  # the looks of the first kind and of the second


def draw(over_classes: Sequence, over_examples: Sequence, path: Path) -> None:
    """A row of panels for each series of points that there is."""
    pyplot = load_pyplot()
    series = [
        (name, points)
        for name, points in (("classes", over_classes), ("examples", over_examples))
        if points
    ]
    figure, panels = pyplot.subplots(
        len(series), 2, figsize=(9.5, 3.9 * len(series)), squeeze=False, layout="constrained"
    )
    for row, (name, points) in zip(panels, series, strict=True):
        for panel, (unit, kinds) in zip(row, (TIMES, MEMORY), strict=True):
            draw_panel(panel, name, points, unit, kinds)
        if name == "classes":
            draw_logarithm(row[0], points)
    save(figure, path)
    pyplot.close(figure)


def draw_panel(panel: Any, variable: str, points: Sequence, unit: str, kinds: tuple) -> None:
    from matplotlib.ticker import LogLocator

    x = [getattr(point, variable) for point in points]
    for kind, style in zip(kinds, BOTH, strict=True):
        panel.plot(x, [getattr(point, kind) for point in points], label=kind, **look(style))
    panel.set(xlabel=variable, ylabel=unit, xscale="log", yscale="log")
    panel.set_title(f"{'time' if unit == TIMES[0] else 'memory'} over {variable}")
    panel.set_xlim(x[0] / 1.6, x[-1] * 4)
    panel.set_yticks([], minor=True)
    panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panel.yaxis.set_major_formatter("{x:,g}")
    panel.legend()


def draw_logarithm(panel: Any, points: Sequence) -> None:
    """What log k would be, through the times in the middle."""
    k, middle = np.array([point.classes for point in points]), len(points) // 2
    for kind in TIMES[1]:
        guide = getattr(points[middle], kind) * np.log(k) / np.log(k[middle])
        panel.plot(k, guide, color=GUIDE, linestyle=":", linewidth=1, zorder=1)
        name_point(panel, "log k", (k[-1], guide[-1]), (7, 0), color="0.3", va="center")
