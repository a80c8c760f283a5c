"""test --recall: how often the right label is among those found."""

import json

import pytest


@pytest.fixture
def hard(lines) -> bytes:
    """Lines whose telling word is gone, and one with a label that training never saw."""
    return b"".join(line.replace(b" w1", b" x1") for line in lines) + b"unseen |words w1 v1\n"


@pytest.fixture
def trained(lomtree, data, tmp_path):
    def train(*arguments) -> str:
        path = str(tmp_path / "trained.lom")
        assert lomtree("train", data, "-b", 18, "--quiet", *arguments, "-f", path).status == 0
        return path

    return train


def result_of(lomtree, path, stdin, *arguments) -> dict:
    result = lomtree("test", "-i", path, "--json", "--quiet", *arguments, stdin=stdin)
    assert (result.status, result.err) == (0, "")
    return json.loads(result.out)


@pytest.mark.parametrize("kind", [(), ("--algorithm", "rtree"), ("--trees", 3)])
def test_each_finder_is_judged(lomtree, trained, hard, kind):
    path = trained(*kind)
    found = result_of(lomtree, path, hard, "--recall")["recall"]
    assert list(found) == ["trees", "lists", "candidates"]
    for shares in found.values():
        assert list(shares) == ["10", "20", "all"]
        assert 0 < shares["10"] <= shares["20"] <= shares["all"] < 1
    for best in (10, 20):
        error = result_of(lomtree, path, hard, "--top", best)["error_at_top"]
        assert found["candidates"][str(best)] == pytest.approx(1 - error)
    few = result_of(lomtree, path, hard, "--recall", "--beam", 1)["recall"]
    assert few["trees"]["all"] <= found["trees"]["all"]
    assert few["lists"] == found["lists"]


def test_without_a_ranker_the_trees_are_the_only_finder(lomtree, trained, hard):
    path = trained("--no-ranker")
    found = result_of(lomtree, path, hard, "--recall")
    assert list(found["recall"]) == ["trees"]
    error = result_of(lomtree, path, hard, "--top", 10)["error_at_top"]
    assert found["recall"]["trees"]["10"] >= 1 - error  # hopeless ones are not ranked
    text = lomtree("test", "-i", path, "--recall", "--quiet", stdin=hard).out.decode()
    assert "found by the trees" in text
    assert "lists" not in text


def test_the_table_stands_below_the_score(lomtree, model, hard):
    plain = lomtree("test", "-i", model, "--quiet", stdin=hard).out.decode()
    text = lomtree("test", "-i", model, "--recall", "--quiet", stdin=hard).out.decode()
    assert "recall" not in plain
    before, table = text.split("\n\nrecall")
    assert "error rate" in before
    rows = ("recall" + table).splitlines()
    assert [row[:20].strip() for row in rows[1:]] == [
        "found by the trees", "voted for by lists", "ranked candidates",
    ]  # fmt: skip
    assert len({len(row) for row in rows}) == 1
    shares = result_of(lomtree, model, hard, "--recall")["recall"]["lists"]
    assert rows[2].split()[-3:] == [f"{share:.2%}" for share in shares.values()]


def test_what_has_no_finders_gets_a_sentence(lomtree, trained, model, hard):
    for path, more in ((trained("--algorithm", "oaa"), ()), (model, ("--walk",))):
        result = lomtree("test", "-i", path, "--recall", *more, stdin=hard)
        assert (result.status, result.out, result.err.count("\n")) == (2, b"", 1)
        assert "--recall" in result.err
