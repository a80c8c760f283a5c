"""An explanation of one example says what a prediction says, with the names of its features."""

import numpy as np
import pytest

ROWS = [{"colour": "red", "size": 3.0}, {"colour": "green", "size": 1.0}, {"colour": "blue"}]


def names_in(why: dict) -> set[str]:
    steps = [step for path in why["paths"] for step in path["steps"]]
    return {row["feature"] for step in steps for row in step["features"]}


def test_dicts_have_their_names(classifier):
    classifier.fit(ROWS * 20, [1, 2, 3] * 20)
    for row, label in zip(ROWS, (1, 2, 3), strict=True):
        why = classifier.explain(row)
        assert why["prediction"] == why["ranking"]["candidates"][0]["label"] == label
        assert classifier.predict([row]).item() == label
    assert names_in(classifier.explain([ROWS[0]])) == {"colour=red", "size", "Constant"}


def test_lines_and_columns_have_theirs(blobs, classifier):
    X, y = blobs
    row = next(row for row in X if row[0] != 0)
    why = classifier.set_params(trees=2).fit(X, y).explain(row, top=20)
    assert len(why["paths"]) == 2
    assert names_in(why) == {str(j) for j in np.flatnonzero(row)} | {"Constant"}
    classifier.fit(["a |words x y", "b |words z"] * 20)
    assert names_in(classifier.explain("|words x")) == {"words^x", "Constant"}
    with pytest.raises(ValueError, match="X has 2 examples: one is explained"):
        classifier.explain(["|words x", "|words y"])


def test_frames_have_theirs(classifier):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    frame = pandas.DataFrame({"colour": ["red", "green"] * 20, "size": [3.0, 1.0] * 20})
    classifier.fit(frame, ["a", "b"] * 20)
    assert names_in(classifier.explain(frame[:1])) == {"colour=red", "size", "Constant"}


def test_without_a_tree_there_is_no_path(blobs, classifier):
    X, y = blobs
    why = classifier.set_params(algorithm="oaa").fit(X, y).explain(X[0])
    assert (why["paths"], why["ranking"]) == ([], None)
    assert why["prediction"] == classifier.predict(X[:1]).item()
