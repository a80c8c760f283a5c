"""What a run says of its predictions: which ones the table shows, and how good rankings are."""

import pytest


def said(lomtree, data, tmp_path, *arguments) -> dict[str, str]:
    """The lines on stderr, by what they begin with."""
    result = lomtree("train", data, "-b", 18, *arguments, "-f", tmp_path / "model.lom")
    assert (result.status, result.out) == (0, b"")
    lines = result.err.splitlines()
    table = next(n for n, line in enumerate(lines) if line.split()[:1] == ["average"])
    assert lines[table - 1].startswith("predictions below: ")
    parts = [(line[:18].strip(), line[19:]) for line in lines]
    return dict(parts) | {"above": lines[table - 1]}


@pytest.mark.parametrize(
    ("arguments", "shown", "name", "done"),
    [
        ((), "of one walk down the tree", "ranked error", "ranked"),
        (("--trees", 2), "of one walk down each tree", "ranked error", "ranked"),
        (("--no-ranker",), "of one walk down the tree", "search error", "searched for"),
        (("--algorithm", "rtree"), "of one walk down the tree", "ranked error", "ranked"),
    ],
)
def test_a_tree_has_two_errors(lomtree, data, tmp_path, arguments, shown, name, done):
    lines = said(lomtree, data, tmp_path, *arguments)
    assert lines["above"] == f"predictions below: {shown}, before the example is learned"
    error, told = lines["progressive error"].split(", ", 1)
    assert 0 < float(error) < 1
    assert told == shown
    error, told = lines[name].split(" on ")
    assert 0 < float(error) < 1
    count = int(told.split()[0].replace(",", ""))
    assert 0 < count <= 300
    assert told == f"{count} examples, {done} before they were learned"


def test_of_several_passes_the_last_has_examples_that_waited_for_it(lomtree, data, tmp_path):
    twice = said(lomtree, data, tmp_path, "--passes", 2)["ranked error"]
    assert twice.endswith("learned, in pass 2")
    assert 0 < int(twice.split(" on ")[1].split()[0]) < 30


def test_without_a_ranker_only_the_first_pass_has_examples_that_are_new(lomtree, data, tmp_path):
    once = said(lomtree, data, tmp_path, "--no-ranker")["search error"]
    twice = said(lomtree, data, tmp_path, "--no-ranker", "--passes", 2)["search error"]
    assert twice == once + ", in pass 1"


def test_one_against_all_compares_all_labels_anyway(lomtree, data, tmp_path):
    lines = said(lomtree, data, tmp_path, "--algorithm", "oaa")
    assert "the label with the largest score" in lines["above"]
    assert "the label with the largest score" in lines["progressive error"]
    assert not {"ranked error", "search error"} & set(lines)


def test_quiet_says_nothing(lomtree, data, tmp_path):
    result = lomtree("train", data, "-b", 18, "--quiet", "-f", tmp_path / "model.lom")
    assert result == (0, b"", "")
