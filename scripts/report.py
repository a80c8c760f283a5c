"""Sections of a Markdown file that scripts write, so that nobody types a result."""

from pathlib import Path


def table(headings: list[str], rows: list[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def write_section(path: Path, name: str, text: str) -> None:
    """Put `text` between the marks of this name; at the end of the file if there are none."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before = path.read_text() if path.exists() else ""
    if begin not in before:
        before += f"\n{begin}{end}"
    head, rest = before.split(begin, 1)
    path.write_text(head + begin + text + end + rest.split(end, 1)[1])
