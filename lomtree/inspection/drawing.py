"""Shapes and words of a picture, in tones that differ in grey too. Lengths are inches.

matplotlib is imported only to draw.
"""

import functools
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FAMILY = "DejaVu Sans"  # comes with matplotlib
TEXT_SIZE, SMALL_SIZE, TITLE_SIZE = 7.5, 6.5, 12.0  # points

LEFT, RIGHT = "#2b4c7e", "#f2b55f"  # far apart in grey too: 29% and 76% of white
INK, FAINT, FOLDED, PAPER = "#1a1a1a", "#666666", "#c8c8c8", "#ffffff"
IMPURE, PURE = "#f6faf6", "#8cc29a"
BEHIND, FRONT = 1, 3  # what is drawn over what


def rectangle(
    axes: "Axes", x: float, y: float, width: float, height: float, color: str,
    name: str | None = None, rounding: float = 0.0,
) -> None:  # fmt: skip
    from matplotlib.patches import BoxStyle, FancyBboxPatch

    style = BoxStyle.Round(pad=0.0, rounding_size=rounding) if rounding else BoxStyle.Square(pad=0)
    patch = FancyBboxPatch((x, y), width, height, style, facecolor=color, edgecolor=INK)
    patch.set(linewidth=0.9 if name else 0.5, zorder=FRONT, gid=name)
    axes.add_patch(patch)


def triangle(axes: "Axes", x: float, y: float, half: float, name: str | None = None) -> None:
    from matplotlib.patches import Polygon

    corners = [(x, y), (x + 1.5 * half, y - half), (x + 1.5 * half, y + half)]
    patch = Polygon(corners, facecolor=FOLDED, edgecolor=INK, linewidth=0.7, zorder=FRONT)
    patch.set_gid(name)
    axes.add_patch(patch)


def shade_of(purity: float | None) -> str:
    """A tone from IMPURE to PURE; PAPER if nothing is known."""
    if purity is None:
        return PAPER
    ends = zip(bytes.fromhex(IMPURE[1:]), bytes.fromhex(PURE[1:]), strict=True)
    return "#" + bytes(round(low + (high - low) * purity) for low, high in ends).hex()


def write(axes: "Axes", x: float, y: float, text: str, **font: Any) -> None:
    """Words as they are: a '$' is no formula."""
    usual: dict[str, Any] = {"size": TEXT_SIZE, "color": INK, "va": "center_baseline"}
    if text:
        axes.text(x, y, text, parse_math=False, zorder=FRONT + 1, **(usual | font))


def cut(text: str, room: float, **font: Any) -> str:
    """As much of a text as fits into so many inches, with an ellipsis if it is longer; always one
    line of XML.

    What cannot be printed, such as bytes that are no UTF-8, becomes the replacement character.
    """
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    if width_of(shown, **font) <= room:
        return shown
    while shown and width_of(shown.rstrip() + "…", **font) > room:
        shown = shown[:-1]
    return shown.rstrip() + "…"


def width_of(text: str, size: float = TEXT_SIZE, weight: str = "normal") -> float:
    """In inches."""
    return sum(_letter_width(letter, weight) for letter in text) * size / 72


@functools.cache
def _letter_width(letter: str, weight: str) -> float:
    """In ems; what the font lacks is as wide as its kind is in others."""
    if not drawable(letter):
        return 1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.6
    font = _font(weight)
    font.set_size(100.0, 72)
    return font.load_char(ord(letter)).linearHoriAdvance / 65536 / 100


def drawable(letter: str) -> bool:
    """Whether the font of the pictures has it."""
    return ord(letter) in _font("normal").get_charmap()


@functools.cache
def _font(weight: str) -> Any:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return get_font(findfont(FontProperties(family=FAMILY, weight=weight)))


def escaped(text: str) -> str:
    """What the font lacks is written by its number: a square would say nothing."""
    return "".join(
        letter if drawable(letter) else letter.encode("ascii", "backslashreplace").decode()
        for letter in text
    )


def short(number: float) -> str:
    """Three digits and a unit: 12345 is 12.3k."""
    for unit in ("", "k", "M", "G"):
        if float(f"{number:.3g}") < 1000:
            return f"{number:.3g}{unit}"
        number /= 1000
    return f"{number:.3g}T"


def number_of(number: float, noun: str) -> str:
    written = short(number)
    return f"{written} {noun}" + "s" * (written != "1")


def percent(share: float) -> str:
    """Whole, but neither 0% nor 100% if there are some of both."""
    if 0.0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1.0 else f"{share:.0%}"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + "s" * (count != 1)
