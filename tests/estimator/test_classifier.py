"""The estimator: the same models as the command line, labels that keep their types."""

import datetime
import inspect
import pickle
import random
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

import lomtree
from lomtree.core.options import Options
from lomtree.estimator.classifier import LomTreeClassifier


def saved(classifier, folder) -> bytes:
    classifier.save(folder / "python.lom")
    return (folder / "python.lom").read_bytes()


def test_of_equal_labels_the_first_of_y_counts_whatever_the_order(blobs):
    X, _y = blobs
    for seed in range(5):
        fitted = LomTreeClassifier(bits=18, random_state=seed).fit(X[:4], [1, True, 1.0, "1"])
        assert [type(label) for label in fitted.classes_] == [int, str]


def test_the_parameters_are_the_options_of_the_command_line():
    taken = inspect.signature(LomTreeClassifier.__init__).parameters
    options = {one.name: one.default for one in fields(Options) if one.name != "seed"}
    defaults = {name: one.default for name, one in taken.items() if name != "self"}
    assert {name: defaults[name] for name in options} == options
    assert set(defaults) - set(options) == {
        "passes", "shuffle", "random_state", "n_jobs", "beam", "walk", "verbose",
    }  # fmt: skip
    assert defaults["random_state"] == Options.seed
    assert LomTreeClassifier(bits=18).bits == 18


def some_dicts() -> tuple[list[dict], list[str], list[float]]:
    rng, dicts, labels, weights = random.Random(0), [], [], []
    for _ in range(200):
        label = rng.randrange(12)
        names = [f"w{label}", f"v{label % 3}", "7", f"noise{rng.randrange(30)}"]
        numbers = {name: round(rng.random() + 0.1, 3) for name in rng.sample(names, 3)}
        dicts.append(numbers | {"colour": rng.choice(["red", "green"])})
        labels.append(f"class-{label}")
        weights.append(rng.choice([1, 2, 0.5]))
    return dicts, labels, weights


def vw_lines(dicts, labels, weights) -> list[str]:
    def word(name, value):
        return f"{name}={value}" if isinstance(value, str) else f"{name}:{value}"

    return [
        f"{label} {weight} | " + " ".join(word(*item) for item in one.items())
        for one, label, weight in zip(dicts, labels, weights, strict=True)
    ]


@pytest.mark.parametrize(
    ("given", "parameters"),
    [
        ((), {}),
        (("--passes", "3"), {"passes": 3}),
        (("--passes", "2", "--holdout", "0.2"), {"passes": 2, "holdout": 0.2}),
        (("--trees", "2"), {"trees": 2}),
        (("--algorithm", "oaa"), {"algorithm": "oaa"}),
        (("--paper",), {"paper": True}),
    ],
)
def test_features_named_as_in_vw_text_give_the_same_bytes(lomtree, tmp_path, given, parameters):
    dicts, labels, weights = some_dicts()
    lines = vw_lines(dicts, labels, weights)
    (tmp_path / "train.vw").write_text("\n".join(lines) + "\n")
    command = ("train", tmp_path / "train.vw", "-b", 18, "--quiet", "-f", tmp_path / "m.lom")
    assert lomtree(*command, *given).status == 0
    expected = (tmp_path / "m.lom").read_bytes()
    new = LomTreeClassifier(bits=18, shuffle=False, **parameters)
    assert saved(new.fit(dicts, labels, sample_weight=weights), tmp_path) == expected
    assert saved(new.fit(lines), tmp_path) == expected
    cuts = [slice(first, first + 30) for first in range(0, 200, 30)]
    batches = ((dicts[cut], labels[cut], weights[cut]) for cut in cuts)
    assert saved(new.fit_stream(batches), tmp_path) == expected
    if not given:
        another = LomTreeClassifier(bits=18)
        for cut in cuts:
            another.partial_fit(dicts[cut], labels[cut], sample_weight=weights[cut])
        assert saved(another, tmp_path) == expected


@pytest.mark.parametrize("passes", [1, 3])
def test_columns_are_the_indices_of_libsvm_text(lomtree, tmp_path, blobs, passes):
    X, y = blobs
    rows = (" ".join(f"{j}:{v!r}" for j, v in enumerate(row) if v != 0) for row in X.tolist())
    text = "".join(f"{label} {row}\n" for label, row in zip(y, rows, strict=True))
    (tmp_path / "train.svm").write_text(text)
    command = ("train", tmp_path / "train.svm", "-b", 18, "--quiet", "-f", tmp_path / "m.lom")
    assert lomtree(*command, "--passes", passes).status == 0
    expected = (tmp_path / "m.lom").read_bytes()
    words = y.astype(str)
    for form in (X, sparse.csr_array(X), sparse.coo_matrix(X), X.astype(np.float64).tolist()):
        new = LomTreeClassifier(bits=18, shuffle=False, passes=passes, n_jobs=2).fit(form, words)
        assert saved(new, tmp_path) == expected


def test_the_command_line_reads_models_with_labels_of_any_type(lomtree, tmp_path, classifier):
    labels = [1, "1", None, "New York", "", 2.5, True + 1, ("a", 1)]
    rows = [{f"x{number}": 1.0} for number in range(8)]
    classifier.fit(rows * 20, labels * 20).save(tmp_path / "m.lom")
    assert classifier.predict(rows).tolist() == labels
    assert [type(one) for one in lomtree_load(tmp_path / "m.lom").predict(rows)] == [
        int, str, type(None), str, str, float, int, tuple,
    ]  # fmt: skip
    text = "".join(f"| x{number}\n" for number in range(8)).encode()
    (tmp_path / "test.vw").write_bytes(text)
    done = lomtree("predict", "-i", tmp_path / "m.lom", tmp_path / "test.vw")
    assert done.out.decode().splitlines() == [
        "1", "1", "None", "New York", '""', "2.5", "2", r"('a',\x201)",
    ]  # fmt: skip
    best = lomtree("predict", "-i", tmp_path / "m.lom", tmp_path / "test.vw", "--probabilities")
    assert [line.split(":")[0] for line in best.out.decode().splitlines()] == (
        done.out.decode().splitlines()
    )


def lomtree_load(path) -> LomTreeClassifier:
    return lomtree.load(path)


def test_numbers_are_tested_against_the_labels_that_look_like_them(lomtree, tmp_path, classifier):
    rows = [{f"x{number}": 1.0} for number in range(3)]
    classifier.fit(rows * 30, [10, 20, 30] * 30).save(tmp_path / "m.lom")
    (tmp_path / "test.vw").write_text("10 | x0\n20 | x1\n99 | x2\n")
    done = lomtree("test", "-i", tmp_path / "m.lom", tmp_path / "test.vw", "--confusion")
    assert done.status == 0
    assert "errors               1\n" in done.out.decode()
    assert "labels that the model never saw, such as '99'" in done.err
    again = lomtree("train", tmp_path / "test.vw", "-i", tmp_path / "m.lom", "-f", tmp_path / "n")
    assert "labels of text are strings" in again.err


def test_a_loaded_estimator_learns_on_as_if_nothing_had_happened(tmp_path, blobs, classifier):
    X, y = blobs
    classifier.partial_fit(X[:150], y[:150]).save(tmp_path / "half.lom")
    loaded = lomtree.load(tmp_path / "half.lom")
    assert loaded.get_params()["bits"] == 18
    pickled = pickle.loads(pickle.dumps(classifier))
    for one in (classifier, loaded, pickled):
        one.partial_fit(X[150:], y[150:])
    assert saved(loaded, tmp_path) == saved(pickled, tmp_path) == saved(classifier, tmp_path)


def test_a_model_for_prediction_alone_predicts_alone(tmp_path, blobs, classifier):
    X, y = blobs
    classifier.fit(X, y).save(tmp_path / "small.lom", predict_only=True)
    small = lomtree.load(tmp_path / "small.lom")
    assert small.predict(X).tolist() == classifier.predict(X).tolist()
    again = pickle.loads(pickle.dumps(small))
    assert again.predict(X).tolist() == classifier.predict(X).tolist()
    with pytest.raises(ValueError, match="saved for prediction alone"):
        small.partial_fit(X, y)


def test_labels_that_no_file_keeps(tmp_path, blobs, classifier):
    X, y = blobs
    days = [datetime.date(2020, 1, 1 + label) for label in y.tolist()]
    classifier.fit(X, days)
    assert set(classifier.predict(X)) <= set(days)
    again = pickle.loads(pickle.dumps(classifier))
    assert again.predict(X).tolist() == classifier.predict(X).tolist()
    with pytest.raises(ValueError, match="is a date: a model file keeps"):
        classifier.save(tmp_path / "m.lom")
    assert not (tmp_path / "m.lom").exists()


def test_new_classes_may_come_at_any_time_and_may_be_told_before(blobs, classifier):
    X, y = blobs
    classifier.partial_fit(X[y < 3], y[y < 3])
    assert classifier.classes_.tolist() == [0, 1, 2]
    classifier.partial_fit(X, y, classes=np.arange(8))
    assert classifier.classes_.tolist() == list(range(8))
    probabilities = classifier.predict_proba(X)
    assert probabilities.shape == (300, 8)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert classifier.classes_[probabilities.argmax(axis=1)].tolist() == (
        classifier.predict(X).tolist()
    )


def test_the_best_labels_are_those_of_predict_proba(blobs, classifier):
    X, y = blobs
    classifier.fit(X, y)
    labels, probabilities = classifier.predict_top_k(X, 3)
    assert labels[:, 0].tolist() == classifier.predict(X).tolist()
    everything = classifier.predict_proba(X)
    assert np.allclose(np.take_along_axis(everything, labels, axis=1), probabilities)
    labels, probabilities = classifier.predict_top_k(X, 99)
    assert labels.shape == (300, 6)
    assert all(len(set(row)) == 6 for row in labels.tolist())
    assert np.allclose(probabilities.sum(axis=1), 1)


def test_many_classes_have_no_dense_probabilities(blobs, classifier, monkeypatch):
    X, y = blobs
    classifier.fit(X, y)
    monkeypatch.setattr("lomtree.estimator.probabilities.available", lambda: 1000)
    with pytest.raises(ValueError, match="predict_top_k\\(X, k\\) gives the k best"):
        classifier.predict_proba(X)


def test_a_walk_has_no_probabilities(blobs, classifier):
    X, y = blobs
    walker = classifier.set_params(walk=True).fit(X, y)
    assert walker.score(X, y) > 0.5
    assert not hasattr(walker, "predict_proba")
    assert not hasattr(walker, "predict_top_k")


def test_importing_lomtree_does_not_import_scikit_learn():
    script = "import lomtree, sys; lomtree.Options; print({'numpy', 'sklearn'} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_without_scikit_learn_there_is_a_sentence():
    script = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import lomtree\n"
        "try: lomtree.LomTreeClassifier\n"
        "except ImportError as error: print(error)\n"
        "print(lomtree.Model, lomtree.examples_of, lomtree.learn)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("LomTreeClassifier needs scikit-learn 1.6 or newer: pip install")
    assert "class 'lomtree.model.model.Model'" in ran.stdout


@pytest.mark.parametrize("classes", [3, 8, 20])
def test_of_few_classes_the_most_probable_one_is_predicted(classes):
    """However sure the lists are of another: of so few none is named without a look at all."""
    X, y = make_blobs(300, n_features=8, centers=classes, cluster_std=4, random_state=0)
    X = (X - X.mean(0)) / X.std(0)
    fitted = LomTreeClassifier(random_state=0).fit(X, y)
    assert (fitted.predict(X) == fitted.predict_proba(X).argmax(axis=1)).all()
    one_by_one = [fitted.predict(X[i : i + 1])[0] for i in range(len(X))]
    assert (fitted.predict(X) == one_by_one).all()
