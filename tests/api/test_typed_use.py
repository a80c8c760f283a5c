"""What users write, with types: mypy checks this file as strictly as it can (pyproject.toml)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import lomtree

pytest.importorskip("sklearn")

ROWS: list[dict[str, float | str]] = [{"colour": "red", "size": 3.0}, {"colour": "green"}]


def trained(rows: list[dict[str, float | str]], labels: list[str]) -> lomtree.LomTreeClassifier:
    return lomtree.LomTreeClassifier(bits=18, passes=10, trees=1).fit(rows, labels)


def batches() -> Iterator[tuple[NDArray[np.float64], list[int]]]:
    for number in range(4):
        yield np.eye(3)[[number % 3]], [number % 3]


def test_an_estimator_has_types(tmp_path: Path) -> None:
    classifier = trained(ROWS, ["apple", "kiwi"])
    labels: NDArray[Any] = classifier.predict(ROWS)
    best, probabilities = classifier.predict_top_k(ROWS, k=2)
    largest: float = float(probabilities.max())
    score: float = classifier.score(ROWS, labels)
    parameters: dict[str, Any] = classifier.set_params(passes=2).get_params()
    assert (labels.tolist(), best.shape, score) == (["apple", "kiwi"], (2, 2), 1.0)
    assert 0 < largest <= 1
    assert (parameters["passes"], classifier.passes, classifier.trees) == (2, 2, 1)
    classifier.save(tmp_path / "model.lom")
    again: lomtree.LomTreeClassifier = lomtree.load(tmp_path / "model.lom")
    assert again.partial_fit([{"size": 9.0}], ["lime"]).classes_.tolist()[-1] == "lime"
    stream = lomtree.LomTreeClassifier(bits=18).fit_stream(batches())
    assert stream.n_features_in_ == 3


def test_functions_have_types() -> None:
    model: lomtree.Model = lomtree.Model.new(lomtree.Options(bits=18))
    lines = ["apple | red", "kiwi | green"]
    model = lomtree.learn(model, lomtree.examples_of(lines), passes=10)
    found: list[str] = []
    for predictions in lomtree.predict(model, lomtree.examples_of(["| red"])):
        found += predictions.labels.tolist()
    assert found == ["apple"]
