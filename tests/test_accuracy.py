"""The defaults are good on real data; skipped where LOMTREE_DATA does not name a folder with it."""

import json
import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("LOMTREE_DATA", "data"))


@pytest.mark.parametrize(
    ("name", "suffix", "passes", "most"),
    [("isolet", "svm", 20, 0.095), ("aloi-438", "svm", 20, 0.36), ("clinc150", "vw", 10, 0.155)],
)
def test_test_error_with_the_defaults(lomtree, tmp_path, name, suffix, passes, most):
    train, test = (FOLDER / name / f"{part}.{suffix}.gz" for part in ("train", "test"))
    if not train.exists():
        pytest.skip(f"no {name} in LOMTREE_DATA")
    assert lomtree("train", train, "--passes", passes, "-f", tmp_path / "model").status == 0
    result = json.loads(lomtree("test", "-i", tmp_path / "model", test, "--json").out)
    assert result["error"] <= most
