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
    "no time": ({"y": np.array(["2020", "NaT"] * 2, "M8[D]")}, "Input y contains NaN"),
    "no dicts": ({"X": [], "y": []}, "Found array with 0 sample"),
    "empty generator": ({"X": iter(()), "y": []}, "Found array with 0 sample"),
    "complex weight": ({"sample_weight": [1j] * 4}, "sample_weight has no numbers"),
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
        ({"bits": "many"}, "bits must be a whole number, not .many."),
        ({"bits": 18.5}, "bits must be a whole number, not 18.5"),
        ({"shards": 2}, "shards must be 1 here"),
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


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([(1, 2), (3, 4)] * 2, [(1, 2), (3, 4)]),
        (["a\0", "a"] * 2, ["a", "a\0"]),
        (np.array([1, 2**64 - 1] * 2, np.uint64), [1, 2**64 - 1]),
        ([2**70, 1] * 2, [1, 2**70]),
        ([None, "a"] * 2, [None, "a"]),
        (np.array(["\u0142", "l"] * 2), ["l", "\u0142"]),
    ],
)
def test_labels_are_what_was_given(classifier, y, classes):
    assert classifier.fit(GOOD, y).classes_.tolist() == classes


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_label_that_a_column_lacks_is_no_label(classifier, library):
    module = pytest.importorskip(library)
    words = ["a", None, "b", "a"]
    series = {
        "pandas": lambda: module.Series(words, dtype="string"),
        "polars": lambda: module.Series(words),
        "pyarrow": lambda: module.array(words),
    }[library]()
    with pytest.raises(ValueError, match=r"Input y contains NaN\.$"):
        classifier.fit(GOOD, series)
    cells = {"x": [1.0, 2.0, 3.0, 4.0], "kind": series}
    frame = module.table(cells) if library == "pyarrow" else module.DataFrame(cells)
    with pytest.raises(ValueError, match="Input y contains NaN: the column 'kind' does"):
        classifier.fit(frame, "kind")


def test_a_frame_without_columns_is_told(classifier):
    frame = pytest.importorskip("pandas").DataFrame(index=range(4))
    with pytest.raises(ValueError, match=r"Found array with 0 feature\(s\) \(shape=\(4, 0\)\)"):
        classifier.fit(frame, LABELS)


def test_a_stream_may_have_empty_batches(classifier, tmp_path):
    frame = pytest.importorskip("pandas").DataFrame(GOOD, columns=list("wxyz")).assign(k=LABELS)
    for empty, batches, y in (
        ((GOOD[:0], []), [(GOOD[:2], LABELS[:2]), (GOOD[2:], LABELS[2:])], None),
        ((sparse.csr_array((0, 4)), []), [(sparse.csr_array(GOOD), LABELS)], None),
        (([], []), [([{"x": 1.0}, {"z": 1.0}], ["a", "b"])], None),
        (frame[:0], [frame[:3], frame[3:]], "k"),
    ):
        classifier.fit_stream(batches, y=y).save(tmp_path / "without.lom")
        between = [one for batch in batches for one in (empty, batch, empty)]
        classifier.fit_stream(iter(between), y=y).save(tmp_path / "with.lom")
        assert (tmp_path / "with.lom").read_bytes() == (tmp_path / "without.lom").read_bytes()
        with pytest.raises(ValueError, match="the stream had no samples"):
            classifier.fit_stream([empty], y=y)
