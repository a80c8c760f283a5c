"""Something to learn in memory. Without scikit-learn only what does without it is tested."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

collect_ignore: list[str] = []
if find_spec("sklearn") is None:
    without = ("test_functions.py", "test_probabilities.py")
    collect_ignore = [
        path.name for path in Path(__file__).parent.glob("test_*.py") if path.name not in without
    ]


@pytest.fixture(scope="session")
def blobs():
    """300 rows of 12 columns, half of them zeros, in 6 classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 6, 300)
    centres = 3 * rng.normal(size=(6, 12))
    X = centres[y] + rng.normal(size=(300, 12))
    return np.where(rng.random((300, 12)) < 0.5, X, 0.0), y


@pytest.fixture
def classifier():
    from lomtree import LomTreeClassifier

    return LomTreeClassifier(bits=18)
