"""Sections of a Markdown file that scripts write, so that nobody types a result."""

import sys
from collections.abc import Collection, Iterator
from pathlib import Path

MISSING, NOT_RUN = "data not available", "not run"  # in the cells of a table


def table(headings: list[str], rows: list[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def cells_of(text: str) -> Iterator[list[str]]:
    """The rows of all tables in a text."""
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in line.strip("| ").split("|")]


def write_section(path: Path, name: str, text: str, missing: Collection[str] = ()) -> None:
    """Put `text` between the marks of this name; at the end of the file if there are none.

    `missing` names the sets that nothing is known of this time. If the section has results of one
    of them, it stays as it is.
    """
    if kept := results_of(path, name, missing):
        print(
            f"{path}: the section '{name}' stays as it is, for there is no data on "
            f"{', '.join(kept)} to make its results anew",
            file=sys.stderr,
        )
        return
    begin, end = _marks(name)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if begin not in before:
        before += f"\n{begin}{end}"
    head, rest = before.split(begin, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + begin + text + end + rest.split(end, 1)[1], encoding="utf-8")


def results_of(path: Path, name: str, sets: Collection[str]) -> list[str]:
    """Those of the sets that the section of this name has results of; a set that is split several
    times has a row <set>.<number> for each."""
    known = {
        row[0].partition(".")[0]
        for row in cells_of(section_of(path, name))
        if not {MISSING, NOT_RUN} & set(row)
    }
    return [one for one in sets if one in known]


def section_of(path: Path, name: str) -> str:
    """What is between the marks of this name; nothing if there are none."""
    begin, end = _marks(name)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return text.partition(begin)[2].partition(end)[0]


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
