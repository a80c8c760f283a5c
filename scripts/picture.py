"""How the scripts draw: in one style that can be printed in grey, without a display, and the same
bytes for the same figures."""

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Any

LOOKS: dict[
    str, tuple[Any, str, str, bool]
] = {  # line, marker, grey, and whether the marker is filled
    "lomtree": ((0, (6, 1.5, 1, 1.5, 1, 1.5)), "*", "0.0", True),
    "paper": ("-", "o", "0.0", True),
    "rtree": ("--", "s", "0.35", False),
    "filter": (":", "^", "0.35", True),
    "oaa": ("-.", "D", "0.0", False),
}
GUIDE = "0.55"  # of lines that compare
STYLE = {
    "svg.hashsalt": "lomtree",
    "font.size": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.9",
    "lines.markersize": 5,
    "legend.handlelength": 3.5,
    "legend.framealpha": 1.0,
}


def require_matplotlib(parser: argparse.ArgumentParser) -> None:
    """Ask before anything is measured: it would be lost for want of a library."""
    if find_spec("matplotlib") is None:
        parser.error("drawing needs matplotlib: pip install 'lomtree[plots]'")


def load_pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update(STYLE)
    from matplotlib import pyplot

    return pyplot


def look(name: str) -> dict[str, Any]:
    """Of a line and its marks: those of an algorithm, or of the first, second ... of others."""
    line, marker, grey, filled = LOOKS[name]
    face = grey if filled else "white"
    return {"linestyle": line, "marker": marker, "color": grey, "markerfacecolor": face}


def name_point(
    panel: Any, name: str, point: tuple, shift: tuple[float, float], **font: Any
) -> None:
    """A word beside a point, so many points of type away, before whatever is behind it."""
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    panel.annotate(name, point, shift, textcoords="offset points", bbox=behind, zorder=4, **font)


def save(figure: Any, path: Path) -> None:
    """As .svg or .png, by the name of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)
