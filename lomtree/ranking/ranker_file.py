"""The ranker on its way to a model file and back. Whatever a kernel uses as an index is checked."""

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.jit.kernel import kernel
from lomtree.ranking import label_features
from lomtree.ranking.label_features import (
    FIRST_ROWS,
    LARGEST,
    PAIR,
    LabelFeatures,
    begin_rows,
    find,
    is_free,
    make_label_features,
    room_for,
)
from lomtree.ranking.label_lists import load_label_lists, store_label_lists
from lomtree.ranking.ranker import RIVALS, Ranker, RankerState
from lomtree.storage.state_dict import MOST_COUNTED, StateDict, counted, whole_number

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
def _fill(known, used, pairs):
    """Put the pairs of each label, one label's after the other's, into its table."""
    first = 0
    for label in range(len(used)):
        if used[label] > 0:
            table, room = known.tables[label], room_for(used[label])
            begin_rows(known, table, room)
            known.used[1] += room
            table.used = used[label]
            for place in range(first, first + used[label]):
                row, _found = find(known.pairs, table, pairs[place].feature)
                known.pairs[row] = pairs[place]
            first += used[label]


def load_label_features(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> LabelFeatures:
    labels = len(state_dict.arrays["ranker.used"])
    used = state_dict.column("ranker.used", np.int32, labels)
    sizes = [state_dict.column(f"ranker.{name}", np.float64, labels) for name in _SIZES]
    if labels > label_count or used.min(initial=0) < 0:
        raise ModelError("its labels have impossible numbers of features")
    total = int(used.sum(dtype=np.int64))
    names = _COLUMNS if learning else _COLUMNS[:3]
    columns = [state_dict.column(f"ranker.{name}", PAIR[name], total) for name in names]
    pairs = np.zeros(total, PAIR)  # there are so many: the columns have been looked at
    for name, column in zip(names, columns, strict=True):
        pairs[name] = column
    for name in _COLUMNS[1:]:
        if not np.all(np.abs(pairs[name]) <= LARGEST):
            raise ModelError("its centroids and regressors are not finite numbers")
    if not np.all(np.isfinite(sizes)) or np.any(pairs["squares"] < 0):
        raise ModelError("its centroids and regressors are not finite numbers")
    key = (np.repeat(np.arange(labels), used) << 32) | pairs["feature"]
    if np.any(key[1:] <= key[:-1]):
        raise ModelError("the features of its labels are not in order")
    room = sum(int(room_for(int(count))) * int(many) for count, many in _counted(used))
    if room > label_features.most_rows(options):
        raise ModelError("its labels have too many features")
    rows = FIRST_ROWS
    while room > rows:
        rows *= 2
    known = make_label_features(label_count, rows)  # any of them may be a rival
    _fill(known, used, pairs)
    for name, column in zip(_SIZES, sizes, strict=True):
        known.tables[name][:labels] = column
    if learning:
        _load_visits(state_dict, known.tables[:labels])
    return known


def _load_visits(state_dict: StateDict, tables: np.ndarray) -> None:
    for name in _VISITS:
        numbers = state_dict.column(f"ranker.{name}", np.int64, len(tables))
        if numbers.min(initial=0) < 0 or numbers.max(initial=0) > MOST_COUNTED:
            raise ModelError("its labels have impossible numbers of examples")
        tables[name] = numbers
    if np.any(tables["first"] > tables["last"]):
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
    ranker that was loaded to predict they have features, and their examples are not known."""
    known, lists, rivals, counts = ranker.state
    some = known.tables["used"] > 0
    labels = _last_of(some if predict_only else some | (known.tables["examples"] > 0))
    store_label_features(known, labels, state_dict, predict_only)
    store_label_lists(lists, state_dict, predict_only)
    if not predict_only:
        state_dict.arrays["ranker.rivals"] = rivals[:labels].reshape(-1)
        state_dict.header["ranked"] = counted(counts[0])


def load_ranker(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> Ranker:
    known = load_label_features(state_dict, options, label_count, learning)
    lists = load_label_lists(state_dict, options, label_count, learning)
    rivals, counts = np.empty((0, RIVALS), np.int32), np.zeros(2, np.int64)
    if learning:
        labels = len(state_dict.arrays["ranker.used"])
        flat = state_dict.column("ranker.rivals", np.int32, RIVALS * labels)
        if flat.min(initial=0) < NO_LABEL or flat.max(initial=0) >= label_count:
            raise ModelError("its labels have rivals that do not exist")
        rivals = np.full((label_count, RIVALS), NO_LABEL, np.int32)
        rivals[:labels] = flat.reshape(-1, RIVALS)
        counts[0] = whole_number(state_dict.header["ranked"], 0, MOST_COUNTED)
    return Ranker(options, RankerState(known, lists, rivals, counts))
