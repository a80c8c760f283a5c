"""The labels that a leaf keeps: counted as the naive ones, and kept in the model file."""

import numpy as np
import pytest

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.core.errors import ModelError
from lomtree.learners.tree.leaf_labels import (
    INHERITED,
    KEPT,
    LARGEST_WEIGHT,
    add_label,
    begin_leaf,
    load_leaf_labels,
    make_leaf_labels,
    no_leaf_labels,
    store_leaf_labels,
    total_of,
    with_room,
)
from lomtree.storage.state_dict import StateDict
from tests.generators.models import CLASSES, OPTIONS, STREAM, file_bytes, read, trained
from tests.generators.strange_files import put_together, take_apart
from tests.generators.streams import batch_of

F = np.float32
NODES = 9  # of the tests' leaves: 1, 3, 5 and 7 are inner nodes


class NaiveLeaf:
    """[label, weight] of up to four labels, in the order in which they came. When there is no room
    for another one, the first of those with least gives as much as the other would have; when
    nothing is left of it the other has its place, and all its own weight."""

    def __init__(self, parents_label=None):
        self.kept = [] if parents_label is None else [[parents_label, F(0.5)]]
        self.events = {"given": 0, "replaced": 0}

    def add(self, label, w):
        for row in self.kept:
            if row[0] == label:
                row[1] = min(row[1] + w, F(1e30))
                return
        if len(self.kept) < 4:
            self.kept.append([label, min(w, F(1e30))])
            return
        least = min(self.kept, key=lambda row: row[1])
        least[1] -= w
        self.events["given"] += 1
        if least[1] <= 0:
            least[:] = label, min(w, F(1e30))
            self.events["replaced"] += 1

    @property
    def total(self):
        return 1 + sum(float(weight) for _, weight in self.kept)


def labels_of(kept, v):
    rows = zip(kept.labels[v].tolist(), kept.weights[v].tolist(), strict=True)
    return [[label, weight] for label, weight in rows if label != NO_LABEL]


def nodes_of(count=NODES):
    nodes = np.zeros(count, [("left", np.int32)])
    nodes["left"] = [count if v % 2 else NO_NODE for v in range(count)]
    return nodes


def random_leaves(rng, examples=400):
    kept, naive = make_leaf_labels(NODES), {v: NaiveLeaf() for v in range(NODES)}
    for v in (2, 4, 5):
        begin_leaf(kept, v, v)
        naive[v] = NaiveLeaf(v)
    for _ in range(examples):
        v, label = int(rng.integers(NODES - 1)), int(rng.zipf(1.5)) % 12
        w = F(rng.choice([1, 1, 1, 0.3, 2, 20]))
        add_label(kept, v, label, w)
        naive[v].add(label, w)
    return kept, naive


def stored(kept, nodes):
    state_dict = StateDict({}, {})
    store_leaf_labels(kept, nodes, state_dict)
    return state_dict


def test_labels_are_counted_as_by_the_naive_leaf():
    events = {"given": 0, "replaced": 0}
    for seed in range(10):
        kept, naive = random_leaves(np.random.default_rng(seed))
        for v, leaf in naive.items():
            assert labels_of(kept, v) == [[label, float(weight)] for label, weight in leaf.kept]
            assert total_of(kept, v) == pytest.approx(leaf.total)
            events = {name: count + leaf.events[name] for name, count in events.items()}
    assert min(events.values()) > 100
    assert KEPT == 4


def test_a_new_leaf_forgets_what_was_there():
    kept = make_leaf_labels(2)
    for label in range(6):
        add_label(kept, 1, label, F(3))
    begin_leaf(kept, 1, 9)
    assert labels_of(kept, 1) == [[9, INHERITED]]
    assert labels_of(kept, 0) == []
    assert total_of(kept, 0) == 1


@pytest.mark.parametrize("weight", [1e-38, 1e30, 3e38])
def test_weights_of_any_size_leave_finite_ones(weight):
    kept = make_leaf_labels(1)
    for number in range(60):
        add_label(kept, 0, number % 7, F(weight if number % 3 else 1))
        assert np.isfinite(kept.weights).all()
        assert (kept.weights <= LARGEST_WEIGHT).all()
        assert (kept.weights >= 0).all()


def test_room_for_more_nodes_changes_nothing():
    kept, _ = random_leaves(np.random.default_rng(1))
    more = with_room(kept, 3 * NODES)
    for before, after in zip(kept, more, strict=True):
        assert np.array_equal(before, after[:NODES])
    assert (more.labels[NODES:] == NO_LABEL).all()
    assert not more.weights[NODES:].any()
    assert len(no_leaf_labels().labels) == 0


def test_leaves_are_kept_and_learn_on_and_inner_nodes_are_left_out():
    rng = np.random.default_rng(2)
    kept, _ = random_leaves(rng)
    nodes = nodes_of()
    parts = stored(with_room(kept, 4 * NODES), nodes)
    again = load_leaf_labels(parts, nodes, 12)
    for v in range(NODES):
        assert labels_of(again, v) == ([] if v % 2 else labels_of(kept, v))
    for _ in range(100):
        v, label = 2 * int(rng.integers(4)), int(rng.integers(12))
        for one in (kept, again):
            add_label(one, v, label, F(0.7))
    for name, array in stored(kept, nodes).arrays.items():
        assert array.tobytes() == stored(again, nodes).arrays[name].tobytes()


def test_a_file_keeps_them(tmp_path):
    model = trained()
    again = read(file_bytes(model, tmp_path), tmp_path)
    asked = batch_of(STREAM), len(STREAM), 8, 4
    before, after = model.learner.rank(*asked), again.learner.rank(*asked)
    assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))


def cut(name, length):
    def change(arrays):
        arrays[name] = arrays[name][:length]

    return change


def put(name, value):
    def change(arrays):
        arrays[name][-1] = value

    return change


def in_another_type(name, dtype):
    def change(arrays):
        arrays[name] = arrays[name].astype(dtype)

    return change


def moved(arrays):
    """A leaf's labels become those of the root, which is no leaf."""
    counts = arrays["leaf_labels.count"]
    leaf = np.flatnonzero(counts)[0]
    counts[0], counts[leaf] = counts[leaf], 0


def crowded(arrays):
    """A leaf with more labels than one may have; everything else fits."""
    counts, leaf = arrays["leaf_labels.count"], np.flatnonzero(arrays["leaf_labels.count"])[0]
    more = KEPT + 1 - int(counts[leaf])
    counts[leaf] = KEPT + 1
    for name in ("leaf_labels.label", "leaf_labels.weight"):
        arrays[name] = np.concatenate([arrays[name], np.zeros(more, arrays[name].dtype)])


CRAFTED = {
    "fewer counts than nodes": cut("leaf_labels.count", -1),
    "fewer labels than the counts say": cut("leaf_labels.label", -1),
    "fewer weights than the counts say": cut("leaf_labels.weight", -1),
    "an inner node with labels": moved,
    "a count of more than follow": put("leaf_labels.count", 255),
    "a leaf with more than there may be": crowded,
    "a label out of range": put("leaf_labels.label", CLASSES),
    "a negative label": put("leaf_labels.label", -1),
    "counts of another type": in_another_type("leaf_labels.count", np.int64),
    "labels of another type": in_another_type("leaf_labels.label", np.int64),
    "weights of another type": in_another_type("leaf_labels.weight", np.float64),
    "a weight that is no number": put("leaf_labels.weight", np.nan),
    "an infinite weight": put("leaf_labels.weight", np.inf),
    "a negative weight": put("leaf_labels.weight", -0.1),
}


@pytest.mark.parametrize("learning", [True, False])
@pytest.mark.parametrize("change", CRAFTED.values(), ids=CRAFTED.keys())
def test_a_file_with_labels_of_leaves_that_cannot_be_is_refused(tmp_path, change, learning):
    header, arrays = take_apart(file_bytes(trained(OPTIONS), tmp_path))
    change(arrays)
    with pytest.raises(ModelError, match=r"read.lom: not a usable model: "):
        read(put_together(header, arrays), tmp_path, learning)


@pytest.mark.parametrize("name", ["count", "label", "weight"])
def test_a_file_without_them_is_refused(tmp_path, name):
    header, arrays = take_apart(file_bytes(trained(), tmp_path))
    del arrays[f"leaf_labels.{name}"]
    with pytest.raises(ModelError, match=r"read.lom: not a usable model: "):
        read(put_together(header, arrays), tmp_path)
