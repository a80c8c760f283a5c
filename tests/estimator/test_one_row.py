"""One row at a time has the labels that all rows at once have."""

import numpy as np
import pytest
from scipy import sparse

from lomtree.arrays import source


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"trees": 2},
        {"ranker": False},
        {"algorithm": "rtree"},
        {"algorithm": "oaa"},
        {"beam": 2},
        {"walk": True},
        {"walk": True, "trees": 3},
    ],
)
def test_rows_one_by_one(blobs, classifier, parameters):
    X, y = blobs
    classifier.set_params(**parameters).fit(X, y)
    expected = classifier.predict(X).tolist()
    for form in (X, X.astype(np.float32), sparse.csr_array(X), sparse.csr_matrix(X)):
        assert [classifier.predict(form[[row]]).item() for row in range(300)] == expected


@pytest.mark.parametrize("secret", [1, 2**63 + 1, 2**64 - 1])
def test_whatever_the_secret_of_the_process_is(blobs, classifier, monkeypatch, secret):
    X, y = blobs
    for module in ("lookup", "label_features"):
        monkeypatch.setattr(f"lomtree.ranking.{module}.MULTIPLIER", np.uint64(secret))
    classifier.fit(X, y)
    expected = classifier.predict(X[:20]).tolist()
    assert [classifier.predict(X[[row]]).item() for row in range(20)] == expected


def test_a_plain_row_goes_past_the_checks_and_others_do_not(blobs, classifier, monkeypatch):
    X, y = blobs
    classifier.fit(X, y)
    expected = classifier.predict(X).tolist()

    def fail(_X):
        raise AssertionError("the usual way")

    monkeypatch.setattr(source, "kind_of", fail)
    assert [classifier.predict(X[[row]]).item() for row in range(20)] == expected[:20]
    assert classifier.predict(np.zeros((1, 12))).shape == (1,)
    wrong = X[[0]].copy()
    wrong[0, 3] = np.nan
    twice = sparse.csr_array(([1.0, 2.0], [3, 3], [0, 2]), shape=(1, 12))
    with_room = sparse.csr_array(([1.0, 2.0], [3, 4], [0, 2]), shape=(1, 12))
    with_room.indptr[1] = 1  # what is behind that is no part of the row
    for row in (wrong, wrong[:, :5], X[:2], X[0], X[[0]].astype(int), twice, with_room):
        with pytest.raises(AssertionError, match="the usual way"):
            classifier.predict(row)


def test_probabilities_of_rows_one_by_one(blobs, classifier):
    X, y = blobs
    classifier.set_params(trees=2).fit(X, y)
    labels, probabilities = classifier.predict_top_k(X[:50], k=3)
    every = classifier.predict_proba(X[:50])
    for row in range(50):
        own, their = classifier.predict_top_k(X[[row]], k=3)
        assert own.tolist() == labels[[row]].tolist()
        assert their.tolist() == probabilities[[row]].tolist()
        assert (
            classifier.predict_proba(sparse.csr_array(X[[row]])).tolist() == every[[row]].tolist()
        )


def test_dicts_one_by_one(classifier):
    rows = [{"colour": colour, "size": size} for colour in ("red", "blue") for size in range(9)]
    y = [f"{row['colour']} {row['size'] > 4}" for row in rows]
    classifier.fit(rows, y)
    expected = classifier.predict(rows).tolist()
    assert [classifier.predict([row]).item() for row in rows] == expected
    with pytest.raises(ValueError, match="infinity"):
        classifier.predict([{"size": 10**400}])


def test_rows_of_any_length_and_as_many_labels_as_are_asked_for(blobs, classifier):
    X, y = blobs
    wide = np.hstack([X, np.zeros((len(X), 200))])
    classifier.fit(sparse.csr_array(wide), y)
    expected = classifier.predict(wide).tolist()
    long = sparse.csr_array(np.hstack([X[:1], np.ones((1, 200))]))
    for row in range(3):
        assert classifier.predict(sparse.csr_array(wide[[row]])).item() == expected[row]
        classifier.predict(long)
    for k in range(1, 7):
        assert classifier.predict_top_k(wide[:1], k)[0].shape == (1, k)


def test_what_was_learned_since_counts(blobs, classifier):
    X, y = blobs
    classifier.partial_fit(X[:20], y[:20]).predict(X[:1])
    classifier.partial_fit(X[20:], y[20:] + 10)
    expected = classifier.predict(X).tolist()
    assert [classifier.predict(X[[row]]).item() for row in range(300)] == expected
    assert max(expected) >= 10


def test_the_label_belongs_to_the_caller(blobs, classifier):
    X, y = blobs
    label = classifier.fit(X, y).predict(X[:1])
    label[:] = 99
    assert classifier.classes_.tolist() == list(range(6))
