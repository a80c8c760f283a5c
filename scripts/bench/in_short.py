"""The few figures that matter, from the tables that the benchmarks have written.

    python -m scripts.bench.in_short docs/benchmarks.md [--write]

prints them; with --write they are put into the file, between their marks. What was not measured has
a dash.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from scripts.bench.costs import DEFAULT, US
from scripts.bench.growth import FROM, TO, beyond_logarithm
from scripts.bench.regimes import SETS, section_name
from scripts.bench.targets import BY_DEFAULT, GROWTH, LARGE, MEMORY, USUAL, WHOLE, least_speed
from scripts.bench.vw_section import BY_DEFAULT as SEARCH_AND_RANKER
from scripts.command import parser_of, run_script
from scripts.report import cells_of, section_of, table, write_section

NAME = "in short"
STAGES = tuple(USUAL)
NONE = "-"
FASTER, SHARE = 2, 4  # columns of a table beside VW, after the first
Cells = dict[str, list[str]]  # by what a row begins with; of two rows the first


def rows_by_name(section: str) -> Cells:
    found: Cells = {}
    for row in cells_of(section):
        found.setdefault(row[0], row[1:])
    return found


def in_short(path: Path) -> str:
    rows = list(set_rows(path))
    headings = ["set", "tables", "runs", *STAGES, "memory", "test error", "VW's test error"]
    headings += [f"{what}{SEARCH_AND_RANKER}" for what in (*STAGES, "test error")]
    sets = f"{table(headings, rows)}\n{wanted()}" if rows else ""
    return "\n".join(part for part in (sets, growth(path)) if part)


def wanted() -> str:
    usual = ", ".join(f"{least:g}" for least in USUAL.values())
    pages = LARGE["odp-like"]
    default = ", ".join(f"{least:g}" for least in BY_DEFAULT.values())
    return (
        f"Times as fast as VW's `--log_multi`, parts of its memory at the most, and errors after 5 "
        f"passes; the trees alone, and the program by default. Bold: as wanted. Wanted were "
        f"{usual} on bible-verses and lemma-fi ({min(pages.values()):g} on odp-like), {default} by "
        f"default, {MEMORY:g} of the memory and fewer errors; on isolet and clinc150, where "
        f"commands hardly do more than start, {1 / WHOLE:.2f}.\n"
    )


def set_rows(path: Path) -> Iterator[list[str]]:
    """Large sets first."""
    for name in sorted(SETS, key=lambda name: name not in LARGE):
        for key, regime in SETS[name].regimes.items():
            section = section_of(path, section_name("lomtree", name, key))
            found = rows_by_name(section)
            if found:
                yield [name, regime.title, runs_of(section), *figures(name, found)]


def runs_of(section: str) -> str:
    """Such as "median of 5"."""
    found = re.search(r"(median|best) of \d+", section)
    return found[0] if found else NONE


def figures(name: str, found: Cells) -> Iterator[str]:
    yield from (speed(name, found, stage, US, "") for stage in STAGES)
    shares = [float(found[stage][SHARE]) for stage in STAGES if stage in found]
    largest = max(shares, default=None)
    yield NONE if largest is None else mark(f"{largest:.2f}", name in LARGE and largest <= MEMORY)
    yield error(name, found, "")
    yield found["test error"][1] if "test error" in found else NONE
    yield from (speed(name, found, stage, DEFAULT, SEARCH_AND_RANKER) for stage in STAGES)
    yield error(name, found, SEARCH_AND_RANKER)


def speed(name: str, found: Cells, stage: str, who: str, what: str) -> str:
    row = found.get(f"{stage}{what}")
    if row is None:
        return NONE
    least = least_speed(name, stage, who)
    return mark(row[FASTER], least is not None and float(row[FASTER]) >= least)


def error(name: str, found: Cells, what: str) -> str:
    row = found.get(f"test error{what}")
    if row is None:
        return NONE
    ours, theirs = (float(cell.rstrip("%")) for cell in row[:2])
    return mark(row[0], name in LARGE and ours < theirs)


def mark(text: str, reached: bool) -> str:
    return f"**{text}**" if reached else text


def growth(path: Path) -> str:
    """How far the time of an example grows beyond log k."""
    found = rows_by_name(section_of(path, "growth"))
    ends = [found.get(f"{classes:,}") for classes in (FROM, TO)]
    headings = found.get("classes", [])
    said = []
    for name, bound in GROWTH.items():
        if None not in ends:
            before, after = (float(row[headings.index(f"{name}, us")]) for row in ends if row)
            times = beyond_logarithm(FROM, TO, before, after)
            said.append(f"to {name} {mark(f'{times:.2f}', times <= bound)} times ({bound} wanted)")
    text = f"From {FROM:,} to {TO:,} classes the time of an example grows beyond log k: "
    return f"{text}{', '.join(said)}.\n" if said else ""


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="of the benchmarks")
    parser.add_argument("--write", action="store_true", help="put them into the file")
    given = parser.parse_args()
    text = in_short(given.file)
    print(text)
    if given.write:
        write_section(given.file, NAME, text)


if __name__ == "__main__":
    run_script(main)
