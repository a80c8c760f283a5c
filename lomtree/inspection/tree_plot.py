"""A picture of the top of a tree: what comes to each node, how it is split, who is there, and which
features decide.

The root is on the left and each level is a column, so that boxes with words in them stay as wide
as the words; a left child is above its right sibling. What is below the levels that are drawn is
folded. Lengths are inches: the axes cover the figure and count in them. matplotlib is imported
only to draw.
"""

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lomtree.core.errors import LomtreeError, OptionError
from lomtree.inspection.drawing import (
    BEHIND,
    FAINT,
    FAMILY,
    LEFT,
    PAPER,
    RIGHT,
    SMALL_SIZE,
    TITLE_SIZE,
    cut,
    escaped,
    number_of,
    percent,
    plural,
    rectangle,
    shade_of,
    triangle,
    width_of,
    write,
)
from lomtree.inspection.tree_layout import (
    BAR_HEIGHT,
    LEAF_HEIGHT,
    MARGIN,
    NOTE_WIDTH,
    PADDING,
    TITLE_HEIGHT,
    WORDS_LINE,
    Box,
    Row,
    lay_out,
    words_of,
)
from lomtree.inspection.tree_legend import LEGEND_LINE, Sign, draw_legend_line, legend_lines
from lomtree.system.atomic_file import open_to_replace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_AN_INCH = 150
LEAST_WIDTH = 6.0


def draw_tree(rows: Sequence[Row], path: str, title: str, all_levels: bool = False) -> None:
    """Draw a tree, or the top of one, into an .svg or .png file; the same bytes for the same rows.

    The rows are in preorder, each a mapping with node, depth, examples, beta, J, label,
    label_share, labels and below (how many nodes are below it in the whole tree); splits may have
    `features`, the names that lead left and right. If no examples came to any node the tree is
    drawn without the statistics. With `all_levels` nothing is folded to be legible.
    """
    check_picture(path)
    from matplotlib import style

    settings = {"svg.fonttype": "none", "svg.hashsalt": "lomtree", "font.family": FAMILY}
    kind = _kind(path)
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    if kind == "png":
        rows, title = [_drawable(row) for row in rows], escaped(title)
    with style.context(["default", settings]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # in .svg, of letters that other fonts have
        figure = _picture(lay_out(rows, all_levels), title)
        with open_to_replace(path) as file:
            figure.savefig(file, format=kind, dpi=DOTS_AN_INCH, metadata=metadata)


def _drawable(row: Row) -> Row:
    """An .svg file is shown with all fonts of a machine, a .png file has one."""
    sides = (row.get("features") or {}).items()
    features = {side: [escaped(name) for name in names] for side, names in sides}
    return {**row, "label": escaped(row["label"]), "features": features}


def check_picture(path: str) -> None:
    """Find out before any work that a picture cannot be drawn, or not in such a file."""
    if _kind(path) not in ("svg", "png"):
        raise OptionError(f"--plot must be a .svg or a .png file, not {path}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        message = "a picture needs matplotlib: pip install 'lomtree[plots]'"
        raise LomtreeError(message) from None


def _kind(path: str) -> str:
    return os.path.splitext(path)[1][1:].lower()


# What is drawn.


def _picture(boxes: list[Box], title: str) -> "Figure":
    from matplotlib.figure import Figure

    total = max(box.row["examples"] for box in boxes)
    width = max(box.right + MARGIN + NOTE_WIDTH * box.folded for box in boxes)
    width = max(width, LEAST_WIDTH)
    legend = legend_lines(_signs(boxes), width - 2 * MARGIN)
    bottom = TITLE_HEIGHT + boxes[0].size.line * sum(not box.children for box in boxes) + MARGIN
    height = bottom + LEGEND_LINE * len(legend) + MARGIN / 2
    figure = Figure(figsize=(width, height), facecolor=PAPER)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, width), ylim=(height, 0.0))
    axes.set_axis_off()
    _draw_title(axes, boxes, title, width)
    for box in boxes:
        for child in box.children:
            _draw_edge(axes, box, child, total)
        _draw_node(axes, box, total)
        if box.folded:
            _draw_fold(axes, box)
    for place, line in enumerate(legend):
        draw_legend_line(axes, line, MARGIN, bottom + LEGEND_LINE * (place + 0.5))
    return figure


def _signs(boxes: list[Box]) -> list[Sign]:
    """Those that are in the picture."""
    rows = [box.row for box in boxes]
    known = any(row["examples"] for row in rows)
    signs = [
        ("#1", "number of the node", True),
        ("bar", "share going left (up) and right (down)", any(r["beta"] is not None for r in rows)),
        ("J 0.50", "balance and purity of a split, at best 1", any(r["J"] for r in rows)),
        ("abc 5%", "most frequent label, its share", any(r["label_share"] for r in rows)),
        ("↑ ↓", "features that lead left (up) and right (down)", any(map(words_of, rows))),
        ("edges", "wider: more examples", known and len(boxes) > 1),
        ("leaves", "leaf, darker if purer", known and any(r["below"] == 0 for r in rows)),
        ("fold", "more nodes, not drawn", any(box.folded for box in boxes)),
    ]
    return [(icon, meaning) for icon, meaning, present in signs if present]


def _draw_title(axes: "Axes", boxes: list[Box], title: str, width: float) -> None:
    font = {"size": TITLE_SIZE, "weight": "bold"}
    write(axes, MARGIN, 0.27, cut(title, width - 2 * MARGIN, **font), **font)
    nodes, levels = boxes[0].row["below"] + 1, max(box.level for box in boxes)
    shown = f"all of its {plural(nodes, 'node')}"
    if len(boxes) < nodes:
        below = f"the root and {plural(levels, 'level')} below it"
        shown = f"{below}: {len(boxes):,} of {plural(nodes, 'node')}"
    write(axes, MARGIN, 0.52, shown, color=FAINT)


def _draw_edge(axes: "Axes", box: Box, child: Box, total: float) -> None:
    """A curve as wide as the share of all examples that take it."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    side = -1 if child.line < box.line else 1
    start, end = box.right, child.x
    middle, leave = (start + end) / 2, box.y + side * 0.06
    points = [(start, leave), (middle, leave), (middle, child.y), (end, child.y)]
    curve = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    share = child.row["examples"] / total if total else 0.0
    color = LEFT if child.row["side"] == "left" else RIGHT
    edge = PathPatch(curve, fill=False, edgecolor=color, linewidth=1.0 + 9.0 * share, zorder=BEHIND)
    axes.add_patch(edge)


def _draw_node(axes: "Axes", box: Box, total: float) -> None:
    """A split has a bar; a leaf is round, and the darker the more of it is one label."""
    row, leaf = box.row, box.row["below"] == 0
    height = LEAF_HEIGHT if leaf or not (total or words_of(row)) else box.size.split_height
    top = box.y - height / 2
    shade, rounding = (shade_of(row["label_share"]), 0.14) if leaf else (PAPER, 0.0)
    rectangle(axes, box.x, top, box.size.width, height, shade, f"node-{row['node']}", rounding)
    alone = not (total or row["label"] or row["labels"] or words_of(row))
    _write_counts(axes, box, box.y if alone else top + 0.11, total)
    _write_label(axes, box, top + (0.25 if height == LEAF_HEIGHT else 0.27))
    room = box.size.width - 2 * PADDING
    for place, words in enumerate(words_of(row).values()):
        line = top + 0.27 + (place + 1) * WORDS_LINE
        write(axes, box.x + PADDING, line, cut(words, room), color=FAINT)
    if row["beta"] is not None:
        _draw_bar(axes, box.x + PADDING, top + height - BAR_HEIGHT - 0.04, room, row["beta"])


def _draw_bar(axes: "Axes", x: float, y: float, width: float, beta: float) -> None:
    left = width * (1.0 - beta)
    rectangle(axes, x, y, left, BAR_HEIGHT, LEFT)
    rectangle(axes, x + left, y, width - left, BAR_HEIGHT, RIGHT)
    middle = y + BAR_HEIGHT / 2 + 0.003
    small = {"size": SMALL_SIZE, "weight": "bold"}
    if left > 0.35:
        write(axes, x + 0.04, middle, percent(1.0 - beta), color=PAPER, **small)
    if width - left > 0.35:
        write(axes, x + width - 0.04, middle, percent(beta), ha="right", **small)


def _draw_fold(axes: "Axes", box: Box) -> None:
    """A triangle in the place of all that is below the node."""
    x, row = box.right, box.row
    triangle(axes, x, box.y, 0.13, f"fold-{row['node']}")
    note = f"+{plural(row['below'], 'node')}"
    if row["labels"]:
        note += f", {plural(row['labels'], 'label')}"
    write(axes, x + 0.27, box.y, note)


def _write_counts(axes: "Axes", box: Box, y: float, total: float) -> None:
    """The node's number; what came to it or, where nothing is known, what is below it; and J, or
    labels."""
    row = box.row
    came = number_of(row["examples"], "example")
    if not total:
        came = f"{plural(row['below'], 'node')} below" if row["below"] else "leaf"
    right = number_of(row["labels"], "label") if row["labels"] and total else ""
    if row["J"] is not None:
        right = f"J {row['J']:.2f}"
    number, font = f"#{row['node']}", {"weight": "bold"}
    write(axes, box.x + PADDING, y, number, color=FAINT)
    write(axes, box.x + PADDING + width_of(number) + 0.07, y, came, **font)
    write(axes, box.right - PADDING, y, right, ha="right")


def _write_label(axes: "Axes", box: Box, y: float) -> None:
    """As much of it as there is room for."""
    row = box.row
    share = ""
    if row["label"] and row["label_share"] is not None:
        share = percent(row["label_share"])
    room = box.size.width - 2 * PADDING - (width_of(share) + 0.07 if share else 0.0)
    others = plural(row["labels"], "label") if row["labels"] else ""
    write(axes, box.x + PADDING, y, cut(row["label"], room) or others)
    write(axes, box.right - PADDING, y, share, ha="right")
