"""The order of a set does not depend on how it lies, and weights are repetitions."""

import numpy as np
import pytest

from lomtree.arrays.classes import coded
from lomtree.arrays.rows import DenseRows, SparseRows
from lomtree.arrays.visits import MOST_TURNS, visits
from lomtree.hashing.counter_rng import draw
from tests.oracles import visits as oracle


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


def test_the_oracle_draws_the_same_bits():
    for seed, number in ((0, 0), (7, 3), (2**31, 2**63 + 5)):
        assert oracle.draw(seed, number) == int(draw(np.uint64(seed), np.uint64(number)))


def sparse_rows(X, dtype=np.float64, columns=None) -> SparseRows:
    """With zeros that are written, and the columns of each row the wrong way round."""
    sparse = pytest.importorskip("scipy.sparse")
    count, width = X.shape
    X = np.where(X == 1, -0.0, X)[:, ::-1].astype(dtype)
    places = np.tile(np.arange(width)[::-1], count)
    starts = np.arange(count + 1) * width
    matrix = sparse.csr_array((X.ravel(), places, starts), shape=(count, width))
    assert not matrix.has_canonical_format
    return SparseRows(matrix, columns)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_order_is_that_of_the_rule(data, dtype, monkeypatch):
    monkeypatch.setattr("lomtree.arrays.rows.MOST_ROWS", 7)
    X, labels = data
    X = np.where(X == 2, 0.3, X).astype(dtype)
    words = [label.encode() for label in labels]
    for seed, columns in ((0, None), (5, np.array([9, 2**32 - 1, 4], np.uint32))):
        names = range(3) if columns is None else columns.tolist()
        said = [dict(zip(names, row, strict=True)) for row in X.tolist()]
        dense = visits(DenseRows(X, columns), coded(labels), None, seed, 3)[0]
        assert dense.tolist() == oracle.order_of(said, words, seed)
        without_ones = [{name: v for name, v in row.items() if v != 1} for row in said]
        rows = sparse_rows(X, dtype, columns)
        assert not rows.may_repeat
        sparse = visits(rows, coded(labels), None, seed, 3)[0]
        assert sparse.tolist() == oracle.order_of(without_ones, words, seed)


def test_a_row_that_names_a_column_twice_says_their_sum():
    sparse = pytest.importorskip("scipy.sparse")
    values, columns = np.array([1.0, 2.0, 5.0, 3.0, 4.0, 5.0]), np.array([0, 0, 2, 2, 1, 0])
    rows = SparseRows(sparse.csr_array((values, columns, [0, 3, 6]), shape=(2, 3)))
    assert rows.may_repeat
    said = [{0: 3.0, 2: 5.0}, {0: 5.0, 1: 4.0, 2: 3.0}]
    for seed in range(4):
        order = visits(rows, coded(["a", "b"]), None, seed)[0]
        assert order.tolist() == oracle.order_of(said, [b"a", b"b"], seed)


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
