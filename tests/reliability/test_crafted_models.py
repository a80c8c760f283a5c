"""A correct checksum does not make a model: each part must be one that training could have made."""

from dataclasses import replace

import numpy as np
import pytest

from lomtree.core.errors import ModelError
from lomtree.model.model_file import MALFORMED_HEADER, check_written
from lomtree.storage.container import Coming, write_arrays
from tests.generators.models import CLASSES, OPTIONS, file_bytes, read, trained
from tests.generators.strange_files import put_together, take_apart
from tests.generators.streams import random_stream


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    return file_bytes(trained(), tmp_path_factory.mktemp("model"))


def set_array(name, values):
    def change(header, arrays):
        arrays[name] = np.asarray(values, arrays[name].dtype)

    return change


def set_item(name, index, value):
    def change(header, arrays):
        arrays[name][index] = value

    return change


def set_form(name, form):
    def change(header, arrays):
        arrays[name] = form(arrays[name])

    return change


def without(name):
    def change(header, arrays):
        del arrays[name]

    return change


def in_header(name, value):
    def change(header, arrays):
        header[name] = value

    return change


def in_options(name, value):
    def change(header, arrays):
        header["options"][name] = value

    return change


def in_counts(name, value):
    def change(header, arrays):
        header["counts"][name] = value

    return change


def one_more(name):
    def change(header, arrays):
        header["counts"][name] += 1

    return change


def larger_table(header, arrays):
    """Of 2^20 cells, for hardly any weights."""
    header["options"]["bits"] = 20
    header["cells"][0] = 1 << 20


MALFORMED = {
    "another algorithm": in_options("algorithm", "forest"),
    "another model's algorithm": in_options("algorithm", "oaa"),
    "options are a list": in_header("options", []),
    "an option is missing": in_header("options", {"bits": 18}),
    "an interaction of one namespace": in_options("quadratic", ["a"]),
    "an interaction that is no text": in_options("quadratic", [["a", "b"]]),
    "interactions that are no list": in_options("cubic", "abc"),
    "n-grams of no words": in_options("ngram", ["0"]),
    "a mark that is none": in_options("char_marks", "^"),
    "counts are missing": in_header("counts", {}),
    "cells are no power of two": in_header("cells", [3 << 17, 0]),
    "a table smaller than it begins": in_header("cells", [1 << 17, 0]),
    "another kind of rows": in_header("weights", "sparse"),
    "a table larger than it can be": larger_table,
    "more blocks than regressors": in_counts("blocks", 19),
    "an empty block": one_more("blocks"),
    "a place left free": set_form("nodes.slot", lambda a: a + (a == a.max())),
    "more internal nodes than there are": in_counts("t", 10),
    "fewer internal nodes than there are": in_counts("t", 0),
    "fewer labels than were seen": in_counts("labels", 0),
    "a node with more labels than came": set_item("nodes.labels", 0, CLASSES + 1),
    "saved for nobody knows what": in_header("predict_only", "no"),
    "statistics that add up to more than a number": set_form(
        "statistics.l", lambda a: np.full(len(a), 1.7e308)
    ),
    "counters that add up to more than a number": set_item("nodes.n", slice(None), 1.7e308),
    "no labels": set_array("labels.ends", [0]),
    "labels overlap": set_item("labels.ends", 2, 0),
    "labels begin late": set_item("labels.ends", 0, 1),
    "labels end beyond the text": set_item("labels.ends", -1, 2**40),
    "labels are negative": set_item("labels.ends", 1, -5),
    "two labels are the same": set_item("labels.text", 14, ord("0")),
    "a label with a line end": set_item("labels.text", 3, 10),
    "labels of floats": set_form("labels.ends", lambda a: a.astype(np.float64)),
    "labels in two dimensions": set_form("labels.text", lambda a: a[None]),
    "a child out of range": set_item("nodes.left", 0, 10**6),
    "a child below none": set_item("nodes.left", 0, -2),
    "a label out of range": set_item("nodes.label", 0, CLASSES),
    "a label below none": set_item("nodes.label", 0, -2),
    "a node that saw labels but has none": set_item("nodes.label", slice(None), -1),
    "a place out of range": set_item("nodes.slot", 0, 10**6),
    "a place below none": set_item("nodes.slot", 0, -2),
    "two nodes at a place": set_form("nodes.slot", np.zeros_like),
    "an inner node without a place": set_form("nodes.slot", lambda a: np.full_like(a, -1)),
    "another parent": set_item("nodes.parent", 1, 2),
    "a negative counter": set_item("nodes.C", 0, -1),
    "a counter that is no number": set_item("nodes.m", 0, np.nan),
    "an infinite counter": set_item("nodes.n", 0, np.inf),
    "fewer labels than none": set_item("nodes.labels", 0, -1),
    "more labels than statistics": set_item("nodes.labels", 0, 99),
    "a checkpoint before its run": in_header("unfinished", [10**6, 1, 1, "", ""]),
    "a checkpoint of no run": in_header("unfinished", [1, 1, 1, None, ""]),
    "a checkpoint of a run without passes": in_header("unfinished", [1, 1, 0, "", ""]),
    "a checkpoint of no form": in_header("unfinished", [1]),
    "C is no minimum": set_item("nodes.C", 0, 1e9),
    "a column too short": set_form("nodes.left", lambda a: a[:-1]),
    "a column of another type": set_form("nodes.left", lambda a: a.astype(np.int64)),
    "a column in two dimensions": set_form("nodes.left", lambda a: a[:, None]),
    "a entry of no label": set_item("statistics.label", 0, CLASSES),
    "a entry of a negative label": set_item("statistics.label", 0, -1),
    "a entry twice": set_item("statistics.label", slice(None), 0),
    "a entry that is no number": set_item("statistics.m", 0, np.nan),
    "a negative entry": set_form("statistics.l", lambda a: -a.astype(np.int32)),
    "counts of another type": set_form("statistics.n", lambda a: a.astype(np.float32)),
    "statistics too short": set_form("statistics.n", lambda a: a[:-1]),
    "a weight that is no number": set_item("weights.w", 0, np.nan),
    "an infinite weight": set_item("weights.squares", 0, np.inf),
    "weights out of order": set_form("weights.where", lambda a: a[::-1].copy()),
    "weights of another type": set_form("weights.w", lambda a: a.astype(np.float64)),
    "a column of weights too short": set_form("weights.squares", lambda a: a[:-1]),
    "tags of another type": set_form("tags.tag", lambda a: a.astype(np.int32)),
    "fewer tags than the table is full": in_header("cells", [1 << 18, 1]),
    "a negative sum of squares": set_item("weights.squares", 0, -1),
    "a scale of more values than are counted": set_item("scales.count", 0, 3e38),
    "a negative scale": set_item("scales.size", 0, -1),
    "a negative sum of a feature's squares": set_item("scales.squares", 0, -1),
    "a sum over all values that is no number": set_item("scales.common", 1, np.nan),
    "a negative sum over all values": set_item("scales.common", 0, -1),
    "a norm that is no number": set_item("scales.norms", 0, np.nan),
    "norms too long": set_array("scales.norms", [1, 1, 1]),
    **{f"{name} is missing": without(name) for name in ("labels.text", "nodes.left")},
    **{
        f"{name} is missing": without(name)
        for name in ("nodes.C", "statistics.label", "weights.squares")
    },
}


def assert_refused(whole, change, folder):
    """A file with this change and a correct checksum is no model, and is not written as one."""
    header, arrays = take_apart(whole)
    change(header, arrays)
    with pytest.raises(ModelError, match=r"read.lom: not a usable model: "):
        read(put_together(header, arrays), folder)
    written = folder / "written.lom"
    with pytest.raises((ModelError, *MALFORMED_HEADER)):
        write_arrays(str(written), header, arrays, check_written)
    assert not written.exists()


def test_what_is_a_model_is_written(whole, tmp_path):
    write_arrays(str(tmp_path / "written.lom"), *take_apart(whole), check_written)
    assert (tmp_path / "written.lom").read_bytes() == whole


def test_an_array_that_comes_with_more_or_less_than_it_says_is_not_written(whole, tmp_path):
    header, arrays = take_apart(whole)
    weights = arrays["weights.w"]
    for length in (len(weights) - 1, len(weights) + 1):
        arrays["weights.w"] = Coming(np.float32, length, lambda: [weights])
        with pytest.raises(ModelError, match="not as long as it says"):
            write_arrays(str(tmp_path / "written.lom"), header, arrays)


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_correct_checksum_does_not_make_a_model(whole, tmp_path, change):
    assert_refused(whole, change, tmp_path)


def in_coded(name, place, value):
    def change(header, arrays):
        header["coded"][name][place] = value

    return change


def infinite_weights(header, arrays):
    """The base of each block is the code of infinity."""
    blocks = -(-header["coded"]["weights.w"][1] // 128)
    data = arrays["weights.w"]
    data[-5 * blocks : -blocks] = np.full(blocks, 0x7F80 << 1, "<u4").view(np.uint8)


IN_FEW_BITS = {
    "no array of this type": in_coded("leaf_labels.count", 0, "<f8"),
    "a type that is none": in_coded("leaf_labels.count", 0, ["<i4"]),
    "more numbers than bits": in_coded("leaf_labels.count", 1, 10**6),
    "fewer than none": in_coded("leaf_labels.count", 1, -1),
    "a number of numbers that is none": in_coded("leaf_labels.count", 1, "7"),
    "more than memory": in_coded("leaf_labels.count", 1, 2**39),
    "more holes than bits": in_coded("leaf_labels.count", slice(1, 3), [2**39, "holes plain"]),
    "a kind that is none": in_coded("leaf_labels.count", 2, "zip"),
    "whole numbers that are rounded": in_coded("leaf_labels.count", 2, "rounded"),
    "weights that are whole numbers": in_coded("weights.w", 2, "plain"),
    "weights of another type": in_coded("weights.w", 0, "<i4"),
    "an entry of one number": in_header("coded", {"weights.w": 3}),
    "no entries": in_header("coded", 3),
    "bits that are no bytes": set_form("weights.w", lambda a: a.astype(np.int32)),
    "a width beyond a word": set_item("weights.w", -1, 33),
    "a width that leads beyond the bits": set_item("weights.w", -1, 31),
    "too few bytes": set_form("weights.w", lambda a: a[:-1]),
    "no bytes": set_form("weights.w", lambda a: a[:0]),
    "weights that are no numbers": infinite_weights,
}


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> bytes:
    """A model that only predicts, with arrays in few bits."""
    stream = random_stream(np.random.default_rng(2), 400, CLASSES)
    model = trained(replace(OPTIONS, max_nodes=200), stream)
    return file_bytes(model, tmp_path_factory.mktemp("small"), predict_only=True)


@pytest.mark.parametrize("change", IN_FEW_BITS.values(), ids=IN_FEW_BITS.keys())
def test_numbers_in_few_bits_are_believed_in_nothing(small, tmp_path, change):
    header, arrays = take_apart(small)
    assert {"weights.w", "leaf_labels.count"} <= set(header["coded"])
    change(header, arrays)
    with pytest.raises(ModelError, match=r"read.lom: not a usable model: "):
        read(put_together(header, arrays), tmp_path, learning=False)


OF_LEAVES = {
    "more labels than a leaf keeps": set_form("leaf_labels.count", lambda a: a * 0 + 5),
    "an inner node that keeps labels": set_form("leaf_labels.count", lambda a: a[::-1].copy()),
    "labels of fewer nodes": set_form("leaf_labels.count", lambda a: a[:-1]),
    "counts of another type": set_form("leaf_labels.count", lambda a: a.astype(np.int64)),
    "a label out of range": set_item("leaf_labels.label", 0, CLASSES),
    "a label below none": set_item("leaf_labels.label", 0, -2),
    "a label that is none": set_item("leaf_labels.label", 0, -1),
    "labels too few": set_form("leaf_labels.label", lambda a: a[:-1]),
    "a weight that is no number": set_item("leaf_labels.weight", 0, np.nan),
    "an infinite weight": set_item("leaf_labels.weight", 0, np.inf),
    "a negative weight": set_item("leaf_labels.weight", 0, -1),
    "weights too many": set_form("leaf_labels.weight", lambda a: np.append(a, a[:1])),
    **{f"no {name}s": without(f"leaf_labels.{name}") for name in ("count", "label", "weight")},
}


@pytest.mark.parametrize("change", OF_LEAVES.values(), ids=OF_LEAVES.keys())
def test_leaves_offer_labels_that_there_are(whole, tmp_path, change):
    assert_refused(whole, change, tmp_path)


OF_LABEL_TREES = {
    "the seed of another tree": in_options("seed", 7),
    "a leaf that is none": set_item("leaves", 0, 0),
    "a leaf out of range": set_item("leaves", 0, 10**6),
    "a negative leaf": set_item("leaves", 0, -1),
    "a leaf of two labels": set_form("leaves", lambda a: a[[1, 1, *range(2, len(a))]]),
    "leaves of each other": set_form("leaves", lambda a: a[::-1].copy()),
    "leaves missing": without("leaves"),
    "leaves too few": set_form("leaves", lambda a: a[:-1]),
    "a path that is no tree": set_item("nodes.right", 0, 0),
    "more internal nodes than there are": in_counts("t", 7),
    "another depth": in_counts("depth", 4),
    "another root": in_counts("root", 1),
    "fewer labels than were seen": in_counts("labels", 0),
    "a label out of range": set_item("nodes.label", 0, CLASSES),
    "a place left free": set_form("nodes.slot", lambda a: np.where(a == 1, 7, a)),
    "another parent": set_item("nodes.parent", 1, 2),
    "a counter that is no number": set_item("nodes.n", 0, np.nan),
}


@pytest.mark.parametrize("algorithm", ["rtree", "filter"])
@pytest.mark.parametrize("change", OF_LABEL_TREES.values(), ids=OF_LABEL_TREES.keys())
def test_a_tree_over_labels_has_a_leaf_for_each(algorithm, tmp_path, change):
    whole = file_bytes(trained(replace(OPTIONS, algorithm=algorithm)), tmp_path)
    assert_refused(whole, change, tmp_path)


def in_rows(place, value):
    def change(header, arrays):
        header["rows"][place] = value

    return change


OF_OAA = {
    "more rows than weights": in_rows(0, 100),
    "no rows": in_rows(0, 0),
    "rows of another length": in_rows(1, 32),
    "rows of an impossible length": in_rows(1, 17),
    "more labels than there are": in_rows(2, CLASSES + 1),
    "fewer labels than were seen": in_rows(2, 1),
    "a feature twice": set_form("rows.features", lambda a: a[[1, *range(1, len(a))]]),
    "features too few": set_form("rows.features", lambda a: a[:-1]),
    "features of another type": set_form("rows.features", lambda a: a.astype(np.int64)),
    "features missing": without("rows.features"),
    "a weight that is no number": set_item("weights.w", 0, np.nan),
    "an infinite sum of squares": set_item("squares.squares", 0, np.inf),
    "a negative sum of squares": set_item("squares.squares", 0, -1),
    "squares missing": without("squares.squares"),
    "weights too few": set_form("weights.w", lambda a: a[:-1]),
    "no one knows who was seen": without("rows.seen"),
    "totals that are no numbers": set_array("totals", [np.nan, 1]),
    "a negative total": set_array("totals", [1, -1]),
    "totals missing": without("totals"),
}


@pytest.mark.parametrize("change", OF_OAA.values(), ids=OF_OAA.keys())
def test_one_against_all_has_a_row_for_each_feature(tmp_path, change):
    whole = file_bytes(trained(replace(OPTIONS, algorithm="oaa")), tmp_path)
    assert_refused(whole, change, tmp_path)


def test_a_tree_deeper_than_its_header_says_is_refused(whole, tmp_path):
    """The depth decides how much room an example gets before compiled code runs."""
    header, arrays = take_apart(whole)
    assert header["counts"]["depth"] > 1
    header["counts"]["depth"] = 0
    with pytest.raises(ModelError, match="not a usable model"):
        read(put_together(header, arrays), tmp_path)
