"""A picture of the top of a tree: what comes to each node, how it is split, who is there.

The root is on the left and each level is a column, so that boxes with words in them stay as wide
as the words; a left child is above its right sibling. What is too deep to be legible is folded.
Lengths are inches: the axes cover the figure and count in them. matplotlib is imported
only to draw.
"""

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lomtree.core.errors import LomtreeError, OptionError
from lomtree.inspection.drawing import (
    BEHIND,
    FAINT,
    LEFT,
    PAPER,
    RIGHT,
    SMALL_SIZE,
    TITLE_SIZE,
    cut,
    number_of,
    percent,
    plural,
    rectangle,
    shade_of,
    triangle,
    write,
)
from lomtree.system.atomic_file import open_to_replace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]

MOST_LEVELS = 6  # columns
MOST_ENDS = 24  # lines: boxes without a child in the picture
LABEL_CELLS = 13  # a label is cut to this many letters, or half as many wide ones
DOTS_AN_INCH = 150

BOX_WIDTH, SPLIT_HEIGHT, LEAF_HEIGHT = 1.85, 0.52, 0.36
COLUMN, LINE = BOX_WIDTH + 0.55, 0.66
MARGIN, PADDING, BAR_HEIGHT = 0.25, 0.07, 0.12
TITLE_HEIGHT, LEGEND_LINE, NOTE_WIDTH = 0.75, 0.24, 1.9
LEAST_WIDTH = 6.0


@dataclass
class _Box:
    row: Row
    level: int  # 0 for the root
    line: float = 0.0  # from the top; between those of its children
    children: list["_Box"] = field(default_factory=list)

    @property
    def x(self) -> float:
        """The left end."""
        return MARGIN + self.level * COLUMN

    @property
    def y(self) -> float:
        """The middle; y grows downwards."""
        return TITLE_HEIGHT + (self.line + 0.5) * LINE

    @property
    def folded(self) -> bool:
        return self.row["below"] > 0 and not self.children


def draw_tree(rows: Sequence[Row], path: str, title: str) -> None:
    """Draw a tree, or the top of one, into an .svg or .png file; the same bytes for the same rows.

    The rows are in preorder, each a mapping with node, depth, examples, beta, J, label,
    label_share, labels and below (how many nodes are below it in the whole tree). If no examples
    came to any node the tree is drawn without the statistics.
    """
    check_picture(path)
    from matplotlib import style

    settings = {"svg.fonttype": "none", "svg.hashsalt": "lomtree", "font.family": "DejaVu Sans"}
    kind = _kind(path)
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with style.context(["default", settings]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # a letter that the font lacks is a square
        figure = _picture(_lay_out(rows), title)
        with open_to_replace(path) as file:
            figure.savefig(file, format=kind, dpi=DOTS_AN_INCH, metadata=metadata)


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


# Where the boxes are.


def _lay_out(rows: Sequence[Row]) -> list[_Box]:
    """The boxes to draw, in preorder: each end has a line, others are between their children."""
    deepest = _legible_depth(rows)
    boxes: list[_Box] = []
    above: list[_Box] = []  # the way from the root
    for row in rows:
        level = row["depth"] - rows[0]["depth"]
        if level <= deepest:
            box = _Box(row, level)
            del above[level:]
            if above:
                above[-1].children.append(box)
            above.append(box)
            boxes.append(box)
    for line, end in enumerate(box for box in boxes if not box.children):
        end.line = line
    for box in reversed(boxes):
        if box.children:
            box.line = sum(child.line for child in box.children) / len(box.children)
    return boxes


def _legible_depth(rows: Sequence[Row]) -> int:
    """The last level at which there are neither too many columns nor too many lines."""
    depths = [row["depth"] - rows[0]["depth"] for row in rows]
    ends = 0  # above the level
    for level in range(1, MOST_LEVELS):
        ends += sum(
            here == level - 1 and following < level
            for here, following in zip(depths, [*depths[1:], 0], strict=True)
        )
        if level not in depths or ends + depths.count(level) > MOST_ENDS:
            return level - 1
    return MOST_LEVELS - 1


# What is drawn.


def _picture(boxes: list[_Box], title: str) -> "Figure":
    from matplotlib.figure import Figure

    total = max(box.row["examples"] for box in boxes)
    width = max(box.x + BOX_WIDTH + MARGIN + NOTE_WIDTH * box.folded for box in boxes)
    width = max(width, LEAST_WIDTH)
    legend = _legend_lines(boxes, width)
    bottom = TITLE_HEIGHT + LINE * sum(not box.children for box in boxes) + MARGIN
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
        _draw_legend_line(axes, line, bottom + LEGEND_LINE * (place + 0.5))
    return figure


def _draw_title(axes: "Axes", boxes: list[_Box], title: str, width: float) -> None:
    letters = int((width - 2 * MARGIN) / (0.69 * TITLE_SIZE / 72))
    write(axes, MARGIN, 0.27, cut(title, letters), size=TITLE_SIZE, weight="bold")
    nodes, levels = boxes[0].row["below"] + 1, max(box.level for box in boxes) + 1
    shown = f"all of its {plural(nodes, 'node')}"
    if len(boxes) < nodes:
        shown = f"its top {plural(levels, 'level')}: {len(boxes):,} of {plural(nodes, 'node')}"
    write(axes, MARGIN, 0.52, shown, color=FAINT)


def _draw_edge(axes: "Axes", box: _Box, child: _Box, total: float) -> None:
    """A curve as wide as the share of all examples that take it."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    side = -1 if child.line < box.line else 1
    start, end = box.x + BOX_WIDTH, child.x
    middle, leave = (start + end) / 2, box.y + side * 0.06
    points = [(start, leave), (middle, leave), (middle, child.y), (end, child.y)]
    curve = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    share = child.row["examples"] / total if total else 0.0
    color = LEFT if child.row["side"] == "left" else RIGHT
    edge = PathPatch(curve, fill=False, edgecolor=color, linewidth=1.0 + 9.0 * share, zorder=BEHIND)
    axes.add_patch(edge)


def _draw_node(axes: "Axes", box: _Box, total: float) -> None:
    """A split has a bar; a leaf is round, and the darker the more of it is one label."""
    row, leaf = box.row, box.row["below"] == 0
    height = LEAF_HEIGHT if leaf or not total else SPLIT_HEIGHT
    top = box.y - height / 2
    shade, rounding = (shade_of(row["label_share"]), 0.14) if leaf else (PAPER, 0.0)
    rectangle(axes, box.x, top, BOX_WIDTH, height, shade, f"node-{row['node']}", rounding)
    alone = not (total or row["label"] or row["labels"])
    _write_counts(axes, box, box.y if alone else top + 0.11, total)
    _write_label(axes, box, top + (0.25 if height == LEAF_HEIGHT else 0.27))
    if row["beta"] is not None:
        bar = top + height - BAR_HEIGHT - 0.04
        _draw_bar(axes, box.x + PADDING, bar, BOX_WIDTH - 2 * PADDING, row["beta"])


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


def _draw_fold(axes: "Axes", box: _Box) -> None:
    """A triangle in the place of all that is below the node."""
    x, row = box.x + BOX_WIDTH, box.row
    triangle(axes, x, box.y, 0.13, f"fold-{row['node']}")
    note = f"+{plural(row['below'], 'node')}"
    if row["labels"]:
        note += f", {plural(row['labels'], 'label')}"
    write(axes, x + 0.27, box.y, note)


def _write_counts(axes: "Axes", box: _Box, y: float, total: float) -> None:
    """What came to the node or, where nothing is known, what is below it; and J, or labels."""
    row = box.row
    left = number_of(row["examples"], "example")
    if not total:
        left = f"{plural(row['below'], 'node')} below" if row["below"] else "leaf"
    right = number_of(row["labels"], "label") if row["labels"] and total else ""
    if row["J"] is not None:
        right = f"J {row['J']:.2f}"
    write(axes, box.x + PADDING, y, left, weight="bold")
    write(axes, box.x + BOX_WIDTH - PADDING, y, right, ha="right")


def _write_label(axes: "Axes", box: _Box, y: float) -> None:
    row = box.row
    others = plural(row["labels"], "label") if row["labels"] else ""
    write(axes, box.x + PADDING, y, cut(row["label"], LABEL_CELLS) or others)
    if row["label"] and row["label_share"] is not None:
        share = percent(row["label_share"])
        write(axes, box.x + BOX_WIDTH - PADDING, y, share, ha="right")


# The legend: what each sign means, as many to a line as there is room for.

ICON_WIDTH, LETTER_WIDTH = 0.42, 0.55 * SMALL_SIZE / 72


def _legend_lines(boxes: list[_Box], width: float) -> list[list[tuple[str, str]]]:
    """Pairs of an icon and its meaning, only of what is in the picture."""
    rows = [box.row for box in boxes]
    known = any(row["examples"] for row in rows)
    signs = [
        ("bar", "share going left (up) and right (down)", any(r["beta"] is not None for r in rows)),
        ("J 0.50", "balance and purity of a split, at best 1", any(r["J"] for r in rows)),
        ("abc 5%", "most frequent label, its share", any(r["label_share"] for r in rows)),
        ("edges", "wider: more examples", known and len(boxes) > 1),
        ("leaves", "leaf, darker if purer", known and any(r["below"] == 0 for r in rows)),
        ("fold", "more nodes, not drawn", any(box.folded for box in boxes)),
    ]
    lines: list[list[tuple[str, str]]] = []
    used = width
    for icon, meaning, present in signs:
        if not present:
            continue
        used += _legend_width(meaning)
        if used > width - 2 * MARGIN:
            lines.append([])
            used = _legend_width(meaning)
        lines[-1].append((icon, meaning))
    return lines


def _legend_width(meaning: str) -> float:
    return ICON_WIDTH + 0.3 + LETTER_WIDTH * len(meaning)


def _draw_legend_line(axes: "Axes", line: list[tuple[str, str]], y: float) -> None:
    x = MARGIN
    for icon, meaning in line:
        _draw_icon(axes, icon, x, y)
        write(axes, x + ICON_WIDTH + 0.07, y, meaning, size=SMALL_SIZE)
        x += _legend_width(meaning)


def _draw_icon(axes: "Axes", icon: str, x: float, y: float) -> None:
    top = y - BAR_HEIGHT / 2
    if icon == "bar":
        rectangle(axes, x, top, ICON_WIDTH / 2, BAR_HEIGHT, LEFT)
        rectangle(axes, x + ICON_WIDTH / 2, top, ICON_WIDTH / 2, BAR_HEIGHT, RIGHT)
    elif icon == "edges":
        axes.plot([x, x + ICON_WIDTH], [y - 0.04, y - 0.04], color=LEFT, linewidth=4.0)
        axes.plot([x, x + ICON_WIDTH], [y + 0.05, y + 0.05], color=RIGHT, linewidth=1.0)
    elif icon == "leaves":
        for place in range(2):
            left, shade = x + place * ICON_WIDTH / 2, shade_of(float(place))
            rectangle(axes, left, top, 0.19, BAR_HEIGHT, shade, rounding=0.05)
    elif icon == "fold":
        triangle(axes, x + 0.2, y, 0.08)
    else:
        write(axes, x + ICON_WIDTH, y, icon, ha="right", size=SMALL_SIZE, color=FAINT)
