"""The ranker on its way to a model file and back. Whatever a kernel uses as an index is checked."""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.jit.kernel import kernel
from lomtree.ranking import label_features
from lomtree.ranking.exemplars_file import check_exemplars, load_exemplars, store_exemplars
from lomtree.ranking.label_features import (
    FIRST_ROWS,
    LARGEST,
    PAIR,
    LabelFeatures,
    begin_rows,
    find,
    is_free,
    make_label_features,
    mark,
    room_for,
    view_of,
)
from lomtree.ranking.label_lists import (
    LabelLists,
    check_label_lists,
    load_label_lists,
    store_label_lists,
)
from lomtree.ranking.order import NO_SPAN, order_of, widen
from lomtree.ranking.ranker import Ranker, RankerState
from lomtree.ranking.rivals import RIVALS
from lomtree.storage.state_dict import MOST_COUNTED, StateDict, counted, whole_number
from lomtree.system.threads import leave_signals

_LARGEST = float(np.float32(LARGEST))  # as pairs have it
_COLUMNS = ("feature", "sum", "weight", "squares")
_SIZES = ("length", "total")  # of a centroid
_VISITS = ("examples", "first", "last")


@kernel
def _list_rows(known, keys, rows):
    """List the rows in use, label by label, with their labels and features as one number."""
    listed = 0
    for label in range(len(known.tables)):
        table = known.tables[label]
        for row in range(table.start, table.start + table.room):
            if not is_free(known.pairs[row]):
                keys[listed] = (np.int64(label) << 32) | np.int64(known.pairs[row].feature)
                rows[listed] = row
                listed += 1


def store_label_features(
    known: LabelFeatures, labels: int, state_dict: StateDict, predict_only: bool
) -> None:
    """By label and feature, so that the bytes do not depend on where the tables lie. No label but
    the first `labels` has a feature."""
    tables = known.tables[:labels]
    total = int(tables["used"].sum(dtype=np.int64))
    keys, rows = np.empty(total, np.int64), np.empty(total, np.int64)
    _list_rows(known, keys, rows)
    rows = rows[np.argsort(keys)]
    state_dict.arrays["ranker.used"] = np.ascontiguousarray(tables["used"])
    if not predict_only:
        for name in _VISITS:
            state_dict.arrays[f"ranker.{name}"] = np.minimum(tables[name], MOST_COUNTED)
    for name in _SIZES:
        state_dict.arrays[f"ranker.{name}"] = np.ascontiguousarray(tables[name])
    for name in _COLUMNS[:3] if predict_only else _COLUMNS:
        state_dict.arrays[f"ranker.{name}"] = known.pairs[name][rows]


@kernel
def _fill(known, used, features, sums, weights, squares):
    """Put the pairs of each label, one label's after the other's, into its table. There may be no
    squares."""
    first = 0
    for label in range(len(used)):
        if used[label] > 0:
            table, room = known.tables[label], room_for(used[label])
            begin_rows(known, table, room)
            known.used[1] += room
            table.used = used[label]
            span = NO_SPAN
            for place in range(first, first + used[label]):
                span = widen(span, features[place])
            table.dense, table.base = order_of(span, room)
            view = view_of(known, table)
            for place in range(first, first + used[label]):
                row, _found = find(known.pairs, view, features[place])
                pair = known.pairs[row]
                pair.feature = features[place]
                pair.sum = sums[place]
                pair.weight = weights[place]
                pair.squares = squares[place] if len(squares) > 0 else np.float32(0.0)
                mark(known, view, features[place])
            first += used[label]


class StoredPairs(NamedTuple):
    """What a file has of the features of labels."""

    used: np.ndarray  # int32[labels]: how many features each has
    sizes: list[np.ndarray]  # of the centroids
    columns: dict[str, np.ndarray]  # of the pairs
    room: int  # rows that they need


def check_label_features(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> StoredPairs:
    """ModelError if they are none."""
    labels = len(state_dict.arrays["ranker.used"])
    used = state_dict.column("ranker.used", np.int32, labels)
    sizes = [state_dict.column(f"ranker.{name}", np.float64, labels) for name in _SIZES]
    if labels > label_count or used.min(initial=0) < 0:
        raise ModelError("its labels have impossible numbers of features")
    total = int(used.sum(dtype=np.int64))
    names = _COLUMNS if learning else _COLUMNS[:3]
    columns = {name: state_dict.column(f"ranker.{name}", PAIR[name], total) for name in names}
    for name in names[1:]:
        least, largest = state_dict.extent(f"ranker.{name}")
        if not ((0.0 if name == "squares" else -_LARGEST) <= least and largest <= _LARGEST):
            raise ModelError("its centroids and regressors are not finite numbers")
    if not np.all(np.isfinite(sizes)):
        raise ModelError("its centroids and regressors are not finite numbers")
    if not _are_in_order(used, columns["feature"]):
        raise ModelError("the features of its labels are not in order")
    room = sum(int(room_for(int(count))) * int(many) for count, many in _counted(used))
    if room > label_features.most_rows(options):
        raise ModelError("its labels have too many features")
    if learning:
        _check_visits(state_dict, labels)
    return StoredPairs(used, sizes, columns, room)


@kernel
def _are_in_order(used, features):
    """Whether the features of each label, one label's after the other's, rise."""
    first = 0
    for label in range(len(used)):
        for place in range(first + 1, first + used[label]):
            if features[place] <= features[place - 1]:
                return False
        first += used[label]
    return True


def load_label_features(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> LabelFeatures:
    stored = check_label_features(state_dict, options, label_count, learning)
    used, sizes, columns, room = stored
    rows = FIRST_ROWS
    while room > rows:
        rows *= 2
    known = make_label_features(label_count, rows)  # any of them may be a rival
    columns.setdefault("squares", np.empty(0, np.float32))
    _fill(known, used, *(columns[name] for name in _COLUMNS))
    for name, column in zip(_SIZES, sizes, strict=True):
        known.tables[name][: len(used)] = column
    if learning:
        for name in _VISITS:
            known.tables[name][: len(used)] = state_dict.arrays[f"ranker.{name}"]
    return known


def _check_visits(state_dict: StateDict, labels: int) -> None:
    """No label has had more examples than there were, or one that is still to come: its next one
    would come before its first."""
    ranked = whole_number(state_dict.header["ranked"], 0, MOST_COUNTED)
    for name in _VISITS:
        state_dict.column(f"ranker.{name}", np.int64, labels)
        least, largest = state_dict.extent(f"ranker.{name}")
        if least < 0 or largest > ranked:
            raise ModelError("its labels have impossible numbers of examples")
    if np.any(state_dict.arrays["ranker.first"] > state_dict.arrays["ranker.last"]):
        raise ModelError("the first example of a label came after its last one")


def _counted(numbers: np.ndarray) -> list[tuple[int, int]]:
    """Which numbers above 0 there are, and how many of each."""
    counts = np.bincount(numbers)
    return [(number, int(counts[number])) for number in np.flatnonzero(counts).tolist() if number]


def _last_of(some: np.ndarray) -> int:
    """Behind which none is true."""
    where = np.flatnonzero(some)
    return int(where[-1]) + 1 if len(where) else 0


def store_ranker(ranker: Ranker, state_dict: StateDict, predict_only: bool) -> None:
    """A label may have had examples and have no features: where there was no room for them. In a
    ranker that was loaded to predict they have features, and their examples are not known.

    Exemplars are collected beside the rest."""
    known, lists, exemplars, rivals, counts = ranker.state
    collected = StateDict({}, {})
    with ThreadPoolExecutor(1, initializer=leave_signals) as beside:
        collecting = beside.submit(store_exemplars, exemplars, collected, predict_only)
        _store_features_and_lists(known, lists, state_dict, predict_only)
        collecting.result()
    state_dict.arrays |= collected.arrays
    state_dict.header |= collected.header
    if not predict_only:
        labels = len(state_dict.arrays["ranker.used"])
        state_dict.arrays["ranker.rivals"] = rivals[:labels].reshape(-1)
        state_dict.header["ranked"] = counted(counts[0])


def _store_features_and_lists(
    known: LabelFeatures, lists: LabelLists, state_dict: StateDict, predict_only: bool
) -> None:
    some = known.tables["used"] > 0
    labels = _last_of(some if predict_only else some | (known.tables["examples"] > 0))
    store_label_features(known, labels, state_dict, predict_only)
    store_label_lists(lists, state_dict, predict_only)


def _check_rivals(state_dict: StateDict, label_count: int) -> tuple[np.ndarray, int]:
    """The rivals of all labels, and how many examples were ranked."""
    labels = len(state_dict.arrays["ranker.used"])
    rivals = state_dict.column("ranker.rivals", np.int32, RIVALS * labels)
    if rivals.min(initial=0) < NO_LABEL or rivals.max(initial=0) >= label_count:
        raise ModelError("its labels have rivals that do not exist")
    return rivals, whole_number(state_dict.header["ranked"], 0, MOST_COUNTED)


def check_ranker(state_dict: StateDict, options: Options, label_count: int, learning: bool) -> None:
    """ModelError if load_ranker() would raise one."""
    check_label_features(state_dict, options, label_count, learning)
    check_label_lists(state_dict, options, label_count, learning)
    check_exemplars(state_dict, options, label_count, learning)
    if learning:
        _check_rivals(state_dict, label_count)


def load_ranker(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> Ranker:
    arguments = (state_dict, options, label_count, learning)
    with ThreadPoolExecutor(1, initializer=leave_signals) as beside:
        exemplars = beside.submit(load_exemplars, *arguments)
        known, lists = load_label_features(*arguments), load_label_lists(*arguments)
    rivals, counts = np.empty((0, RIVALS), np.int32), np.zeros(2, np.int64)
    if learning:
        flat, counts[0] = _check_rivals(state_dict, label_count)
        rivals = np.full((label_count, RIVALS), NO_LABEL, np.int32)
        rivals.reshape(-1)[: len(flat)] = flat
    return Ranker(options, RankerState(known, lists, exemplars.result(), rivals, counts))
