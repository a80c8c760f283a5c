"""Write what README.md and the tops of docs/results.md and docs/benchmarks.md tell, from the tables
of docs/.

    python -m scripts.summaries

prints it; with --write it is put between its marks. `make test` fails where a document is not what
this makes of it: after a measurement, run it.
"""

import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

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


GROWN = (  # in the sentence below the table of work over classes
    "the weights that one walk fetches",
    "the weights that a default prediction fetches",
    "the time of one walk",
    "the time of a default prediction",
)
LOGARITHMIC = 1.1  # times as much as log k, at most
LEARNED = 1.0  # points of errors above the least possible, at most

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


def in_short(results: Path = RESULTS, benchmarks: Path = BENCHMARKS) -> str:
    """What holds, what does not, in a line each."""
    said = {True: list[str](), False: list[str]()}
    found = [*_of_defaults(errors_of(results)), *_of_hypotheses(results)]
    found += [*_of_intervals(results), *_of_work(benchmarks)]
    for holds, text in found:
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
    many = [
        f"{row['default']} of {name} ({classes} classes, passes: {passes}; one walk "
        f"{row['one walk']})"
        for (name, classes, passes), row in errors.items()
        if "oaa" not in row
    ]
    if many:
        yield True, f"Where one-against-all is too slow, errors on {', '.join(many)}."


def _share(text: str) -> float:
    return float(text.rstrip("%"))


def _of_hypotheses(results: Path) -> Iterator[tuple[bool, str]]:
    """The verdicts of "the paper's experiments", of each tree."""
    tree = "the LOMtree"
    said: dict[tuple[bool, str], list[str]] = {}
    for line in section_of(results, "the paper's experiments").splitlines():
        if line.endswith(":") and "omtree" in line.lower():
            tree = line.rstrip(":").replace("The", "the", 1)
        found = re.match(r"(\d)\. \*\*(.+?)\*\* ([^.:]+)", line)
        if found:
            number, claim, verdict = found.groups()
            holds = verdict.startswith("Holds here") and "part" not in verdict
            text = tree if verdict == "Holds here" else f"{tree} ({verdict.lower()})"
            said.setdefault(
                (holds, f"Hypothesis {number}, {claim[0].lower()}{claim[1:-1]}"), []
            ).append(text)
    for (holds, claim), texts in sorted(said.items()):
        yield holds, f"{claim}: {'; '.join(texts)}."


def _of_intervals(results: Path) -> Iterator[tuple[bool, str]]:
    """Which errors are those of the paper, and which are larger."""
    section = section_of(results, "the paper's experiments")
    found: dict[bool, list[str]] = {True: [], False: []}
    for line in re.findall(r"^- (.*, \w+ the paper's .*)\.$", section, re.MULTILINE):
        name, _, compared = line.partition(": ")
        for text in compared.split("; "):
            learner, error, where, span = re.findall(
                r"^(.*) ([\d.]+%), (\w+) the paper's ([\d.]+ to [\d.]+%)", text
            )[0]
            found[where != "above"].append(f"{learner} on {name} ({error}, there {span})")
    words = {True: "Within the paper's intervals or below", False: "Above the paper's intervals"}
    for holds, texts in found.items():
        if texts:
            yield holds, f"{words[holds]}: {', '.join(texts)}."


def _of_work(benchmarks: Path) -> Iterator[tuple[bool, str]]:
    """Hypothesis 1 in work: on made classes, whose least possible error is known."""
    if not (made := work_over_classes(benchmarks)):
        return
    grown: dict[bool, list[str]] = {True: [], False: []}
    for what, times in made.grown.items():
        grown[times <= LOGARITHMIC * made.log].append(f"{what} ({times:.2f} times)")
    words = {True: "Grows no faster than log k", False: "Grows faster than log k"}
    for holds, texts in grown.items():
        if texts:
            span = f"from {made.least} to {made.most} made classes ({made.log:.2f} times)"
            yield holds, f"{words[holds]} {span}: {', '.join(texts)}."
    learned = _share(made.error) <= _share(made.bayes) + LEARNED
    yield learned, f"Of {made.most} made classes: {made.words}."


class Work(NamedTuple):
    """Made classes from the fewest to the most; the errors are those of the most."""

    least: str
    most: str
    log: float  # how many times log k grows
    grown: dict[str, float]
    bayes: str
    error: str
    walk: str

    @property
    def words(self) -> str:
        return f"{self.error} errors, {self.bayes} being the least possible, one walk {self.walk}"


def work_over_classes(benchmarks: Path) -> Work | None:
    section = section_of(benchmarks, "work over classes")
    rows = [row for row in cells_of(section) if row[0] == "made words"]
    log = re.search(r"log k ([\d.]+),", section)
    if not rows or not log:
        return None
    found = {what: re.search(rf"{what} ([\d.]+\d)", section) for what in GROWN}
    grown = {what: float(one.group(1)) for what, one in found.items() if one}
    return Work(rows[0][1], rows[-1][1], float(log.group(1)), grown, *rows[-1][3:6])


def work_section(benchmarks: Path = BENCHMARKS) -> str:
    """What README says of a million classes."""
    if not (made := work_over_classes(benchmarks)):
        return ""
    grown = ", ".join(f"{what} {times:.2f}" for what, times in made.grown.items())
    return _filled(
        f"Of {made.most} made classes, words with wrong letters, one pass leaves {made.words} "
        f"([docs/benchmarks.md](docs/benchmarks.md)). From {made.least} classes to as many log k "
        f"grows {made.log:.2f} times, {grown} times: what is fetched lies farther from the "
        "processor the more there is of it."
    )


def peers_section(results: Path = RESULTS) -> str:
    """What others err on, by learner, from their table in docs/results.md."""
    headings, _line, *rows = cells_of(section_of(results, "peers"))
    said = []
    for column, name in enumerate(headings[1:], 1):
        errors = [f"{row[column]}% of {row[0]}" for row in rows if row[column] != "-"]
        said.append(f"{name} on {', '.join(errors)}")
    return _filled(f"Others err, on the same splits: {'; '.join(said)}.")


def _filled(text: str) -> str:
    return textwrap.fill(text, 110, break_long_words=False, break_on_hyphens=False) + "\n"


Section = tuple[Path, str, Callable[[], str]]
SECTIONS: tuple[Section, ...] = (
    (README, "how good", errors_section),
    (README, "peers", peers_section),
    (README, "a million", work_section),
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
