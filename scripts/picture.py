"""How the scripts draw: without a display, and the same bytes for the same figures."""

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def require_matplotlib(parser: argparse.ArgumentParser) -> None:
    """Ask before anything is measured: it would be lost for want of a library."""
    if find_spec("matplotlib") is None:
        parser.error("drawing needs matplotlib: pip install 'lomtree[plots]'")


def load_pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "lomtree", "font.size": 10})
    from matplotlib import pyplot

    return pyplot


def save(figure: Any, path: Path) -> None:
    """As .svg or .png, by the name of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)
