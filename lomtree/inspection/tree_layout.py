"""Where the boxes of a tree's picture are: a column a level, a line for each box without children.

Lengths are inches, from the top left corner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lomtree.core.errors import OptionError
from lomtree.inspection.drawing import width_of

Row = Mapping[str, Any]

LEGIBLE_LEVELS = 5  # below the root: where nobody says how many, more are folded
LEGIBLE_ENDS = 24  # and so are more lines: boxes without a child in the picture
MOST_ENDS = 400  # of a picture, whatever is asked for
FEATURES = 2  # that are named for each side of a split

LEAF_HEIGHT, WORDS_LINE = 0.36, 0.14
BAR_HEIGHT, EDGE_LENGTH, GAP = 0.12, 0.55, 0.14
LEAST_BOX, LARGEST_BOX = 1.9, 3.2  # widths
MARGIN, PADDING = 0.25, 0.07
TITLE_HEIGHT, NOTE_WIDTH = 0.75, 1.9


@dataclass(frozen=True)
class Size:
    """Of the boxes of a picture."""

    width: float
    split_height: float

    @property
    def line(self) -> float:
        return self.split_height + GAP


@dataclass
class Box:
    row: Row
    level: int  # 0 for the root
    size: Size
    line: float = 0.0  # from the top; between those of its children
    children: list["Box"] = field(default_factory=list)

    @property
    def x(self) -> float:
        """The left end."""
        return MARGIN + self.level * (self.size.width + EDGE_LENGTH)

    @property
    def right(self) -> float:
        return self.x + self.size.width

    @property
    def y(self) -> float:
        """The middle; y grows downwards."""
        return TITLE_HEIGHT + (self.line + 0.5) * self.size.line

    @property
    def folded(self) -> bool:
        return self.row["below"] > 0 and not self.children


def lay_out(rows: Sequence[Row], all_levels: bool) -> list[Box]:
    """The boxes to draw, in preorder: each end has a line, others are between their children."""
    deepest = max(row["depth"] for row in rows) if all_levels else _legible_depth(rows)
    shown = [row for row in rows if row["depth"] - rows[0]["depth"] <= deepest]
    size = _size_of(shown)
    boxes: list[Box] = []
    above: list[Box] = []  # the way from the root
    for row in shown:
        box = Box(row, row["depth"] - rows[0]["depth"], size)
        del above[box.level :]
        if above:
            above[-1].children.append(box)
        above.append(box)
        boxes.append(box)
    ends = [box for box in boxes if not box.children]
    if len(ends) > MOST_ENDS:
        raise OptionError(
            f"the picture would have {len(ends):,} lines, and at most {MOST_ENDS} are drawn: "
            "give fewer --levels"
        )
    for line, end in enumerate(ends):
        end.line = line
    for box in reversed(boxes):
        if box.children:
            box.line = sum(child.line for child in box.children) / len(box.children)
    return boxes


def _size_of(rows: Sequence[Row]) -> Size:
    """As wide as the widest label or names of features need, within limits."""
    labels = [row["label"] for row in rows]
    named = [words for row in rows for words in words_of(row).values()]
    widest = max([*(width_of(label) + 0.4 for label in labels), *map(width_of, named)], default=0.0)
    width = min(max(widest + 2 * PADDING, LEAST_BOX), LARGEST_BOX)
    words = 2 * WORDS_LINE if named else 0.0
    return Size(width, 0.52 + words)


def words_of(row: Row) -> dict[str, str]:
    """The names of features by side; no side that none leads to."""
    arrows = {"left": "↑", "right": "↓"}
    sides = (row.get("features") or {}).items()
    return {side: f"{arrows[side]} {', '.join(names)}" for side, names in sides if names}


def _legible_depth(rows: Sequence[Row]) -> int:
    """The last level at which there are neither too many columns nor too many lines."""
    depths = [row["depth"] - rows[0]["depth"] for row in rows]
    ends = 0  # above the level
    for level in range(1, LEGIBLE_LEVELS + 1):
        ends += sum(
            here == level - 1 and following < level
            for here, following in zip(depths, [*depths[1:], 0], strict=True)
        )
        if level not in depths or ends + depths.count(level) > LEGIBLE_ENDS:
            return level - 1
    return LEGIBLE_LEVELS
