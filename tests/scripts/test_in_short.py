"""The few figures that matter come out of the tables, and tell what was reached."""

from scripts.bench.in_short import growth, in_short
from scripts.report import cells_of, write_section

SECTION = """### lemma-fi

9 classes, 9 examples to train with and 9 to test, `-b 26` (28 for VW), median of 5:

| stage | lomtree | VW | times as fast | once started | MB of VW's |
| --- | --- | --- | --- | --- | --- |
| train, 1 pass | 1.00 s, 20 MB | 8.00 s, 100 MB | 8.00 | 8.00 | 0.20 |
| train, 5 passes | 1.00 s, 19 MB | 8.00 s, 100 MB | 8.00 | 8.00 | 0.19 |
| predict | 1.00 s, 10 MB | 9.00 s, 100 MB | 9.00 |  | 0.10 |
| test error | 9.41% | 33.91% |  |  |  |
| train, 1 pass, by default | 2.00 s, 20 MB | 8.00 s, 100 MB | 4.00 | 4.00 | 0.20 |
| predict, by default | 9.00 s, 10 MB | 9.00 s, 100 MB | 1.00 |  | 0.10 |
| test error, by default | 3.88% | 33.91% |  |  |  |

| stage of lomtree | train, 1 pass | predict |
| --- | --- | --- |
| predict |  | 0.08 s |
"""
GROWTH = """| classes | examples | learn, us | predict, us |
| --- | --- | --- | --- |
| 10,000 | 60,000 | 2.00 | 1.00 |
| 1,000,000 | 6,000,000 | 4.50 | 2.00 |

| classes | examples | learn, us | predict, us |
| --- | --- | --- | --- |
| 10,000 | 10,000 | 9.00 | 9.00 |
"""


def test_a_row_tells_what_was_reached_and_what_was_not_measured(tmp_path):
    path = tmp_path / "b.md"
    write_section(path, "vw lomtree lemma-fi", SECTION)
    _, _, *rows = cells_of(in_short(path))
    assert rows == [[
        "lemma-fi", "a larger table for VW", "median of 5", "**8.00**", "8.00", "**9.00**",
        "**0.20**", "**9.41%**", "33.91%", "4.00", "-", "**1.00**", "**3.88%**",
    ]]  # fmt: skip


def test_every_regime_has_a_row_and_small_sets_come_last(tmp_path):
    path = tmp_path / "b.md"
    for name in ("isolet", "lemma-fi", "lemma-fi equal", "lemma-fi defaults"):
        write_section(path, f"vw lomtree {name}", SECTION)
    _, _, *rows = cells_of(in_short(path))
    assert [row[:2] for row in rows] == [
        ["lemma-fi", "a larger table for VW"], ["lemma-fi", "equal tables"],
        ["lemma-fi", "each one's defaults"], ["isolet", "equal tables"],
    ]  # fmt: skip
    assert rows[-1][3:8] == ["**8.00**", "**8.00**", "**9.00**", "0.20", "9.41%"]


def test_growth_beyond_the_logarithm_is_that_of_the_table_over_classes(tmp_path):
    path = tmp_path / "b.md"
    assert in_short(path) == growth(path) == ""
    write_section(path, "growth", GROWTH)
    assert growth(path) == (
        "From 10,000 to 1,000,000 classes the time of an example grows beyond log k: "
        "to learn 1.50 times (1.4 wanted), to predict **1.33** times (1.6 wanted).\n"
    )
    write_section(path, "growth", GROWTH.replace("1,000,000", "100,000"))
    assert growth(path) == ""
