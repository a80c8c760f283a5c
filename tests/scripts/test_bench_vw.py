"""The benchmark beside VW: its files, its tables and what it concludes. Nothing is timed here."""

import gzip
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from scripts.bench.beside_vw import error, rounds_within
from scripts.bench.costs import BOTH, DEFAULT, US, VW, Comparison, Cost, best, run, typical
from scripts.bench.regimes import REGIMES, SETS, Regime, regimes_of, section_name, with_bits
from scripts.bench.targets import least_speed, rate_verdict, verdicts
from scripts.bench.texts import made_texts, texts_of
from scripts.bench.timings import Stage, stages_in
from scripts.bench.vw_commands import programs_of, stages_of, warm_up
from scripts.bench.vw_section import by_outcome, cell, describe, inner_stages
from scripts.report import write_section

SAID = """stage         seconds  rate
read            0.025  1,359 MB/s
write model     0.719
whole run       4.684
"""


def compared(
    speed: float = 10.0, memory: float = 0.1, error: float = 10.0, default: float | None = None
) -> Comparison:
    """VW takes 1 s to start and 11 s, 1000 MB for anything else, and errs on 20%; `default` is how
    many times as fast the program is with search and ranker."""
    costs = {}
    for stage in ("start of training", "train, 1 pass", "start of prediction", "predict"):
        seconds = 1.0 if stage.startswith("start") else 11.0
        costs[stage, US] = Cost(seconds / speed, 1000 * memory, SAID)
        if default is not None:
            costs[stage, DEFAULT] = Cost(seconds / default, 2000 * memory, SAID)
        costs[stage, VW] = Cost(seconds, 1000.0)
    sizes, errors = {US: 2.0, VW: 4.0}, {US: error, VW: 20.0}
    if default is not None:
        sizes[DEFAULT], errors[DEFAULT] = 3.0, error / 2
    return Comparison(costs, sizes, errors)


def reached(name: str, found: Comparison) -> list[bool]:
    sentences = list(verdicts(name, found))
    assert all(sentence.endswith(("reached.", "tell.")) for sentence in sentences)
    return [not sentence.endswith(("not reached.", "tell.")) for sentence in sentences]


def test_the_targets_of_large_sets_are_speed_memory_and_errors():
    assert reached("odp-like", compared()) == [True] * 5  # train, predict, memory twice, error
    assert reached("odp-like", compared(speed=7.5)) == [False, False, True, True, True]
    assert reached("bible-verses", compared(memory=0.34)) == [True, True, False, False, True]
    assert reached("bible-verses", compared(error=20.0)) == [True] * 4 + [False]


def test_by_default_training_is_wanted_five_times_as_fast_and_predicting_as_fast_as_vw():
    alone = [True] * 5
    assert reached("lemma-fi", compared(default=5.0)) == [*alone, True, True, True]
    assert reached("lemma-fi", compared(default=4.9)) == [*alone, False, True, True]
    assert reached("lemma-fi", compared(default=0.9)) == [*alone, False, False, True]
    assert reached("lemma-fi", compared(default=9.0, error=40.0))[-1] is False
    sentences = list(verdicts("lemma-fi", compared(default=0.9)))
    assert sentences[-2] == "predict, by default: 0.90 times as fast, 1 wanted: not reached."
    assert sentences[-1] == "test error, by default: 5.00%, less than 20.00% wanted: reached."
    assert reached("isolet", compared(default=0.1)) == [True] * 3  # of small sets nothing is wanted


def test_what_is_wanted_depends_on_the_set_the_stage_and_the_program():
    stages = ("train, 1 pass", "train, 5 passes", "predict")
    assert [least_speed("bible-verses", stage, US) for stage in stages] == [8, 9, 8]
    assert [least_speed("odp-like", stage, US) for stage in stages] == [8, 8, 8]
    assert [least_speed("odp-like", stage, DEFAULT) for stage in stages] == [5, 5, 1]
    assert least_speed("lemma-fi", "start of training", US) is None
    assert least_speed("isolet", "predict", US) == pytest.approx(2 / 3)
    assert least_speed("isolet", "predict", DEFAULT) is None
    assert least_speed("aloi-438", "predict", US) is None


def test_the_targets_of_small_sets_are_whole_commands_and_the_rate_once_started():
    assert reached("isolet", compared()) == [True] * 3
    assert reached("isolet", compared(speed=0.7)) == [True, True, False]
    assert reached("clinc150", compared(speed=0.6)) == [False] * 3


def test_other_sets_have_no_targets():
    assert reached("aloi-438", compared()) == []


@pytest.mark.parametrize(
    ("ours", "theirs", "end"),
    [
        (0.1, 0.31, "3.10 times VW's rate, 3 wanted: reached."),
        (0.1, 0.29, "2.90 times VW's rate, 3 wanted: not reached."),
        (0.01, 0.2, "at least 4.00 times VW's rate, 3 wanted: reached."),
        (0.01, 0.1, "at least 2.00 times VW's rate, 3 wanted: too short to tell."),
    ],
)
def test_what_is_too_short_to_measure_is_not_taken_for_fast(ours, theirs, end):
    assert rate_verdict("train", ours, theirs).endswith(end)


def test_once_started_leaves_out_what_one_example_takes():
    found = compared(speed=2.0)
    assert found.once_started("predict") == 2.0
    assert found.beyond_start("train, 1 pass", VW) == 10.0
    assert compared(speed=1000.0).once_started("predict") is None


def test_the_best_run_is_the_fastest_and_the_smallest():
    runs = [Cost(2.0, 50.0, "slow"), Cost(1.0, 70.0, "fast"), Cost(3.0, 60.0)]
    assert best(runs) == Cost(1.0, 50.0, "fast")


def test_the_typical_run_is_the_median_with_how_far_runs_differ():
    runs = [Cost(2.0, 50.0, "usual"), Cost(1.0, 70.0, "fast"), Cost(4.0, 60.0)]
    assert typical(runs) == Cost(2.0, 60.0, "usual", spread=1.5)
    assert typical(runs[:1]) == Cost(2.0, 50.0, "usual")


def test_no_round_begins_that_would_end_too_late():
    assert list(rounds_within(3, 1e9)) == [0, 1, 2]
    assert list(rounds_within(3, -1.0)) == [0]


def test_memory_is_that_of_the_command_and_not_of_who_measures_it():
    held = bytearray(b"x") * 100_000_000
    cost = run([sys.executable, "-S", "-c", "import sys; sys.stderr.write('hello')"])
    assert cost.megabytes < len(held) / 2e6
    assert cost.said == "hello"
    with pytest.raises(SystemExit, match=r"failed: .*\n.*no such thing"):
        run([sys.executable, "-S", "-c", "raise SystemExit('no such thing')"])


def test_timings_are_read_from_what_the_program_says():
    found = stages_in("something else\n" + SAID)
    assert list(found) == ["read", "write model", "whole run"]
    assert found["read"] == Stage(0.025, "1,359 MB/s")
    assert [cell(stage) for stage in (found["read"], found["write model"], None)] == [
        "0.03 s, 1,359 MB/s",
        "0.72 s",
        "",
    ]


def test_where_our_time_goes_is_a_column_for_each_command():
    head, _, *rows = inner_stages(compared(default=5.0)).splitlines()
    assert head == "| stage of lomtree | train, 1 pass | predict |"
    assert rows[0] == "| read | 0.03 s, 1,359 MB/s | 0.03 s, 1,359 MB/s |"
    assert rows[-1] == "| whole run | 4.68 s | 4.68 s |"


def test_both_programs_get_the_same_examples_in_their_formats(tmp_path):
    lines = {"train": "b 1:2\na 2:1\nb 3:1\n", "test": "a 2:1 5:5\nc 1:1\n"}
    for part, text in lines.items():
        (tmp_path / f"{part}.svm.gz").write_bytes(gzip.compress(text.encode()))
    texts = texts_of(tmp_path, "svm", tmp_path)

    def read(part: str, who: str) -> list[str]:
        with open(texts.of(part, who)) as file:
            return file.read().splitlines()

    assert texts.classes == 3
    assert read("train", US) == lines["train"].splitlines()
    assert read("train", VW) == ["1 | 1:2", "2 | 2:1", "1 | 3:1"]
    assert read("test", VW) == ["2 | 2:1 5:5", "3 | 1:1"]
    assert read("one", VW) == ["1 | 1:2"]
    assert len(read("many", US)) == 100_000
    assert set(read("many", VW)) == set(read("test", VW))


def test_what_is_made_is_the_same_file_for_both(tmp_path):
    texts = made_texts(100, 5, 50, tmp_path)
    train, same = (Path(texts.of("train", who)).read_text() for who in BOTH)
    assert train == same
    assert texts.lines == {"train": 100, "test": 10}
    assert train.count("\n") == 100


def sections(texts) -> dict[str, str]:
    """Of all sets and regimes, by the names of their marks."""
    return {
        section_name("lomtree", name, key): describe(
            name,
            regime,
            texts,
            "median of 1",
            compared(default=5.0),
            key == next(iter(one.regimes)),
        )
        for name, one in SETS.items()
        for key, regime in one.regimes.items()
    }


def test_a_set_is_written_without_touching_the_others(tmp_path):
    texts = made_texts(100, 5, 50, tmp_path)
    path = tmp_path / "report.md"
    path.write_text("before\n")
    written = sections(texts)
    assert len(written) == 3 * 2 + 3 * 3
    for name, text in written.items():
        write_section(path, name, text)
    first = path.read_text()
    assert first.startswith("before\n")
    found = [first.index(f"### {name}\n") for name in SETS]
    assert all(a < b for a, b in pairwise(found))
    again = written["vw lomtree isolet"].replace("median of 1", "median of 7")
    write_section(path, "vw lomtree isolet", again)
    assert path.read_text() == first.replace("median of 1", "median of 7", 1)


def test_a_section_has_the_trees_alone_and_the_program_by_default(tmp_path):
    texts = made_texts(100, 5, 50, tmp_path)
    written = sections(texts)
    own, equal, defaults = (
        written[f"vw lomtree lemma-fi{key}"] for key in ("", " equal", " defaults")
    )
    assert "| predict | 1.10 s, 100 MB | 11.00 s, 1000 MB | 10.00 | 10.00 | 0.10 |" in own
    assert "| predict, by default | 2.20 s, 200 MB | 11.00 s, 1000 MB | 5.00 | 5.00 | 0.20 |" in own
    assert "| the last model, by default | 3.0 MB | 4.0 MB |  |  | 0.75 |" in own
    assert "| test error, by default | 5.00% | 20.00% |  |  |  |" in own
    assert "`-b 26` (28 for VW), median of 1:" in own
    assert equal.startswith("#### lemma-fi, equal tables\n")
    assert "`-b 26` (26 for VW), median of 1:" in equal
    assert "each with the `-b` that it has by default, median of 1:" in defaults


def test_what_is_reached_and_what_is_not_has_a_line_each():
    told = by_outcome(verdicts("lemma-fi", compared(speed=7.0, default=5.0)))
    assert told.splitlines() == [
        "- not reached: train, 1 pass: 7.00 times as fast, 8 wanted; "
        "predict: 7.00 times as fast, 8 wanted.",
        "- reached: train, 1 pass: 0.10 of VW's memory, at most 0.20 wanted; "
        "predict: 0.10 of VW's memory, at most 0.20 wanted; "
        "test error: 10.00%, less than 20.00% wanted; "
        "train, 1 pass, by default: 5.00 times as fast, 5 wanted; "
        "predict, by default: 5.00 times as fast, 1 wanted; "
        "test error, by default: 5.00%, less than 20.00% wanted.",
    ]
    assert by_outcome(verdicts("aloi-438", compared())) == ""


def test_regimes_are_chosen_and_the_first_can_have_other_tables():
    assert list(regimes_of("odp-like", None)) == list(REGIMES) == ["larger", "equal", "defaults"]
    assert list(regimes_of("odp-like", ["defaults", "larger"])) == ["larger", "defaults"]
    assert list(regimes_of("isolet", ["larger"])) == []
    usual = regimes_of("isolet", None)
    assert with_bits(usual, None, None) == usual
    assert with_bits(usual, None, 24) == {"equal": Regime("equal tables", 22, 24)}


def test_marks_of_the_first_regime_are_the_sets_own():
    assert section_name("lomtree", "lemma-fi", "larger") == "vw lomtree lemma-fi"
    assert section_name("lomtree", "lemma-fi", "equal") == "vw lomtree lemma-fi equal"
    assert section_name("oaa", "isolet", "equal") == "vw oaa isolet"


def test_commands_differ_in_what_is_compared(tmp_path):
    texts = made_texts(100, 5, 50, tmp_path)
    larger, defaults = SETS["lemma-fi"].regimes["larger"], SETS["lemma-fi"].regimes["defaults"]
    stages = stages_of(texts, "lomtree", larger, 5)
    ours, whole, theirs = (stages["train, 5 passes"](who) for who in (US, DEFAULT, VW))
    assert "--no-ranker" in ours
    assert [word for word in ours if word != "--no-ranker"][:-3] == whole[:-3]
    assert ours[-1] == whole[-1] == texts.of("train", US)  # other models of the same text
    assert ours[-2] != whole[-2]
    assert ours[ours.index("-b") + 1] == "26"
    assert theirs[theirs.index("-b") + 1] == "28"
    assert "--walk" in stages["predict"](US)
    assert "--walk" not in stages["predict"](DEFAULT)
    for command in stages_of(texts, "lomtree", defaults, 5).values():
        assert all("-b" not in command(who) for who in (US, DEFAULT, VW))
    assert programs_of("oaa") == BOTH
    assert all("vowpalwabbit" not in command for command in warm_up(texts, "lomtree", larger, 5))


def test_errors_are_counted_by_the_first_word(tmp_path):
    texts = made_texts(100, 5, 50, tmp_path)
    labels = [line.split()[0] for line in Path(texts.of("test", US)).read_text().splitlines()]
    said = ["no:0.9", *labels[1:]]
    Path(texts.of("predictions", DEFAULT)).write_text("".join(f"{one} tag\n" for one in said))
    assert error(texts, DEFAULT) == 10.0
