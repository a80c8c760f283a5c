"""A model file holds all of a model, always in the same bytes, and nothing else passes for one."""

import json
import struct
import zlib
from dataclasses import replace

import numpy as np
import pytest
from streams import ask, random_options, random_stream, teach

from lomtree.array_file import MAGIC, VERSION
from lomtree.errors import ModelError
from lomtree.model import Model
from lomtree.model_file import read_model, write_model
from lomtree.options import ALGORITHMS, Options

CLASSES = 6
STREAM = random_stream(np.random.default_rng(1), 120, CLASSES, weighted=True)
OPTIONS = Options(bits=18, max_nodes=9, swap_resistance=1)


def trained(options: Options = OPTIONS, stream=STREAM) -> Model:
    model = Model.new(options)
    for number in range(CLASSES):
        model.labels.add(b"label-%d\xff" % number)
    teach(model.learner, stream)
    model.position = len(stream)
    return model


def file_bytes(model: Model, folder, predict_only: bool = False) -> bytes:
    write_model(model, str(folder / "model.lom"), predict_only)
    return (folder / "model.lom").read_bytes()


def read(data: bytes, folder, learning: bool = True) -> Model:
    (folder / "read.lom").write_bytes(data)
    return read_model(str(folder / "read.lom"), learning)


def take_apart(data: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """The header and the arrays, as the format is described."""
    position = 16 + struct.unpack("<I", data[12:16])[0]
    header = json.loads(data[16:position])
    arrays = {}
    for name, dtype, [length] in header.pop("arrays"):
        position += -position % 64
        end = position + length * np.dtype(dtype).itemsize
        arrays[name] = np.frombuffer(data[position:end], dtype).copy()
        position = end
    assert position == len(data) - 4
    return header, arrays


def sealed(header: bytes, body: bytes = b"") -> bytes:
    """A file with a correct checksum."""
    data = MAGIC + struct.pack("<II", VERSION, len(header)) + header + body
    return data + struct.pack("<I", zlib.crc32(data))


def put_together(header: dict, arrays: dict[str, np.ndarray]) -> bytes:
    """The inverse of take_apart."""
    table = [
        [name, array.dtype.str.replace("|", "<"), list(array.shape)]
        for name, array in arrays.items()
    ]
    text = json.dumps({**header, "arrays": table}, sort_keys=True, separators=(",", ":")).encode()
    body = b""
    for array in arrays.values():
        body += bytes(-(16 + len(text) + len(body)) % 64) + array.tobytes()
    return sealed(text, body)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    return file_bytes(trained(), tmp_path_factory.mktemp("model"))


@pytest.fixture(params=ALGORITHMS)
def options(request) -> Options:
    return replace(OPTIONS, algorithm=request.param)


def test_a_model_is_the_same_after_writing_and_reading(options, tmp_path):
    model = trained(options)
    whole = file_bytes(model, tmp_path)
    again = read(whole, tmp_path)
    assert (again.options, again.position) == (model.options, model.position)
    assert list(again.labels) == list(model.labels)
    assert ask(again.learner, STREAM) == ask(model.learner, STREAM)
    assert file_bytes(again, tmp_path) == whole


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_going_on_after_reading_is_as_if_nothing_had_happened(algorithm, seed, tmp_path):
    rng = np.random.default_rng(seed)
    classes = int(rng.choice([0, 3, 50]))
    options = random_options(rng, algorithm=algorithm, seed=seed, classes=classes)
    stream = random_stream(rng, 400, CLASSES, weighted=True)
    half = read(file_bytes(trained(options, stream[:200]), tmp_path), tmp_path)
    teach(half.learner, stream[200:])
    half.position = len(stream)
    assert file_bytes(half, tmp_path) == file_bytes(trained(options, stream), tmp_path)


def test_the_same_model_gives_the_same_bytes_however_it_was_cut(options, tmp_path):
    whole, model = file_bytes(trained(options), tmp_path), Model.new(options)
    for number in range(CLASSES):
        model.labels.add(b"label-%d\xff" % number)
    teach(model.learner, STREAM, cuts=range(1, 120, 7))
    model.position = len(STREAM)
    assert file_bytes(model, tmp_path) == whole


def test_the_layout_is_as_described(whole):
    assert put_together(*take_apart(whole)) == whole
    header, arrays = take_apart(whole)
    assert header["options"]["max_nodes"] == 9
    assert bytes(arrays["labels.text"]).startswith(b"label-0\xfflabel-1\xff")


def test_predict_only_is_smaller_and_answers_the_same(options, tmp_path):
    model = trained(options)
    whole, small = file_bytes(model, tmp_path), file_bytes(model, tmp_path, predict_only=True)
    assert len(small) < 0.8 * len(whole)
    for data in (small, whole):
        answers = ask(read(data, tmp_path, learning=False).learner, STREAM)
        assert answers == ask(model.learner, STREAM)


def test_predict_only_cannot_go_on(options, tmp_path):
    small = file_bytes(trained(options), tmp_path, predict_only=True)
    with pytest.raises(ModelError, match="saved with --predict-only, so its training cannot go on"):
        read(small, tmp_path)


def test_what_is_no_file_is_told(tmp_path):
    for path, reason in ((tmp_path / "none", "no such file"), (tmp_path, "is a directory")):
        with pytest.raises(ModelError, match=f"^{path}: {reason}"):
            read_model(str(path), learning=False)
    for data in (b"", b"1 |f a\n", b"LOMTREE", MAGIC, MAGIC + b"\1\0\0\0"):
        with pytest.raises(ModelError, match=r"read.lom: not a usable model: it "):
            read(data, tmp_path)


def test_every_truncation_is_refused(options, tmp_path):
    whole = file_bytes(trained(options, STREAM[:40]), tmp_path, predict_only=True)
    for length in range(len(whole)):
        with pytest.raises(ModelError):
            read(whole[:length], tmp_path, learning=False)
    with pytest.raises(ModelError):
        read(whole + b"\0", tmp_path)


def test_every_flipped_byte_is_refused(whole, tmp_path):
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        with pytest.raises(ModelError):
            read(bytes(damaged), tmp_path, learning=False)


def test_another_version_is_named(whole, tmp_path):
    with pytest.raises(ModelError, match="its format is version 7, this program reads 1"):
        read(whole[:8] + b"\7\0\0\0" + whole[12:], tmp_path)


WRONG_NUMBERS = (2**31, 2**63 - 1, 2**64, -1, 10**400, 0.5, True, None, "1", [1], float("nan"))


def numbers_in(header: dict) -> list[tuple]:
    paths = [("position",), *((part, i) for part in ("slots", "rows") for i in range(3))]
    paths += [(part, name) for part in ("counts", "options") for name in header.get(part, ())]
    return [path for path in paths if path[0] in header and path != ("slots", 2)]


def test_no_number_of_the_header_is_believed(options, tmp_path):
    """Each wrong number is refused, or is one that a model may have: then the model works."""
    whole, accepted = file_bytes(trained(options), tmp_path), set()
    for path in numbers_in(take_apart(whole)[0]):
        for wrong in WRONG_NUMBERS:
            header, arrays = take_apart(whole)
            place = header
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = wrong
            try:
                model = read(put_together(header, arrays), tmp_path)
            except ModelError:
                continue
            teach(model.learner, STREAM[:5])
            accepted.add((path[-1], wrong))
    counters = {(name, n) for name in ("position", "swaps", "examples") for n in (2**31,)}
    seeds = {("seed", 2**31), ("seed", 2**63 - 1)}
    fractions = ("learning_rate", "power_t", "clip", "nodes_per_class", "swap_resistance")
    rates = {(name, 0.5) for name in (*fractions, "holdout")}
    assert accepted <= counters | seeds | rates | {("swap_resistance", 2**31)}


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
    "more groups than regressors": lambda header, arrays: header["counts"].update(groups=19),
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
    "more labels than tallies": set_item("nodes.labels", 0, 99),
    "a checkpoint before its run": in_header("unfinished", [10**6, 1]),
    "a checkpoint of no form": in_header("unfinished", [1]),
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


def in_counts(name, value):
    def change(header, arrays):
        header["counts"][name] = value

    return change


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
