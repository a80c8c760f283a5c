"""README.md, docs/results.md and docs/benchmarks.md tell the same numbers."""

from pathlib import Path

import pytest

from scripts.report import cells_of, section_of
from scripts.reproduce.catalog import read_catalog
from scripts.summaries import (
    BENCHMARKS,
    README,
    RESULTS,
    SECTIONS,
    errors_section,
    in_short,
    speed_section,
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
    holds, _, fails = in_short(tmp_path / "r").partition("What does not:")
    assert (
        "By default no more errors than one-against-all (in brackets): 4.62% of a (4.62%)." in holds
    )
    assert (
        "Three trees more errors than one-against-all (in brackets): 5.62% of a (4.62%)." in fails
    )
    assert "The paper's LOMtree, hypothesis 1: Quick. Not true here." in fails
    assert "The paper's LOMtree, hypothesis 2: Good. Holds here." in holds


def test_large_sets_of_the_readme_can_be_built_by_anybody():
    """No headline figure rests on a set that nobody can get: the first of the large ones."""
    catalog = read_catalog()
    rows = list(cells_of(section_of(README, "how good")))
    largest = max(rows[2:], key=lambda row: int(row[1].replace(",", "")))
    assert catalog[largest[0]].mirrors
    first = next(cells_of(section_of(README, "how fast")))[0].partition(",")[0]
    measured = section_of(BENCHMARKS, "vw lomtree lemma-fi")
    assert first == "lemma-fi" or not measured
