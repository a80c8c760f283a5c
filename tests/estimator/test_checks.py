"""What users give is checked in the words of scikit-learn, and before anything is learned."""

import numpy as np
import pytest
from scipy import sparse

GOOD = np.eye(4)
LABELS = ["a", "b", "a", "b"]


def with_value(value: float) -> np.ndarray:
    X = GOOD.copy()
    X[2, 1] = value
    return X


WRONG = {
    "NaN": ({"X": with_value(np.nan)}, "Input X contains NaN"),
    "infinity": ({"X": with_value(np.inf)}, "Input X contains infinity"),
    "too large": ({"X": with_value(1e39)}, "too large for dtype"),
    "NaN in CSR": ({"X": sparse.csr_array(with_value(np.nan))}, "Input X contains NaN"),
    "width": ({"X": np.eye(5)[:4]}, "X has 5 features, but LomTreeClassifier is expecting 4"),
    "no samples": ({"X": np.empty((0, 4)), "y": []}, "Found array with 0 sample"),
    "one dimension": ({"X": np.ones(4)}, "Expected 2D array, got 1D array"),
    "too few labels": ({"y": ["a"]}, "inconsistent numbers of samples: \\[4, 1\\]"),
    "no labels": ({"y": None}, "requires y to be passed"),
    "NaN label": ({"y": ["a", "b", np.nan, None]}, "Input y contains NaN"),
    "regression": ({"y": [0.5, 1.5, 2.5, 1.2]}, "Unknown label type"),
    "list as label": ({"y": ["a", {}, "b", 1]}, "y has a dict in it"),
    "negative weight": ({"sample_weight": [1, 1, -1, 1]}, "negative values"),
    "NaN weight": ({"sample_weight": [1, 1, np.nan, 1]}, "sample_weight contains NaN"),
    "too few weights": ({"sample_weight": [1, 1]}, "sample_weight.shape == \\(2,\\), expected"),
    "weights of zero": ({"sample_weight": np.zeros(4)}, "all zero"),
    "too many labels": ({"y": ["a", "b", "c", "d"]}, "more labels than the 3 that max_labels"),
}


@pytest.mark.parametrize(("wrong", "sentence"), WRONG.values(), ids=WRONG)
def test_a_partial_fit_that_fails_leaves_the_model_as_it_was(classifier, tmp_path, wrong, sentence):
    classifier.set_params(max_labels=3).partial_fit(GOOD, LABELS)
    classifier.save(tmp_path / "before.lom")
    known = dict(vars(classifier))
    with pytest.raises(ValueError, match=sentence):
        classifier.partial_fit(**({"X": GOOD, "y": LABELS} | wrong))
    classifier.save(tmp_path / "after.lom")
    assert (tmp_path / "after.lom").read_bytes() == (tmp_path / "before.lom").read_bytes()
    assert vars(classifier) == known


@pytest.mark.parametrize("fit", ["fit", "fit_stream"])
def test_a_fit_that_fails_leaves_the_model_as_it_was(classifier, fit):
    frame = pytest.importorskip("pandas").DataFrame(GOOD, columns=list("abcd"))
    wrong = np.full((4, 7), np.nan)
    with pytest.raises(ValueError, match="NaN"):
        classifier.fit(wrong, LABELS)
    assert not hasattr(classifier, "n_features_in_")
    expected = classifier.fit(frame, LABELS).predict(frame).tolist()
    with pytest.raises(ValueError, match="NaN"):
        getattr(classifier, fit)(*([[(wrong, LABELS)]] if fit == "fit_stream" else [wrong, LABELS]))
    assert (classifier.n_features_in_, *classifier.feature_names_in_) == (4, *"abcd")
    assert classifier.predict(frame).tolist() == expected


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"bits": 3}, "^bits must be from 10 to 31, not 3"),
        ({"algorithm": "oaa", "trees": 3}, "^trees must be 1"),
        ({"algorithm": "oaa", "swap_resistance": 2.0}, "swap_resistance has no meaning"),
        ({"max_nodes": 5, "nodes_per_class": 2.0}, "max_nodes and nodes_per_class exclude"),
        ({"passes": 0}, "passes must be"),
        ({"passes": 1.5}, "passes must be"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"bits": "many"}, "wrong type: bits='many'$"),
        ({"quadratic": 5}, "quadratic must be a string or a list of strings, not 5"),
    ],
)
def test_parameters_that_make_no_sense(classifier, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        classifier.set_params(**parameters).fit(GOOD, LABELS)


def test_what_a_model_was_begun_with_cannot_change(classifier):
    classifier.partial_fit(GOOD, LABELS).set_params(trees=3)
    with pytest.raises(ValueError, match="trees is 1 in this model and cannot change"):
        classifier.partial_fit(GOOD, LABELS)


def test_columns_of_frames_are_those_of_the_fit(classifier):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    frame = pandas.DataFrame(GOOD, columns=["p", "q", "r", "s"])
    classifier.fit(frame, LABELS)
    assert classifier.feature_names_in_.tolist() == ["p", "q", "r", "s"]
    assert classifier.n_features_in_ == 4
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- t"):
        classifier.predict(frame.rename(columns={"s": "t"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        by_place = classifier.predict(GOOD)
    assert by_place.tolist() == classifier.predict(frame).tolist()
