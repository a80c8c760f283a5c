"""The defaults are good on real data; skipped where LOMTREE_DATA does not name a folder with it."""

import json
import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("LOMTREE_DATA", "data"))


@pytest.mark.parametrize(
    ("algorithm", "name", "suffix", "passes", "most"),
    [
        ("lomtree", "isolet", "svm", 20, 0.095),
        ("lomtree", "clinc150", "vw", 10, 0.155),
        ("rtree", "isolet", "svm", 20, 0.2),
        ("filter", "isolet", "svm", 20, 0.2),
        ("oaa", "isolet", "svm", 20, 0.06),
        ("oaa", "clinc150", "vw", 10, 0.1),
    ],
)
def test_test_error_with_the_defaults(lomtree, tmp_path, algorithm, name, suffix, passes, most):
    result = error_of(lomtree, tmp_path, name, suffix, passes, ("--algorithm", algorithm), ())
    assert result["error"] <= most


@pytest.mark.parametrize(
    ("name", "suffix", "passes", "most"),
    [
        ("isolet", "svm", 20, 0.05),
        ("aloi-438", "svm", 20, 0.2),
        ("clinc150", "vw", 10, 0.09),
    ],
)
def test_three_trees_and_a_search_err_less_and_know_how_much(
    lomtree, tmp_path, name, suffix, passes, most
):
    result = error_of(lomtree, tmp_path, name, suffix, passes, ("--trees", 3), ())
    assert result["error"] <= most
    assert result["calibration_error"] <= 0.05


def error_of(lomtree, tmp_path, name, suffix, passes, training, testing) -> dict:
    """What `lomtree test` says after so many passes."""
    train, test = (FOLDER / name / f"{part}.{suffix}.gz" for part in ("train", "test"))
    if not train.exists():
        pytest.skip(f"no {name} in LOMTREE_DATA")
    model = tmp_path / "model"
    done = lomtree("train", train, "--passes", passes, *training, "-f", model)
    assert done.status == 0
    return json.loads(lomtree("test", "-i", model, test, *testing, "--json").out)
