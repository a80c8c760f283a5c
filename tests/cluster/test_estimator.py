"""The estimator on collections of Dask: the conventions of others, and the model of this one."""

import pickle

import numpy as np
import pytest

from lomtree import DaskLomTreeClassifier, LomTreeClassifier

da = pytest.importorskip("dask.array")
csr_matrix = pytest.importorskip("scipy.sparse").csr_matrix
pytest.importorskip("sklearn")


def some_data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 6, 300)
    X = rng.normal(size=(300, 8)) + 6 * np.eye(8)[y]
    return X.astype(np.float32), y


@pytest.fixture(scope="module")
def fitted(client):
    X, y = some_data()
    classifier = DaskLomTreeClassifier(client=client, bits=18, shards=2, passes=3)
    return classifier.fit(da.from_array(X, chunks=(100, 4)), da.from_array(y, chunks=100))


def test_it_predicts_arrays_of_dask_and_of_numpy(fitted):
    X, y = some_data()
    local = fitted.predict(X)
    assert np.mean(local == y) > 0.9
    assert fitted.classes_.tolist() == list(range(6))
    for blocks in ((100, 8), (100, 3)):
        lazy = da.from_array(X, chunks=blocks)
        assert np.array_equal(fitted.predict(lazy).compute(), local)
        shares = fitted.predict_proba(lazy)
        assert shares.shape == (300, 6)
        assert np.array_equal(shares.compute(), fitted.predict_proba(X))


def test_the_client_is_no_part_of_a_pickle(fitted):
    X, _ = some_data()
    again = pickle.loads(pickle.dumps(fitted))
    assert again.client is None
    assert np.array_equal(again.predict(X), fitted.predict(X))
    local = fitted.to_local()
    assert type(local) is LomTreeClassifier
    assert np.array_equal(local.predict(X), fitted.predict(X))


def test_the_parameters_are_those_of_the_estimator_and_a_client():
    taken = set(DaskLomTreeClassifier().get_params())
    assert taken - set(LomTreeClassifier().get_params()) == {"client", "sample"}


def test_sparse_blocks_give_the_same_model(client, fitted):
    X, y = some_data()
    blocks = da.from_array(X, chunks=(100, 8)).map_blocks(csr_matrix)
    sparse = DaskLomTreeClassifier(client=client, bits=18, shards=2, passes=3)
    sparse.fit(blocks, da.from_array(y, chunks=100))
    assert np.array_equal(sparse.predict(X), fitted.predict(X))


def test_frames_are_taken_by_their_columns(client):
    dd, pandas = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    X, y = some_data()
    frame = pandas.DataFrame(X, columns=list("abcdefgh")).assign(y=y)
    parts = dd.from_pandas(frame, npartitions=3)
    classifier = DaskLomTreeClassifier(client=client, bits=18, shards=2, passes=3)
    classifier.fit(parts[list("abcdefgh")], parts["y"])
    assert classifier.feature_names_in_.tolist() == list("abcdefgh")
    lazy = classifier.predict(parts[list("abcdefgh")])
    local = classifier.predict(frame[list("abcdefgh")])
    assert np.array_equal(np.asarray(lazy.compute()), local)
    assert np.mean(local == y) > 0.9


def fail(_block):
    raise ValueError("a block is bad")


def test_a_fit_that_fails_leaves_no_tasks(client):
    X, y = some_data()
    bad = da.from_array(X, chunks=(100, 8)).map_blocks(fail, dtype=X.dtype, meta=X[:0])
    classifier = DaskLomTreeClassifier(client=client, bits=18, shards=2)
    with pytest.raises(ValueError, match="a block is bad"):
        classifier.fit(bad, da.from_array(y, chunks=100))
    left = [key for key, one in client.futures.items() if one.status != "cancelled"]
    assert not [key for key in left if "lomtree" in str(key)]


def test_what_is_no_collection_is_refused(client):
    X, y = some_data()
    with pytest.raises(ValueError, match="collections of Dask"):
        DaskLomTreeClassifier(client=client).fit(X, y)
