"""Something to learn in memory; without scikit-learn these tests are skipped."""

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")


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
