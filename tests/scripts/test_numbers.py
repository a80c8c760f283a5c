"""README.md, docs/results.md and docs/benchmarks.md tell the same numbers."""

import re
from pathlib import Path

import pytest

from scripts.report import cells_of, section_of
from scripts.reproduce.catalog import read_catalog
from scripts.reproduce.findings import TITLES
from scripts.reproduce.grid import ALGORITHMS
from scripts.reproduce.tables import SECTIONS as SECTIONS_OF_GRIDS
from scripts.summaries import (
    BENCHMARKS,
    README,
    RESULTS,
    SECTIONS,
    errors_of,
    errors_section,
    in_short,
    peers_section,
    speed_section,
    work_section,
)


@pytest.mark.parametrize(("path", "name", "made"), SECTIONS)
def test_what_is_summed_up_is_what_the_tables_tell(path, name, made):
    """`python -m scripts.summaries --write` makes it so."""
    assert section_of(path, name) == made()


def test_errors_are_copied_by_learner_and_prediction(tmp_path):
    rows = (
        "| a | 26 | 5 | lomtree, 1 tree | default | 4.62% +- 1.04% | 0.1 | 1% | 3 |\n"
        "| a | 26 | 5 | lomtree, 1 tree | one walk | 6.93% +- 1.26% |  |  | 3 |\n"
        "| a | 26 | 5 | lomtree, 3 trees | one walk | 9.99% +- 1.26% |  |  | 3 |\n"
    )
    (tmp_path / "r").write_text(f"<!-- accuracy -->\n{rows}<!-- end of accuracy -->\n")
    assert "| a | 26 | 5 | 6.93% | 4.62% | - | - | - | - |" in errors_section(tmp_path / "r")


def test_times_are_copied_of_sets_that_were_measured(tmp_path):
    text = (
        "1,139 classes, 9 examples\n\n| train, 1 pass | 3 s, 5 MB | 9 s, 7 MB | 3.00 | 2 | 1 |\n"
        "| test error | 45.33% | 63.22% |  |  |  |\n"
    )
    marks = "<!-- {}vw lomtree lemma-fi -->\n"
    (tmp_path / "b").write_text(marks.format("") + text + marks.format("end of "))
    found = speed_section(tmp_path / "b")
    assert "| lemma-fi, 1,139 classes, the tree alone | lomtree |" in found
    assert "| train, 1 pass | 3 s, 5 MB | 9 s, 7 MB | 3.00 times as fast |" in found
    assert "| test error after 5 passes | 45.33% | 63.22% |  |" in found
    assert "bible-verses" not in found


def classes_told(path: Path, section: str) -> dict[str, str]:
    return {row[0]: row[1] for row in cells_of(section_of(path, section)) if row[1][:1].isdigit()}


def test_sets_have_as_many_classes_in_all_documents_as_in_the_catalog():
    catalog = read_catalog()
    told = classes_told(RESULTS, "accuracy")
    assert told.keys() <= catalog.keys()
    assert told == {name: f"{catalog[name].facts['classes']:,}" for name in told}
    for name in told:
        section = section_of(BENCHMARKS, f"vw lomtree {name}")
        if section:
            assert f"\n{told[name]} classes, " in section


def test_what_is_said_of_a_set_is_in_its_tables():
    """X% of a set: in README.md, and where docs/results.md tells what is not good yet."""
    rows = [
        row
        for section in ("accuracy", "peers", "the paper's experiments")
        for row in cells_of(section_of(RESULTS, section))
    ]
    results = RESULTS.read_text(encoding="utf-8")
    said = results.partition("## What is not good yet")[2].partition("## ")[0]
    told = re.findall(r"([\d.]+)%\s+of ([\w-]+)", README.read_text(encoding="utf-8") + said)
    sets = [(number, name) for number, name in told if name in read_catalog()]
    assert len(sets) > 10
    for number, name in sets:
        assert any(cell.startswith(number) for row in rows if row[0] == name for cell in row[1:])


def test_default_errors_are_the_same_where_the_rankers_cost_is_told():
    found = errors_of(RESULTS)
    beside = [
        (found[key]["default"], row[6])
        for row in cells_of(section_of(BENCHMARKS, "what the ranker costs"))
        for key in found
        if (key[0], key[2]) == (row[0], row[1]) and row[2] == "predict"
    ]
    assert beside
    assert [one for one in beside if one[0] != one[1]] == []


def test_the_papers_lomtree_is_within_the_papers_interval_on_isolet():
    """Over the five splits; the paper's 6.36% +- 1.71% is at most 8.07%."""
    headings = ["set", *(TITLES[name] for name in ALGORITHMS)]
    rows = list(cells_of(section_of(RESULTS, SECTIONS_OF_GRIDS["quick"])))
    begin = next(place for place, row in enumerate(rows) if row[: len(headings)] == headings)
    isolet = next(row for row in rows[begin:] if row[0] == "isolet")
    assert float(isolet[headings.index("LOMtree")].partition("%")[0]) <= 8.07


WORK = """<!-- work over classes -->
| made words | 256 | 10.0 | 3.94% | 4.25% | 41.66% | 45.1 |
| made words | 1,024 | 10.0 | 3.94% | 4.12% | 53.05% | 45.1 |
| isolet | 26 | 10.0 | 1.94% | 2.12% | 3.05% | 45.1 |

Made words, from 256 to 1,024 classes: log k 2.50, the weights that one walk fetches 2.34, \
the time of one walk 9.81, the time of a default prediction 8.37 times.
<!-- end of work over classes -->
"""


def test_work_is_logarithmic_where_it_grows_no_faster_than_log_k(tmp_path):
    (tmp_path / "b").write_text(WORK)
    holds, _, fails = in_short(tmp_path / "r", tmp_path / "b").partition("What does not:")
    assert (
        "- Grows no faster than log k from 256 to 1,024 made classes (2.50 times): "
        "the weights that one walk fetches (2.34 times).\n"
    ) in holds
    words = "4.12% errors, 3.94% being the least possible, one walk 53.05%"
    assert f"- Of 1,024 made classes: {words}.\n" in holds
    assert "the time of one walk (9.81 times), the time of a default prediction (8.37" in fails
    told = " ".join(work_section(tmp_path / "b").split())
    assert f"Of 1,024 made classes, words with wrong letters, one pass leaves {words} " in told
    (tmp_path / "b").write_text(WORK.replace("4.12%", "11.91%"))
    assert "Of 1,024" in in_short(tmp_path / "r", tmp_path / "b").partition("What does not:")[2]
    assert work_section(tmp_path / "nothing") == ""


def test_intervals_are_summed_up(tmp_path):
    (tmp_path / "r").write_text(
        "<!-- the paper's experiments -->\n"
        "- a: LOMtree 7.21%, within the paper's 4.65 to 8.07%; "
        "OAA 5.11%, above the paper's 2.26 to 4.86% (on 3 of 5 splits not).\n"
        "<!-- end of the paper's experiments -->\n"
    )
    holds, _, fails = in_short(tmp_path / "r", tmp_path / "b").partition("What does not:")
    assert "intervals or below: LOMtree on a (7.21%, there 4.65 to 8.07%).\n" in holds
    assert "Above the paper's intervals: OAA on a (5.11%, there 2.26 to 4.86%).\n" in fails


def test_others_are_told_by_learner(tmp_path):
    (tmp_path / "r").write_text(
        "<!-- peers -->\n| set | one | two |\n| --- | --- | --- |\n| a | 1.5 | - |\n"
        "| b | 2 | 3 |\n<!-- end of peers -->\n"
    )
    told = "Others err, on the same splits: one on 1.5% of a, 2% of b; two on 3% of b.\n"
    assert peers_section(tmp_path / "r") == told


def test_what_holds_and_what_does_not(tmp_path):
    (tmp_path / "r").write_text(
        "<!-- accuracy -->\n"
        "| a | 26 | 5 | lomtree, 1 tree | default | 4.62% +- 1.04% | 0.1 | 1% | 3 |\n"
        "| a | 26 | 5 | lomtree, 3 trees | default | 5.62% +- 1.04% | 0.1 | 1% | 3 |\n"
        "| a | 26 | 5 | oaa | default | 4.62% +- 1.04% | 0.1 | 1% | 3 |\n"
        "<!-- end of accuracy -->\n<!-- the paper's experiments -->\nThe paper's LOMtree:\n\n"
        "1. **Quick.** Not true here: its depth. True: all else.\n2. **Good.** Holds here. So.\n"
        "<!-- end of the paper's experiments -->\n"
    )
    holds, _, fails = in_short(tmp_path / "r", tmp_path / "b").partition("What does not:")
    assert (
        "By default no more errors than one-against-all (in brackets): 4.62% of a (4.62%)." in holds
    )
    assert (
        "Three trees more errors than one-against-all (in brackets): 5.62% of a (4.62%)." in fails
    )
    assert "- Hypothesis 1, quick: the paper's LOMtree (not true here).\n" in fails
    assert "- Hypothesis 2, good: the paper's LOMtree.\n" in holds


def test_large_sets_of_the_readme_can_be_built_by_anybody():
    """No headline figure rests on a set that nobody can get: the first of the large ones."""
    catalog = read_catalog()
    rows = list(cells_of(section_of(README, "how good")))
    largest = max(rows[2:], key=lambda row: int(row[1].replace(",", "")))
    assert catalog[largest[0]].mirrors
    first = next(cells_of(section_of(README, "how fast")))[0].partition(",")[0]
    measured = section_of(BENCHMARKS, "vw lomtree lemma-fi")
    assert first == "lemma-fi" or not measured
