"""The legend of a tree's picture: what each sign means, as many to a line as there is room for."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lomtree.inspection.drawing import (
    FAINT,
    LEFT,
    RIGHT,
    SMALL_SIZE,
    rectangle,
    shade_of,
    triangle,
    width_of,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ICON_WIDTH, ICON_HEIGHT, GAP = 0.42, 0.12, 0.3
LEGEND_LINE = 0.24

Sign = tuple[str, str]  # an icon and its meaning


def legend_lines(signs: Iterable[Sign], room: float) -> list[list[Sign]]:
    """The signs of each line."""
    lines: list[list[Sign]] = []
    used = room
    for sign in signs:
        used += _width(sign)
        if used > room or not lines:
            lines.append([])
            used = _width(sign)
        lines[-1].append(sign)
    return lines


def draw_legend_line(axes: "Axes", line: list[Sign], x: float, y: float) -> None:
    for sign in line:
        icon, meaning = sign
        _draw_icon(axes, icon, x, y)
        write(axes, x + ICON_WIDTH + 0.07, y, meaning, size=SMALL_SIZE)
        x += _width(sign)


def _width(sign: Sign) -> float:
    return ICON_WIDTH + GAP + width_of(sign[1], SMALL_SIZE)


def _draw_icon(axes: "Axes", icon: str, x: float, y: float) -> None:
    top = y - ICON_HEIGHT / 2
    if icon == "bar":
        rectangle(axes, x, top, ICON_WIDTH / 2, ICON_HEIGHT, LEFT)
        rectangle(axes, x + ICON_WIDTH / 2, top, ICON_WIDTH / 2, ICON_HEIGHT, RIGHT)
    elif icon == "edges":
        axes.plot([x, x + ICON_WIDTH], [y - 0.04, y - 0.04], color=LEFT, linewidth=4.0)
        axes.plot([x, x + ICON_WIDTH], [y + 0.05, y + 0.05], color=RIGHT, linewidth=1.0)
    elif icon == "leaves":
        for place in range(2):
            left, shade = x + place * ICON_WIDTH / 2, shade_of(float(place))
            rectangle(axes, left, top, 0.19, ICON_HEIGHT, shade, rounding=0.05)
    elif icon == "fold":
        triangle(axes, x + 0.2, y, 0.08)
    else:
        write(axes, x + ICON_WIDTH, y, icon, ha="right", size=SMALL_SIZE, color=FAINT)
