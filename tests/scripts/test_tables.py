"""The tables lay what was measured beside the paper's numbers, and invent nothing."""

import csv
import gzip
import re
from importlib.util import find_spec
from math import log2

import pytest

from scripts.program import PROGRAM
from scripts.report import section_of, write_section
from scripts.reproduce.catalog import Dataset, read_catalog
from scripts.reproduce.counts import Counts
from scripts.reproduce.figures import count_of, draw
from scripts.reproduce.findings import Finding, by_classes, read_findings
from scripts.reproduce.grid import GRIDS, Setting
from scripts.reproduce.hypotheses import best_tree, close, hypotheses, logarithmic
from scripts.reproduce.intervals import intervals
from scripts.reproduce.journal import Journal
from scripts.reproduce.tables import (
    MISSING,
    NOT_RUN,
    SECTIONS,
    all_tables,
    section,
    unknown_of,
    write_tables,
)

PAPER = {
    "classes": "~26",
    "train_seconds": {"lomtree": 16.27, "oaa": 19.58},
    "test_milliseconds": {"lomtree": 0.14, "oaa": 0.16},
    "errors": {"lomtree": [6.36, 1.71]},
}


SHAPES = {"lomtree": (0, 0, 0, 3), "paper": (4, 4, 4)}  # of settings that the quick grid has


def final_row(
    name: str,
    algorithm: str,
    classes: int,
    error: float,
    microseconds: float,
    depth: float,
    data="",
) -> dict:
    setting = Setting(name, algorithm, *SHAPES.get(algorithm, (4, 0, 0)), data=data)
    tree = algorithm != "oaa"
    return {
        "kind": "best", "setting": setting._asdict(), "key": f"best 2 {setting.key}", "passes": 2,
        "classes": classes, "error": error, "interval": 0.01, "tested": 1000,
        "train_seconds": microseconds, "test_microseconds": microseconds, "learned": 99,
        "mean_depth": depth, "largest_depth": 20 if tree else None,
        "internal_nodes": classes - 1 if tree else None, "validation": 0.25,
        "version": PROGRAM,
    }  # fmt: skip


def finding(name="a", classes=26, depth=5.0, ratio=2.0, facts=None, **errors) -> Finding:
    """A set on which the algorithms have these errors, and one-against-all takes `ratio` times as
    long as the LOMtree, whose predictions take 10 microseconds."""
    known = {"features": 5, "examples": 9, "classes": classes, "suffix": "vw", **(facts or {})}
    times = {"oaa": 10 * ratio}
    best = {
        one: final_row(name, one, classes, error, times.get(one, 10), depth)
        for one, error in errors.items()
    }
    swept = {one: {"validation": [0.5, 0.25], "progressive": [0.9, 0.5]} for one in best}
    compact, hurried, untrained = best.get("paper", {}), best.get("oaa", {}), {}
    if best and "oaa" not in best:
        untrained = {"test_microseconds": 10 * ratio}
    dataset = Dataset(name, known)
    chosen = list(best.values())
    return Finding(
        dataset, best, compact, hurried, untrained, chosen, swept, len(swept), bool(best),
        Counts(5, 9, classes) if best else None,
    )  # fmt: skip


def cells(findings, name: str) -> dict[str, list[str]]:
    """The rows of a table, by set."""
    found = next(one for one in all_tables(findings) if one.name == name)
    return {row[0]: row[1:] for row in found.rows}


ALL = {"paper": 0.08, "lomtree": 0.06, "rtree": 0.19, "filter": 0.18, "oaa": 0.05}
MANY = {"paper": 0.5, "rtree": 0.7, "filter": 0.7}


def test_errors_stand_with_their_intervals_beside_the_papers():
    rows = cells([finding(**ALL, facts={"paper": PAPER})], "table_4_errors")
    assert [cell[:5] for cell in rows["a"][:5]] == ["6.00%", "8.00%", "19.00", "18.00", "5.00%"]
    assert rows["a"][0] == "6.00% ± 1.00%"
    assert rows["a"][5:] == ["6.36% ± 1.71%", "-", "-", "-"]  # it has one LOMtree


def test_errors_are_laid_beside_the_papers_intervals():
    paper = {"errors": {"lomtree": [6.36, 1.71], "rtree": [16.92, 2.63], "oaa": [9.56, 1.30]}}
    measured = finding(**ALL, facts={"paper": paper})
    assert intervals([measured, finding("b", **ALL)]) == (
        "- a: LOMtree 8.00%, within the paper's 4.65 to 8.07%; "
        "Rtree 19.00%, within the paper's 14.29 to 19.55%; "
        "OAA 5.00%, below the paper's 8.26 to 10.86%.\n"
    )
    splits = [{"setting": {"algorithm": "paper"}, "error": error} for error in (0.0807, 0.0808)]
    worse = finding(paper=0.09, facts={"paper": paper})._replace(chosen=splits)
    assert intervals([worse]) == (
        "- a: LOMtree 9.00%, above the paper's 4.65 to 8.07% (on 1 of 2 splits not).\n"
    )
    assert "**Beside the paper's intervals**\n\n- a: LOM" in section([measured])


def test_times_stand_with_their_ratio_beside_the_papers():
    findings = [finding(**ALL, facts={"paper": PAPER})]
    assert cells(findings, "table_2_training")["a"] == [
        "10.00 s", "20.00 s", "2", "16.27 s", "19.58 s", "1.2",
    ]  # fmt: skip
    assert cells(findings, "table_3_testing")["a"] == [
        "10 us", "20 us", "2", "0.14 ms", "0.16 ms", "1.14",
    ]  # fmt: skip


def test_what_is_not_available_is_said_and_only_the_paper_has_numbers():
    findings = [finding("gone", facts={"paper": PAPER})]
    assert cells(findings, "table_1_data")["gone"][0] == MISSING
    assert cells(findings, "table_4_errors")["gone"][:5] == [MISSING] * 5
    assert cells(findings, "table_2_training")["gone"][:3] == [MISSING, "-", "-"]
    assert "Left out, data not available: gone." in section(findings)


def test_where_one_against_all_cannot_be_trained_its_predictions_are_timed_without():
    findings = [finding(classes=5000, ratio=900.0, **MANY)]
    assert cells(findings, "table_2_training")["a"][1] == "too many classes"
    assert cells(findings, "table_3_testing")["a"][1] == "9 ms (untrained)"
    assert cells(findings, "table_4_errors")["a"][4] == "too many classes"


def test_one_against_all_is_not_said_to_have_too_many_classes_where_it_was_not_run():
    findings = [finding(classes=26, **MANY)]
    assert cells(findings, "table_2_training")["a"][1] == NOT_RUN
    assert cells(findings, "table_4_errors")["a"][4] == NOT_RUN
    fetched = [finding()._replace(fetched=True, counts=Counts(5, 9, 26))]
    assert cells(fetched, "table_4_errors")["a"][:5] == [NOT_RUN] * 5


def test_the_first_hypothesis_is_about_depth_and_a_lead_that_grows():
    small, large = finding(**ALL), finding("b", 5000, depth=14.0, ratio=900.0, **MANY)
    said = logarithmic([small, large], "paper")
    assert said.startswith("Holds here. The mean depth is 5.0 on a (log2 k = 4.7, 1.06 times that")
    assert "2.00 times as long on a, 900.00 times as long on b" in said
    assert logarithmic([small], "paper") == "It takes two sets to say."


@pytest.mark.parametrize(
    ("depth", "ratios", "verdict"),
    [
        (60.0, (2, 900), "Not true here: the depth is logarithmic. True: it predicts faster"),
        (14.0, (0.9, 900), "Not true here: it predicts faster than one-against-all on"),
        (14.0, (3, 2), "Not true here: its lead grows with each k. True: the depth is log"),
        (14.0, (2, 2), "Not true here: its lead grows with each k."),
        (60.0, (0.9, 0.8), "Not true here: the depth is logarithmic; it predicts"),
    ],
)
def test_the_first_hypothesis_is_strict(depth, ratios, verdict):
    small = finding(ratio=ratios[0], **ALL)
    large = finding("b", 5000, depth, ratios[1], **MANY)
    assert logarithmic([small, large], "paper").startswith(verdict)


@pytest.mark.parametrize(
    ("errors", "verdict"),
    [
        ({"paper": 0.08, "rtree": 0.2, "filter": 0.19}, "Holds here. Fewer errors than Rtree"),
        ({"paper": 0.2, "rtree": 0.21}, "Neither holds nor fails clearly. No clear difference"),
        ({"paper": 0.2, "rtree": 0.3, "filter": 0.1}, "Holds here in part."),
        ({"paper": 0.2, "rtree": 0.1, "filter": 0.1}, "Does not hold here. More errors than"),
        ({"paper": 0.2}, "No other tree was measured."),
    ],
)
def test_the_second_hypothesis_compares_trees(errors, verdict):
    assert best_tree([finding(**errors)], "paper").startswith(verdict)


@pytest.mark.parametrize(
    ("errors", "verdict"),
    [
        ({"paper": 0.06, "rtree": 0.2, "oaa": 0.05}, "Holds here. a: 6.00% to 5.00%, within"),
        ({"paper": 0.04, "rtree": 0.2, "oaa": 0.09}, "Holds here. a: 4.00% to 9.00%, fewer"),
        ({"paper": 0.10, "rtree": 0.3, "oaa": 0.05}, "Holds here in the paper's weak sense."),
        ({"paper": 0.25, "rtree": 0.3, "oaa": 0.05}, "Does not hold here."),
        (MANY, "Cannot be said here. a: one-against-all left out"),
    ],
)
def test_the_third_hypothesis_measures_the_gap(errors, verdict):
    assert close([finding(**errors)], "paper").startswith(verdict)


def test_hypotheses_are_about_both_trees_as_far_as_they_were_measured():
    said = hypotheses([finding(**ALL), finding("b", 5000, 14.0, 900.0, **MANY)])
    paper, default = said.split("lomtree, as it is by default:")
    assert paper.startswith("The paper's LOMtree:\n\n1. **Its time is logarithmic in k.** Holds")
    assert "8.00% to 19.00%" in paper
    assert "1. **Its time is logarithmic in k.** It takes two sets to say." in default
    assert "6.00% to 19.00%" in default


def test_nothing_measured_says_nothing():
    assert hypotheses([finding()]).startswith("Nothing was measured")


def test_tables_are_written_as_markdown_and_csv(tmp_path):
    write_tables([finding(**ALL)], tmp_path)
    with (tmp_path / "table_4_errors.csv").open(encoding="utf-8") as file:
        headings, row = csv.reader(file)
    assert headings[:4] == ["set", "lomtree", "LOMtree", "Rtree"]
    assert row[:3] == ["a", "6.00% ± 1.00%", "8.00% ± 1.00%"]
    assert "| a | 6.00% ± 1.00% |" in (tmp_path / "table_4_errors.md").read_text(encoding="utf-8")
    assert len(list(tmp_path.glob("table_*.md"))) == 4
    assert (tmp_path / "hypotheses.md").exists()


def make_parts(dataset: Dataset, folder) -> str:
    """Files of a fetched set, with next to nothing in them; their fingerprint."""
    (folder / dataset.label).mkdir()
    for part in ("train", "validation", "test"):
        content = f"{part} 1:{dataset.split + 1}\n".encode()
        dataset.part(folder, part).write_bytes(gzip.compress(content))
    return dataset.fingerprint(folder)


def swept_row(final: dict, validation: float = 0.5) -> dict:
    """What the sweep said of a setting that was the best after two passes."""
    key = final["key"].removeprefix("best 2 ")
    rest = {"validation": [0.6, validation], "progressive": [0.6, 0.6], "seconds": 30.0}
    return {"setting": final["setting"], "key": key, "version": PROGRAM} | rest


def test_findings_come_from_what_the_steps_left(tmp_path):
    catalog = read_catalog()
    data = make_parts(catalog["aloi-438"], tmp_path)
    row = final_row("aloi-438", "paper", 438, 0.3, 10, 5, data)
    before = final_row("aloi-438", "rtree", 438, 0.3, 10, 5, "other data")
    for one in (row | {"error": 0.9}, row, before):
        Journal(tmp_path / "finals").add(one)
    Journal(tmp_path / "runs").add(swept_row(row))
    findings = read_findings(catalog, tmp_path, tmp_path / "runs", tmp_path / "finals")
    assert [one.name for one in findings] == list(catalog)
    [found] = by_classes(findings)
    assert (found.name, list(found.best)) == ("aloi-438", ["paper"])
    assert found.best["paper"]["error"] == 0.3  # the latest
    assert found.passes["paper"]["validation"] == [0.6, 0.5]
    assert found.seconds is None  # the final did not note it


def test_each_grid_has_the_results_of_its_own_settings(tmp_path):
    """What the full grid found best is not the quick grid's, though they share a journal."""
    dataset = read_catalog()["aloi-438"]
    data = make_parts(dataset, tmp_path)
    quick = final_row("aloi-438", "paper", 438, 0.3, 10, 5, data) | {"seconds": 60.0}
    setting = Setting(**quick["setting"])._replace(rate=8)
    full = quick | {"setting": setting._asdict(), "key": f"best 2 {setting.key}", "error": 0.2}
    for final, validation in ((quick, 0.5), (full, 0.4)):
        Journal(tmp_path / "finals").add(final)
        Journal(tmp_path / "runs").add(swept_row(final, validation))
    places = ({"aloi-438": dataset}, tmp_path, tmp_path / "runs", tmp_path / "finals")
    found = {grid: read_findings(*places, grid)[0] for grid in GRIDS}
    assert [(one.tried, one.seconds) for one in found.values()] == [(0, None), (1, 90), (2, 120)]
    assert found["quick"].best["paper"]["error"] == 0.3
    assert found["full"].best["paper"]["error"] == 0.2
    assert found["smallest"].best == {}


def test_the_full_grids_section_is_short_and_says_how_long_it_took(tmp_path):
    findings = [finding(**ALL)._replace(seconds=2400.0), finding("gone")]
    short = section(findings, "full")
    assert "- All of it took 40.0 minutes of one core, so 20.0 of two.\n" in short
    assert "The full grid has step sizes 0.25, 0.5, 0.75, 1, 2, 4, 8;" in short
    assert re.findall(r"^\*\*(.*)\*\*$", short, re.MULTILINE) == [
        "Table 4: test error, 95% interval",
        "The settings with the least validation error",
        "The paper's hypotheses",
    ]
    assert "gone" not in short
    assert "minutes of one core" not in section([finding(**ALL)])


def test_a_grid_without_compact_trees_lacks_none():
    small = finding(**ALL)._replace(compact={}, hurried={}, fetched=True)
    assert (unknown_of([small]), unknown_of([small], "smallest")) == (["a"], [])


def test_a_grids_section_leaves_that_of_another_alone(tmp_path):
    document = tmp_path / "results.md"
    for name in SECTIONS.values():
        write_section(document, name, f"{name}\n")
    write_section(document, SECTIONS["full"], section([finding(**ALL)], "full"))
    assert section_of(document, SECTIONS["quick"]) == "the paper's experiments\n"
    assert "| a | 6.00% ± 1.00% |" in section_of(document, SECTIONS["full"])


def test_splits_are_taken_together_when_all_are_measured(tmp_path):
    dataset = read_catalog()["isolet"]
    rows = []
    for one, error in zip(dataset.splits, (0.04, 0.06, 0.08, 0.10, 0.12), strict=True):
        data = make_parts(one, tmp_path)
        rows.append(final_row(one.label, "lomtree", 26, error, 100 * error, 5, data))
    for row in rows:
        Journal(tmp_path / "runs").add(swept_row(row) | {"passes": 2})
    for row in rows[:4]:
        Journal(tmp_path / "finals").add(row)
    places = ({"isolet": dataset}, tmp_path, tmp_path / "runs", tmp_path / "finals")
    assert read_findings(*places)[0].best == {}
    Journal(tmp_path / "finals").add(rows[4])
    [found] = read_findings(*places)
    tree = found.best["lomtree"]
    assert (tree["error"], tree["tested"]) == (pytest.approx(0.08), 5000)
    assert tree["interval"] == pytest.approx(1.96 * (0.08 * 0.92 / 5000) ** 0.5)
    assert tree["test_microseconds"] == pytest.approx(8)
    assert found.depth_ratio("lomtree") == pytest.approx(5 / log2(26))
    assert cells([found], "settings").keys() == {f"isolet.{number}" for number in range(5)}
    assert "isolet is small, so it is split 5 times" in section([found])


def test_the_papers_numbers_of_classes_are_read_as_printed():
    assert [count_of(text) for text in ("26", "~22K", "1,000")] == [26, 22_000, 1000]


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="no matplotlib")
def test_figures_are_drawn_as_svg_and_png(tmp_path):
    known = finding(**ALL, facts={"paper": PAPER})
    assert draw([finding("gone")], tmp_path) == []
    names = draw([known, finding("b", 5000, ratio=900.0, **MANY)], tmp_path)
    wanted = [
        f"{name}.{kind}"
        for name in ("same_time", "time_ratio", "error_by_pass")
        for kind in ("svg", "png")
    ]
    assert names == wanted
    assert (tmp_path / "error_by_pass.png").read_bytes().startswith(b"\x89PNG")
