"""How the labels of one example are ranked: the candidates, their signs, and what decided."""

import pytest

LINE = "|words w3 v3:2 noise1 never-seen"
SIGNS = ("log_mass", "cosine", "roots", "coverage", "regressor", "closeness")


def predicted(lomtree, path, top) -> list[tuple[str, float]]:
    out = lomtree("predict", "-i", path, "--top", top, stdin=LINE.encode()).out.decode()
    pairs = (word.rsplit(":", 1) for word in out.split())
    return [(label, float(probability)) for label, probability in pairs]


@pytest.mark.parametrize("kind", [(), ("--algorithm", "filter"), ("--trees", 3)])
def test_the_candidates_are_those_of_predict(lomtree, trained, inspect, kind):
    path = trained(*kind)
    found = inspect(path, "--path", LINE, "--top", 99)["ranking"]
    rows, weights = found["candidates"], found["weights"]
    assert len(rows) == found["count"] > 1
    expected = predicted(lomtree, path, 20)
    assert [row["label"] for row in rows[:20]] == [label for label, _ in expected]
    for row, (_label, probability) in zip(rows, expected, strict=False):
        assert row["probability"] == pytest.approx(probability, rel=1e-3)
        logit = sum(weights[sign] * row[sign] for sign in SIGNS)
        assert row["logit"] == pytest.approx(logit, rel=1e-9)
        assert row["from"] in ("trees", "lists", "both")
    assert sum(row["probability"] for row in rows) + found["none"] == pytest.approx(1)
    assert len(inspect(path, "--path", LINE, "--top", 1)["ranking"]["candidates"]) == 1


def test_what_decided_sums_up_to_the_difference(trained, inspect):
    found = inspect(trained(), "--path", LINE, "--top", 99)["ranking"]
    first, second = found["candidates"][:2]
    decided = found["decided"]
    assert [decided["first"], decided["second"]] == [first["label"], second["label"]]
    assert decided["margin"] == pytest.approx(first["logit"] - second["logit"])
    assert sum(decided[sign] for sign in SIGNS) == pytest.approx(decided["margin"])
    features = decided["features"]
    words = {"words^w3", "words^v3", "words^noise1", "words^never-seen", "Constant"}
    assert {row["feature"] for row in features} == words
    for sign in SIGNS[1:]:
        total = sum(row[sign] for row in features)
        assert total == pytest.approx(decided[sign], rel=1e-5, abs=1e-6)
    sizes = [abs(row["sum"]) for row in features]
    assert sizes == sorted(sizes, reverse=True)
    assert next(row for row in features if row["feature"] == "words^never-seen")["sum"] == 0


def test_with_several_trees_all_of_them_rank(trained, inspect):
    path = trained("--trees", 3)
    shown = [inspect(path, "--path", LINE, "--nth", nth) for nth in range(3)]
    assert shown[0]["ranking"] == shown[1]["ranking"] == shown[2]["ranking"]
    assert shown[0]["path"] != shown[1]["path"]


def test_without_a_ranker_there_is_the_walk_alone(lomtree, trained, inspect):
    path = trained("--no-ranker")
    assert set(inspect(path, "--path", LINE)) == {"path"}
    assert b"candidates" not in lomtree("inspect", path, "--path", LINE).out


def test_the_text_tells_it_in_columns(lomtree, trained, inspect):
    path = trained()
    found = inspect(path, "--path", LINE)["ranking"]
    text = lomtree("inspect", path, "--path", LINE).out.decode()
    ranking = text.split("\n\n")[1].splitlines()
    assert ranking[0].startswith(f"{found['count']} candidates; a logit is ")
    assert ranking[2].split()[0] == f"{found['candidates'][0]['probability']:.2%}"
    assert ranking[2].split()[-1] == found["candidates"][0]["label"]
    assert ranking[-1].endswith("none of these")
    decided = text.split("\n\n")[2].splitlines()
    first, second = found["decided"]["first"], found["decided"]["second"]
    assert decided[0].startswith(f"{first} is before {second} by ")
    assert decided[2].split()[-1] == found["decided"]["features"][0]["feature"]
