"""Whether the errors measured here are within the paper's 95% intervals, in words."""

from collections.abc import Iterator
from typing import Any

from scripts.reproduce.findings import TITLES, Finding, by_classes


def intervals(findings: list[Finding]) -> str:
    """A line for each of the paper's sets that was measured; nothing if there is none."""
    lines = [f"- {one.name}: {said}.\n" for one in by_classes(findings) if (said := _said(one))]
    return "".join(lines)


def _said(one: Finding) -> str:
    return "; ".join(_compared(one))


def _compared(one: Finding) -> Iterator[str]:
    for name, (error, half) in one.dataset.paper.get("errors", {}).items():
        # What the paper calls a LOMtree is what is called "paper" here.
        algorithm = "paper" if name == "lomtree" else name
        if algorithm not in one.best:
            continue
        here, low, high = _percent(one.best[algorithm]), error - half, error + half
        where = "above" if here > high else "below" if here < low else "within"
        text = f"{TITLES[algorithm]} {here:.2f}%, {where} the paper's {low:.2f} to {high:.2f}%"
        splits = [row for row in one.chosen if row["setting"]["algorithm"] == algorithm]
        if where == "above" and len(splits) > 1:
            text += (
                f" (on {sum(_percent(row) <= high for row in splits)} of {len(splits)} splits not)"
            )
        yield text


def _percent(row: dict[str, Any]) -> float:
    return round(100 * row["error"], 2)
