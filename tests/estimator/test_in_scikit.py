"""The estimator among scikit-learn's own tools."""

import io
import logging
import os
import subprocess
import sys
import threading

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from lomtree.arrays import frames
from lomtree.arrays.frames import as_frame
from lomtree.jit import announcement

TOPICS = {
    "bank": ["money", "balance", "account"],
    "music": ["song", "play", "album"],
    "food": ["eat", "cook", "dish"],
}


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    labels = rng.choice(list(TOPICS), 90)
    words = [rng.choice([*TOPICS[label], "the", "a"], 5) for label in labels]
    return [" ".join(some) for some in words], labels


@pytest.mark.parametrize("vectorizer", [HashingVectorizer(), TfidfVectorizer()])
def test_in_a_pipeline_with_words(texts, classifier, vectorizer):
    lines, labels = texts
    pipeline = make_pipeline(vectorizer, classifier).fit(lines, labels)
    assert pipeline.score(lines, labels) > 0.9


def test_searched_crossed_and_calibrated(blobs, classifier):
    X, y = blobs
    search = GridSearchCV(classifier, {"passes": [1, 3], "scale": ["auto", "l2"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.7
    assert cross_val_score(classifier, X, y, cv=3).mean() > 0.7
    calibrated = CalibratedClassifierCV(classifier, cv=3).fit(X, y)
    assert np.allclose(calibrated.predict_proba(X).sum(axis=1), 1)


def test_cloned_and_kept_by_joblib(blobs, classifier, tmp_path):
    X, y = blobs
    classifier.set_params(trees=2).fit(X, y)
    assert clone(classifier).get_params() == classifier.get_params()
    assert not hasattr(clone(classifier), "classes_")
    joblib.dump(classifier, tmp_path / "kept")
    again = joblib.load(tmp_path / "kept", mmap_mode="r")
    assert np.array_equal(again.predict_proba(X), classifier.predict_proba(X))


def test_threads_take_turns_and_cores_change_nothing(blobs, classifier):
    X, y = blobs
    X = np.tile(X, (3, 1))
    classifier.fit(X, np.tile(y, 3))
    expected, found = classifier.predict(X).tolist(), []

    def predict() -> None:
        found.append(classifier.predict(X).tolist())

    work = [threading.Thread(target=predict) for _ in range(4)]
    for one in work:
        one.start()
    for one in work:
        one.join()
    assert found == [expected] * 4
    assert classifier.set_params(n_jobs=-1).predict(X).tolist() == expected


def test_a_bar_counts_the_examples_of_a_stream_if_asked(blobs, classifier, capsys):
    X, y = blobs
    batches = [(X[:200], y[:200]), (X[200:], y[200:])]
    classifier.fit_stream(batches, total=300)
    assert capsys.readouterr() == ("", "")
    classifier.set_params(verbose=1).fit_stream(batches, total=300)
    out, err = capsys.readouterr()
    assert out == ""
    assert "300/300" in err
    with pytest.raises(ValueError, match="no samples"):
        classifier.fit_stream([])


def test_compiling_is_told_once_through_logging(tmp_path):
    script = (
        "from lomtree import LomTreeClassifier\n"
        "from lomtree.jit.kernel import kernel\n"
        "@kernel\n"
        "def first(x):\n"
        "    return x + 1\n"
        "print(first(1), first(1.5))\n"
    )
    fresh = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", script], env=fresh, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "2 2.5\n")
    assert ran.stderr.count("compiling (only the first such run does)") == 1
    stream = io.StringIO()
    handler, logger = logging.StreamHandler(stream), logging.getLogger("lomtree")
    logger.addHandler(handler)
    try:
        announcement.announce_compilation(logger.warning)
        announcement.say_compiling()
        announcement.say_compiling()
    finally:
        logger.removeHandler(handler)
    assert stream.getvalue().count("compiling") == 1


def test_batches_of_arrow_with_the_labels_in_a_column(blobs, classifier):
    arrow = pytest.importorskip("pyarrow")
    X, y = blobs
    columns = {f"x{number}": column for number, column in enumerate(X.T)}
    table = arrow.table({**columns, "kind": y})
    expected = classifier.fit_stream([(arrow.table(columns), y)]).predict(arrow.table(columns))
    batches = table.to_batches(max_chunksize=50)
    for stream in (batches, arrow.RecordBatchReader.from_batches(table.schema, batches)):
        found = classifier.fit_stream(stream, y="kind").predict(arrow.table(columns))
        assert found.tolist() == expected.tolist()
    assert classifier.feature_names_in_.tolist() == list(columns)
    by_name = classifier.fit(table, "kind").predict(arrow.table(columns))
    assert (
        by_name.tolist()
        == classifier.fit(arrow.table(columns), y).predict(arrow.table(columns)).tolist()
    )


def test_without_shuffling_a_stream_of_arrow_is_never_there_as_a_whole(
    blobs, classifier, tmp_path, monkeypatch
):
    arrow = pytest.importorskip("pyarrow")
    X, y = blobs
    table = arrow.table({**{f"x{number}": column for number, column in enumerate(X.T)}, "kind": y})
    classifier.set_params(shuffle=False, passes=2).fit(table, "kind").save(tmp_path / "table.lom")
    batches = table.to_batches(max_chunksize=50)
    stream = arrow.RecordBatchReader.from_batches(table.schema, batches)
    monkeypatch.setattr(frames, "as_frame", lambda X: 1 / 0 if X is stream else as_frame(X))
    classifier.fit(stream, "kind").save(tmp_path / "stream.lom")
    assert (tmp_path / "stream.lom").read_bytes() == (tmp_path / "table.lom").read_bytes()


def test_the_command_line_predicts_tables_with_a_model_of_frames(
    blobs, classifier, lomtree, tmp_path
):
    X, y = blobs
    frame = pytest.importorskip("pandas").DataFrame(X, columns=[f"x{j}" for j in range(12)])
    classifier.fit(frame, y).save(tmp_path / "m.lom")
    table = str(tmp_path / "x.csv")
    frame.assign(kind=y).to_csv(table, index=False)
    status, out, err = lomtree("predict", "-i", tmp_path / "m.lom", table, "--label", "kind")
    assert (status, err) == (0, "")
    assert list(map(int, out.split())) == classifier.predict(frame).tolist()


def test_a_batch_that_is_none_is_told(blobs, classifier):
    X, _y = blobs
    with pytest.raises(
        ValueError, match=r"a batch of the stream is a ndarray: it must be \(X, y\)"
    ):
        classifier.fit_stream([X])
    with pytest.raises(ValueError, match="the name of a column, if X is a DataFrame"):
        classifier.fit(X, "kind")
