"""One estimator, several threads and forked processes."""

import gc
import multiprocessing
import pickle
import sys
import threading
import weakref
from collections.abc import Callable

import numpy as np
import pytest

import lomtree
from lomtree.arrays.names import FeatureNames


@pytest.fixture(scope="module")
def many():
    """1,200 rows of 300 classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 300, 1200)
    X = (3 * rng.normal(size=(300, 20)))[y] + 0.3 * rng.normal(size=(1200, 20))
    return X, np.array([f"label {number}" for number in range(300)])[y]


@pytest.fixture
def often_switched():
    """Threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*work: Callable[[], None]) -> None:
    """Do all of this in threads; raises what one of them raises."""
    wrong: list[BaseException] = []

    def done(one: Callable[[], None]) -> None:
        try:
            one()
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=done, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


def test_threads_may_be_the_first_to_use_a_loaded_model(many, classifier, tmp_path, often_switched):
    X, y = many
    expected = classifier.fit(X, y).predict(X).tolist()
    classifier.save(tmp_path / "m.lom")
    for _ in range(5):
        loaded, found = lomtree.load(tmp_path / "m.lom"), {}

        def predict(part: int, loaded=loaded, found=found) -> None:
            found[part] = loaded.predict(X[part::4]).tolist()

        at_once(*(lambda part=part: predict(part) for part in range(4)))
        assert found == {part: expected[part::4] for part in range(4)}


def test_predictions_while_another_thread_learns(many, classifier, tmp_path, often_switched):
    X, y = many
    parts = [slice(first, first + 40) for first in range(0, 1200, 40)]
    classifier.partial_fit(X[parts[0]], y[parts[0]])
    learning = threading.Event()

    def learn() -> None:
        for part in parts[1:]:
            classifier.partial_fit(X[part], y[part])
        learning.set()

    def ask() -> None:
        while not learning.is_set():
            assert set(classifier.predict(X[:50]).tolist()) <= set(y)
            assert classifier.predict_top_k(X[:5], 3)[0].shape == (5, 3)
            assert classifier.predict_proba(X[:2]).sum(axis=1) == pytest.approx(1)
            assert classifier.explain(X[0])["prediction"] in set(y)
            pickle.dumps(classifier)

    at_once(learn, ask, ask)
    alone = lomtree.LomTreeClassifier(bits=18)
    for part in parts:
        alone.partial_fit(X[part], y[part])
    classifier.save(tmp_path / "watched.lom")
    alone.save(tmp_path / "alone.lom")
    assert (tmp_path / "watched.lom").read_bytes() == (tmp_path / "alone.lom").read_bytes()


def test_names_may_be_forgotten_while_another_thread_asks(monkeypatch, often_switched):
    monkeypatch.setattr("lomtree.arrays.names._REMEMBERED", 3)
    names = FeatureNames()
    expected = FeatureNames().learn(map(str, range(20))).copy()

    def ask(first: int) -> None:
        for number in range(300):
            wanted = [str((first + number + more) % 20) for more in range(3)]
            found = names.learn(wanted)
            assert [found[one] for one in wanted] == [expected[one] for one in wanted]

    at_once(*(lambda first=first: ask(first) for first in range(4)))


@pytest.mark.parametrize("parameters", [{"n_jobs": 2}, {"trees": 2}])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # of a process with threads
def test_a_forked_process_learns_and_predicts_on(many, classifier, parameters):
    X, y = many
    classifier.set_params(**parameters).fit(X, y)
    expected = classifier.predict(X).tolist()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def work() -> None:
        sender.send(classifier.predict(X).tolist())
        sender.send(classifier.partial_fit(X, y).predict(X).tolist())

    process = context.Process(target=work, daemon=True)
    process.start()
    try:
        assert receiver.poll(120)  # it waits for threads that it does not have
        assert receiver.recv() == expected
        assert receiver.poll(120)
        assert receiver.recv() == classifier.partial_fit(X, y).predict(X).tolist()
    finally:
        process.kill()


@pytest.mark.parametrize("parameters", [{}, {"trees": 2}, {"algorithm": "oaa"}, {"n_jobs": 2}])
def test_memory_is_free_when_nobody_has_the_model_any_more(many, classifier, parameters):
    """At once: tables of gigabytes do not wait for Python's collector of cycles."""
    X, y = many
    fitted = classifier.set_params(**parameters).fit(X, y)
    fitted.predict(X)
    fitted.predict(X[:1])
    fitted.predict_top_k(X, 2)
    learner = weakref.ref(fitted._engine.model.learner)
    gc.collect()
    gc.disable()
    try:
        fitted.fit(X[:10], y[:10])
        assert learner() is None
    finally:
        gc.enable()
