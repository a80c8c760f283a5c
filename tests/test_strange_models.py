"""Nothing but a model passes for one, whatever its checksum says."""

import json
import os
from contextlib import suppress
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import CLASSES, OPTIONS, STREAM, file_bytes, read, trained
from strange_files import WRONG_NUMBERS, put_together, sealed, strange_model, take_apart
from streams import ask, teach

from lomtree.errors import ModelError
from lomtree.options import ALGORITHMS, LOMTREE_ONLY, Options


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    return file_bytes(trained(), tmp_path_factory.mktemp("model"))


@pytest.fixture(params=ALGORITHMS)
def options(request) -> Options:
    return replace(OPTIONS, algorithm=request.param)


def test_every_truncation_is_refused(options, tmp_path):
    whole = file_bytes(trained(options, STREAM[:40]), tmp_path, predict_only=True)
    for length in range(len(whole)):
        with pytest.raises(ModelError):
            read(whole[:length], tmp_path, learning=False)
    with pytest.raises(ModelError):
        read(whole + b"\0", tmp_path)


def test_every_flipped_byte_is_refused(options, tmp_path):
    whole = file_bytes(trained(options, STREAM[:40]), tmp_path, predict_only=True)
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        with pytest.raises(ModelError):
            read(bytes(damaged), tmp_path, learning=False)


def test_another_version_is_named(whole, tmp_path):
    with pytest.raises(ModelError, match="its format is version 7, this program reads 1"):
        read(whole[:8] + b"\7\0\0\0" + whole[12:], tmp_path)


def numbers_in(header: dict) -> list[tuple]:
    paths = [("position",), *((part, i) for part in ("slots", "rows") for i in range(3))]
    paths += [(part, name) for part in ("counts", "options") for name in header.get(part, ())]
    return [path for path in paths if path[0] in header and path != ("slots", 2)]


def check_works(data: bytes, folder) -> None:
    """ModelError, or a model that answers, learns, and is a model again afterwards."""
    ask(read(data, folder, learning=False).learner, STREAM[:5])
    model = read(data, folder)
    teach(model.learner, STREAM[:5])
    read(file_bytes(model, folder), folder)


def test_no_number_of_the_header_is_believed(options, tmp_path):
    """Each wrong number is refused, or is one that a model may have: then the model works."""
    whole, accepted = file_bytes(trained(options), tmp_path), set()
    for path in numbers_in(take_apart(whole)[0]):
        for wrong in (*WRONG_NUMBERS, 0.5, True, None, "1", [1], float("nan")):
            header, arrays = take_apart(whole)
            place = header
            for step in path[:-1]:
                place = place[step]
            if place[path[-1]] == wrong:
                continue
            place[path[-1]] = wrong
            try:
                check_works(put_together(header, arrays), tmp_path)
            except ModelError:
                continue
            accepted.add(path[-1])
    counters = {"position", "swaps", "examples", "depth"}
    assert accepted <= counters | set(LOMTREE_ONLY) | {
        "learning_rate", "power_t", "clip", "classes", "holdout", "seed",
    }  # fmt: skip


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**64))
def test_a_strange_file_is_refused_or_works(tmp_path_factory, algorithm, seed):
    folder = tmp_path_factory.mktemp("strange")
    whole = file_bytes(trained(replace(OPTIONS, algorithm=algorithm)), folder)
    with suppress(ModelError):
        check_works(strange_model(Random(seed), whole), folder)


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


def larger_table(header, arrays):
    """Of 2^20 slots, for hardly any weights."""
    header["options"]["bits"] = 20
    header["slots"][0] = 1 << 20


MALFORMED = {
    "another algorithm": in_options("algorithm", "forest"),
    "another model's algorithm": in_options("algorithm", "oaa"),
    "options are a list": in_header("options", []),
    "an option is missing": in_header("options", {"bits": 18}),
    "counts are missing": in_header("counts", {}),
    "slots are no power of two": in_header("slots", [3 << 17, 0]),
    "a table smaller than it begins": in_header("slots", [1 << 17, 0]),
    "another kind of rows": in_header("weights", "sparse"),
    "a table larger than it can be": larger_table,
    "more groups than regressors": in_counts("groups", 19),
    "an empty group": in_counts("groups", 3),
    "a place left free": set_form("nodes.place", lambda a: np.where(a == 1, 7, a)),
    "more internal nodes than there are": in_counts("t", 10),
    "fewer internal nodes than there are": in_counts("t", 0),
    "fewer labels than were seen": in_counts("labels", 0),
    "a node with more labels than came": set_item("nodes.labels", 0, CLASSES + 1),
    "saved for nobody knows what": in_header("predict_only", "no"),
    "tallies that add up to more than a number": set_item("tallies.l", slice(None), 1.7e308),
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
    "a place out of range": set_item("nodes.place", 0, 10**6),
    "a place below none": set_item("nodes.place", 0, -2),
    "two nodes at a place": set_form("nodes.place", np.zeros_like),
    "an inner node without a place": set_form("nodes.place", lambda a: np.full_like(a, -1)),
    "another parent": set_item("nodes.parent", 1, 2),
    "a negative counter": set_item("nodes.C", 0, -1),
    "a counter that is no number": set_item("nodes.m", 0, np.nan),
    "an infinite counter": set_item("nodes.n", 0, np.inf),
    "fewer labels than none": set_item("nodes.labels", 0, -1),
    "C is no minimum": set_item("nodes.C", 0, 1e9),
    "a column too short": set_form("nodes.left", lambda a: a[:-1]),
    "a column of another type": set_form("nodes.left", lambda a: a.astype(np.int64)),
    "a column in two dimensions": set_form("nodes.left", lambda a: a[:, None]),
    "a tally of no node": set_item("tallies.node", -1, 10**6),
    "a tally of a negative node": set_item("tallies.node", 0, -1),
    "a tally of no label": set_item("tallies.label", 0, CLASSES),
    "a tally of a negative label": set_item("tallies.label", 0, -1),
    "a tally twice": set_item("tallies.node", slice(None), 0),
    "a tally that is no number": set_item("tallies.m", 0, np.nan),
    "a negative tally": set_item("tallies.l", 0, -1),
    "tallies too short": set_form("tallies.n", lambda a: a[:-1]),
    "a weight that is no number": set_item("weights.w", 0, np.nan),
    "an infinite weight": set_item("weights.squares", 0, np.inf),
    "weights out of order": set_form("weights.where", lambda a: a[::-1].copy()),
    "weights of another type": set_form("weights.w", lambda a: a.astype(np.float64)),
    "a column of weights too short": set_form("weights.squares", lambda a: a[:-1]),
    "tags of another type": set_form("tags.tag", lambda a: a.astype(np.int32)),
    "fewer tags than the table is full": in_header("slots", [1 << 18, 1]),
    "a negative sum of squares": set_item("weights.squares", 0, -1),
    "a scale of more values than are counted": set_item("scales.count", 0, 3e38),
    "a negative scale": set_item("scales.root", 0, -1),
    "a norm that is no number": set_item("scales.norms", 0, np.nan),
    "norms too long": set_array("scales.norms", [1, 1, 1]),
    **{f"{name} is missing": without(name) for name in ("labels.text", "nodes.left")},
    **{
        f"{name} is missing": without(name)
        for name in ("nodes.C", "tallies.node", "weights.squares")
    },
}


def assert_refused(whole, change, folder):
    """A file with this change and a correct checksum is no model."""
    header, arrays = take_apart(whole)
    change(header, arrays)
    with pytest.raises(ModelError, match=r"read.lom: not a usable model: "):
        read(put_together(header, arrays), folder)


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_correct_checksum_does_not_make_a_model(whole, tmp_path, change):
    assert_refused(whole, change, tmp_path)


OF_LABEL_TREES = {
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
    "a place left free": set_form("nodes.place", lambda a: np.where(a == 1, 7, a)),
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


@pytest.mark.parametrize(
    "header",
    [b"{", b"[]", b"7", b'"x"', b"\xff", b"[" * 10**5, b'{"arrays":1}', b'{"arrays":[[]]}'],
    ids=lambda header: repr(header[:20]),
)
def test_headers_that_are_no_headers(tmp_path, header):
    with pytest.raises(ModelError, match="not a usable model"):
        read(sealed(header), tmp_path)


@pytest.mark.parametrize(
    "entry",
    [
        ["labels.text", "<f4", [2**62]],
        ["labels.text", "<f4", [2**39]],
        ["labels.text", "<f4", [10**30]],
        ["labels.text", "<f4", [-1]],
        ["labels.text", "<f4", [1, 1]],
        ["labels.text", "<f4", []],
        ["labels.text", "<f4", [1.0]],
        ["labels.text", "<f4", [True]],
        ["labels.text", "<f4", "1"],
        ["labels.text", "<f4", None],
        ["labels.text", "<f4"],
        ["labels.text", "|O", [1]],
        ["labels.text", ["<f4"], [1]],
        [["labels.text"], "<f4", [1]],
    ],
    ids=repr,
)
def test_arrays_that_no_file_holds(tmp_path, entry):
    with pytest.raises(ModelError, match="not a usable model"):
        read(sealed(json.dumps({"arrays": [entry]}).encode(), bytes(200)), tmp_path)


def test_a_tree_deeper_than_its_header_says_is_refused(whole, tmp_path):
    """The depth decides how much room an example gets before compiled code runs."""
    header, arrays = take_apart(whole)
    assert header["counts"]["depth"] > 1
    header["counts"]["depth"] = 0
    with pytest.raises(ModelError, match="not a usable model"):
        read(put_together(header, arrays), tmp_path)


def resident() -> int:
    """Bytes of memory that are really there."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def as_large_as_possible(header, arrays) -> None:
    """Tables of 2^31 weights, of which hardly any is there."""
    header["options"] |= {"bits": 31, "classes": 2**30 - 1}
    for part in ("weights", "squares", "tags"):
        if part in header:
            header[part] = "list"
            for name in [name for name in arrays if name.startswith(f"{part}.")]:
                arrays[name] = np.ones(1, arrays[name].dtype)
            arrays[f"{part}.where"] = np.zeros(1, np.uint32)
    if "slots" in header:
        header["slots"] = [1 << 24, 1]
    else:
        arrays["rows.features"] = arrays["rows.features"][:1]
        header["rows"] = [1, 2**30, header["rows"][2]]


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is measured in /proc")
def test_a_small_file_takes_little_memory(options, tmp_path):
    header, arrays = take_apart(file_bytes(trained(options), tmp_path))
    as_large_as_possible(header, arrays)
    data = put_together(header, arrays)
    before = resident()
    try:
        models = [read(data, tmp_path, learning) for learning in (False, True)]
    except MemoryError:  # the system does not even lend it
        pytest.skip("no system for tables as large as possible")
    for model in models:
        assert len(ask(model.learner, STREAM)) == len(STREAM)
    teach(models[1].learner, STREAM)
    assert resident() - before < 100 << 20
