"""The order of a set does not depend on how it lies, and weights are repetitions."""

import numpy as np
import pytest

from lomtree.arrays.classes import coded
from lomtree.arrays.rows import DenseRows, SparseRows
from lomtree.arrays.visits import MOST_TURNS, visits


def turns(X, labels, weights=None, seed=0) -> list[tuple]:
    order, of_turn = visits(DenseRows(X), coded(labels), weights, seed)
    said = [(*X[row].tolist(), labels[row]) for row in order.tolist()]
    return said if of_turn is None else list(zip(said, of_turn.tolist(), strict=True))


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.integers(0, 3, (50, 3)).astype(float), [str(n) for n in rng.integers(0, 4, 50)]


def test_rows_that_lie_otherwise_have_the_same_turns(data):
    X, labels = data
    order = np.random.default_rng(1).permutation(50)
    assert turns(X[order], [labels[row] for row in order]) == turns(X, labels)
    as_they_lie = [(*row, y) for row, y in zip(X.tolist(), labels, strict=True)]
    assert sorted(turns(X, labels)) == sorted(as_they_lie)
    assert turns(X, labels) != as_they_lie
    assert turns(X, labels, seed=1) != turns(X, labels)


def test_the_number_of_threads_changes_nothing(data):
    X, labels = data
    expected = visits(DenseRows(X), coded(labels), None, 0)[0].tolist()
    for threads in (2, 3, 100):
        assert visits(DenseRows(X), coded(labels), None, 0, threads)[0].tolist() == expected


def test_a_sparse_matrix_has_the_turns_of_the_array(data):
    sparse = pytest.importorskip("scipy.sparse")
    X, labels = data
    order, _ = visits(SparseRows(sparse.csr_array(X)), coded(labels), None, 0)
    assert order.tolist() == visits(DenseRows(X), coded(labels), None, 0)[0].tolist()


def test_a_weight_is_as_many_repetitions(data):
    X, labels = data
    times = np.random.default_rng(2).integers(0, 4, 50)
    repeated = turns(X.repeat(times, axis=0), np.repeat(labels, times).tolist())
    weighted = turns(X, labels, times.astype(np.float32))
    assert [said for said, _ in weighted] == repeated
    assert {weight for _, weight in weighted} == {1.0}


def test_other_weights_are_spread_over_the_turns():
    found = turns(np.array([[1.0], [2.0], [3.0]]), "abc", np.array([0.25, 2.5, 1000], np.float32))
    sums = {said: sum(w for other, w in found if other == said) for said, _ in found}
    assert sums == pytest.approx({(1.0, "a"): 0.25, (2.0, "b"): 2.5, (3.0, "c"): 1000.0})
    assert len(found) == 1 + 3 + MOST_TURNS
