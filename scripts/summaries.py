"""Write what README.md and the tops of docs/results.md and docs/benchmarks.md tell, from the tables
of docs/.

    python -m scripts.summaries

prints it; with --write it is put between its marks. `make test` fails where a document is not what
this makes of it: after a measurement, run it.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from scripts.bench.in_short import in_short as benchmarks_in_short
from scripts.command import parser_of, run_script
from scripts.report import cells_of, section_of, table, write_section

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
RESULTS, BENCHMARKS = ROOT / "docs" / "results.md", ROOT / "docs" / "benchmarks.md"

# (learner, prediction) of docs/results.md, and what README calls it.
COLUMNS = {
    ("lomtree, 1 tree", "one walk"): "one walk",
    ("lomtree, 1 tree", "default"): "default",
    ("lomtree, 3 trees", "default"): "3 trees",
    ("rtree", "one walk"): "rtree",
    ("filter", "one walk"): "filter",
    ("oaa", "default"): "oaa",
}
LARGE = ("lemma-fi", "bible-verses")  # anybody can build the first
STAGES = ("train, 1 pass", "train, 5 passes", "predict")


Errors = dict[tuple[str, str, str], dict[str, str]]  # by set, classes and passes; and column


def errors_of(results: Path) -> Errors:
    found: Errors = {}
    for row in cells_of(section_of(results, "accuracy")):
        name, classes, passes, learner, prediction, error = row[:6]
        if (learner, prediction) in COLUMNS:
            column = COLUMNS[learner, prediction]
            found.setdefault((name, classes, passes), {})[column] = error.split()[0]
    return found


def errors_section(results: Path = RESULTS) -> str:
    """A row for each set and number of passes."""
    found = errors_of(results)
    headings = ["set", "classes", "passes", *COLUMNS.values()]
    rows = [
        [*row, *(errors.get(column, "-") for column in COLUMNS.values())]
        for row, errors in found.items()
    ]
    return table(headings, rows)


def speed_section(benchmarks: Path = BENCHMARKS) -> str:
    """A table for each large set that was measured beside VW."""
    return "\n".join(text for name in LARGE if (text := _speed(benchmarks, name)))


def _speed(benchmarks: Path, name: str) -> str:
    section = section_of(benchmarks, f"vw lomtree {name}")
    found: dict[str, list[str]] = {}
    for row in cells_of(section):
        found.setdefault(row[0], row[1:])  # a second table has stages of the same names
    if not found:
        return ""
    classes = next(line for line in section.splitlines() if " classes, " in line).split()[0]
    rows = [
        [stage, *found[stage][:2], f"{found[stage][2]} times as fast"]
        for stage in STAGES
        if stage in found
    ]
    rows.append(["test error after 5 passes", *found["test error"][:2], ""])
    return table([f"{name}, {classes} classes, the tree alone", "lomtree", "VW 9.11", ""], rows)


def in_short(results: Path = RESULTS) -> str:
    """What holds, what does not, in a line each."""
    said = {True: list[str](), False: list[str]()}
    for holds, text in (*_of_defaults(errors_of(results)), *_of_hypotheses(results)):
        said[holds].append(f"- {text}\n")
    return f"What holds:\n\n{''.join(said[True])}\nWhat does not:\n\n{''.join(said[False])}"


def _of_defaults(errors: Errors) -> Iterator[tuple[bool, str]]:
    for column, what in (("default", "By default"), ("3 trees", "Three trees")):
        better: dict[bool, list[str]] = {True: [], False: []}
        for (name, _classes, _passes), row in errors.items():
            if "oaa" in row:
                text = f"{row[column]} of {name} ({row['oaa']})"
                better[_share(row[column]) <= _share(row["oaa"])].append(text)
        for holds, texts in better.items():
            more = f"{'no ' * holds}more errors than one-against-all (in brackets)"
            if texts:
                yield holds, f"{what} {more}: {', '.join(texts)}."
    for (name, classes, passes), row in errors.items():
        if "oaa" not in row:
            after = f"after {passes} pass{'es' * (passes != '1')}"
            walk = f"one walk on {row['one walk']}"
            text = f"{row['default']} of {name} ({classes} classes), {walk}, {after}"
            yield True, f"Where one-against-all is too slow, errors on {text}."


def _share(text: str) -> float:
    return float(text.rstrip("%"))


def _of_hypotheses(results: Path) -> Iterator[tuple[bool, str]]:
    """The verdicts of "the paper's experiments", of each tree."""
    tree = "The LOMtree"
    for line in section_of(results, "the paper's experiments").splitlines():
        if line.endswith(":") and "omtree" in line.lower():
            tree = line.rstrip(":")
        found = re.match(r"(\d)\. \*\*(.+?)\*\* ([^.:]+)", line)
        if found:
            number, claim, verdict = found.groups()
            holds = verdict.startswith("Holds here") and "part" not in verdict
            yield holds, f"{tree}, hypothesis {number}: {claim} {verdict}."


Section = tuple[Path, str, Callable[[], str]]
SECTIONS: tuple[Section, ...] = (
    (README, "how good", errors_section),
    (README, "how fast", speed_section),
    (RESULTS, "in short", in_short),
    (BENCHMARKS, "in short", lambda: benchmarks_in_short(BENCHMARKS)),
)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--write", action="store_true", help="put them into the documents")
    write = parser.parse_args().write
    for path, name, section in SECTIONS:
        if write:
            write_section(path, name, section())
        else:
            print(section())


if __name__ == "__main__":
    run_script(main)
