"""Interactions and n-grams of Python's data are those of the command line."""

import numpy as np
import pytest
from scipy import sparse

from lomtree.estimator.classifier import LomTreeClassifier
from tests.estimator.test_classifier import saved, some_dicts, vw_lines


@pytest.fixture
def trained(lomtree, tmp_path):
    """The bytes of the model that the command line makes of a text."""

    def train(text: str, *given: object) -> bytes:
        (tmp_path / "train.txt").write_text(text)
        model = tmp_path / "m.lom"
        command = ("train", tmp_path / "train.txt", "-b", 18, "--quiet", "-f", model, *given)
        assert lomtree(*command).status == 0
        return model.read_bytes()

    return train


@pytest.mark.parametrize("passes", [1, 3])
def test_pairs_of_columns_are_those_of_libsvm_text(trained, tmp_path, blobs, passes):
    X, y = blobs
    rows = (" ".join(f"{j}:{v!r}" for j, v in enumerate(row) if v != 0) for row in X.tolist())
    text = "".join(f"{label} {row}\n" for label, row in zip(y, rows, strict=True))
    expected = trained(text, "-q", "::", "--passes", passes)
    for form in (X, sparse.csr_array(X)):
        new = LomTreeClassifier(bits=18, shuffle=False, passes=passes, quadratic="::")
        assert saved(new.fit(form, y.astype(str)), tmp_path) == expected


def test_n_grams_of_dicts_and_lines_are_those_of_vw_text(trained, tmp_path):
    dicts, labels, weights = some_dicts()
    lines = vw_lines(dicts, labels, weights)
    expected = trained("\n".join(lines) + "\n", "--ngram", 2, "--skips", 1)
    new = LomTreeClassifier(bits=18, shuffle=False, ngram=["2"], skips=["1"])
    assert saved(new.fit(dicts, labels, sample_weight=weights), tmp_path) == expected
    assert saved(new.fit(lines), tmp_path) == expected


def test_lines_have_namespaces_and_characters(trained, tmp_path):
    lines = [f"{number % 4} |a w{number % 5} x |b cat{number % 4}" for number in range(60)]
    text = "\n".join(lines) + "\n"
    given = {"quadratic": ["ab"], "char_ngrams": ["2-3b"], "ignore": ["c"]}
    expected = trained(text, "-q", "ab", "--char-ngrams", "2-3b", "--ignore", "c")
    new = LomTreeClassifier(bits=18, shuffle=False, **given).fit(lines)
    assert saved(new, tmp_path) == expected
    assert new.predict(lines).tolist() == [line[0] for line in lines]


def test_one_row_at_a_time_has_them_too(blobs):
    X, y = blobs
    new = LomTreeClassifier(bits=18, quadratic="::", passes=3).fit(X, y)
    assert [new.predict(X[i : i + 1])[0] for i in range(40)] == new.predict(X[:40]).tolist()


def test_what_is_explained_has_names(classifier):
    classifier.set_params(quadratic="::")
    classifier.fit([{"a": 1, "b": 2}, {"a": 1, "c": 2}] * 10, ["x", "y"] * 10)
    told = classifier.explain({"a": 1, "b": 2})
    names = {row["feature"] for step in told["paths"][0]["steps"] for row in step["features"]}
    assert {"a", "b", "a*b"} <= {name.replace("^", "") for name in names}


def test_what_cannot_be_derived_is_told_before_anything_is_learned(classifier, blobs, tmp_path):
    X, y = blobs
    with pytest.raises(ValueError, match="--char-ngrams needs words"):
        LomTreeClassifier(char_ngrams="3-5").fit(X, y)
    classifier.set_params(quadratic="::").partial_fit(X, y)
    before = saved(classifier, tmp_path)
    X = X.copy()
    X[70, :2] = 3e38
    with pytest.raises(ValueError, match=r"X\[70\]: the product of features"):
        classifier.partial_fit(X, y)
    assert saved(classifier, tmp_path) == before
    assert np.isfinite(classifier.predict_proba(X[:5])).all()
