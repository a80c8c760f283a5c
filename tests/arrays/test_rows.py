"""Rows become the examples that libsvm text of the same numbers becomes."""

import numpy as np
import pytest

from lomtree.arrays.dicts import joined
from lomtree.arrays.rows import DenseRows, PackedRows, Rows, SparseRows
from lomtree.examples.batch import CONSTANT, Batch, copy
from lomtree.formats.one_line import parse_lines

sparse = pytest.importorskip("scipy.sparse")


def matrix_of(rng: np.random.Generator, rows=40, columns=9) -> np.ndarray:
    values = rng.normal(size=(rows, columns))
    return np.where(rng.random((rows, columns)) < 0.5, values, 0.0)


def parsed(matrix: np.ndarray) -> Batch:
    """What the parser makes of it, zeros written out."""
    lines = [" ".join(f"{j}:{v!r}" for j, v in enumerate(row)) for row in matrix.tolist()]
    examples = parse_lines(("\n".join(lines) + "\n").encode(), "libsvm", "X", 1).examples
    return copy(examples.batch, examples.count)


def all_of(rows: Rows, **settings) -> Batch:
    batches = [copy(batch, len(batch.labels)) for batch in rows.batches(**settings)]
    return joined(batches)


def same(one: Batch, other: Batch) -> bool:
    return all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(one, other, strict=True))


FORMS = {
    "array": DenseRows,
    "columns first": lambda matrix: DenseRows(np.asfortranarray(matrix)),
    "csr_array": lambda matrix: SparseRows(sparse.csr_array(matrix)),
    "csc_matrix": lambda matrix: SparseRows(sparse.csc_matrix(matrix)),
    "coo_array": lambda matrix: SparseRows(sparse.coo_array(matrix)),
    "packed": lambda matrix: PackedRows(parsed(matrix)),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_is_what_text_is(form):
    matrix = matrix_of(np.random.default_rng(0))
    assert same(all_of(form(matrix)), parsed(matrix))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, np.uint64, bool])
def test_any_type_of_number(dtype):
    matrix = (4 * matrix_of(np.random.default_rng(1))).astype(dtype)
    expected = parsed(matrix.astype(np.float64))
    assert same(all_of(DenseRows(matrix)), expected)
    if dtype != np.float16:  # which scipy does not have
        assert same(all_of(SparseRows(sparse.csr_array(matrix))), expected)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_rows_come_in_any_order_with_their_labels_and_weights(form):
    rng = np.random.default_rng(2)
    matrix, order = matrix_of(rng), rng.integers(0, 40, 60)
    labels, weights = np.arange(60, dtype=np.int32), rng.random(60).astype(np.float32)
    found = all_of(form(matrix), labels=labels, weights=weights, order=order)
    assert same(found, parsed(matrix[order])._replace(labels=labels, weights=weights))


def test_batches_are_cut_at_a_number_of_features(monkeypatch):
    monkeypatch.setattr("lomtree.arrays.rows.MOST_FEATURES", 25)
    matrix = matrix_of(np.random.default_rng(3))
    for rows in (DenseRows(matrix), SparseRows(sparse.csr_array(matrix))):
        sizes = [int(batch.starts[-1]) for batch in rows.batches()]
        assert len(sizes) > 5
        assert max(sizes) <= 25
        assert same(all_of(rows), parsed(matrix))


def test_what_a_row_names_twice_is_summed():
    twice = sparse.csr_array(([1.0, 2.0, 4.0, -4.0], [3, 3, 1, 1], [0, 4]), shape=(1, 5))
    batch = all_of(SparseRows(twice))
    assert batch.features.tolist()[: batch.starts[1]] == [3, CONSTANT]
    assert batch.values.tolist()[: batch.starts[1]] == [3.0, 1.0]


def test_a_column_that_is_the_constant_adds_to_it():
    wide = sparse.csr_array(([2.5, 1.5], [7, CONSTANT], [0, 2]), shape=(1, CONSTANT + 1))
    batch = all_of(SparseRows(wide))
    assert batch.features.tolist()[: batch.starts[1]] == [7, CONSTANT]
    assert batch.values.tolist()[: batch.starts[1]] == [2.5, 2.5]


def test_nothing_is_copied_that_need_not_be():
    matrix = sparse.csr_array(matrix_of(np.random.default_rng(4)).astype(np.float32))
    assert SparseRows(matrix).data is matrix.data
    dense = np.ascontiguousarray(matrix.toarray())
    assert DenseRows(dense).matrix is dense


@pytest.mark.parametrize(
    ("value", "sentence"),
    [(np.nan, "contains NaN"), (np.inf, "infinity"), (-np.inf, "infinity"), (1e300, "too large")],
)
def test_numbers_that_are_none(value, sentence):
    for form in (DenseRows, lambda matrix: SparseRows(sparse.csr_array(matrix))):
        with pytest.raises(ValueError, match=sentence):
            form(np.array([[1.0, value]]))


def test_matrices_whose_indices_lie_never_reach_compiled_code():
    for indices, indptr in (([0, 9], [0, 2]), ([0, -1], [0, 2]), ([0, 1], [0, 7])):
        matrix = sparse.csr_array(([1.0, 2.0], [0, 1], [0, 2]), shape=(1, 3))
        matrix.indices, matrix.indptr = np.array(indices), np.array(indptr)
        with pytest.raises(ValueError, match="out of bounds"):
            SparseRows(matrix)
