"""Exemplars on their way to a model file and back, and those of several rankers in one."""

from typing import Any, NamedTuple

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.core.options import Options
from lomtree.jit.kernel import kernel
from lomtree.ranking.exemplars import (
    LEAST,
    MOST,
    NO_HEAD,
    Exemplars,
    first_of,
    make_exemplars,
    most_items,
    next_of,
    room_for,
)
from lomtree.storage.state_dict import StateDict, whole_number

_LONGEST = 1.01  # of a value in a vector of length 1, rounded


class StoredExemplars(NamedTuple):
    """What a file has of them, one label's after the other's, each label's newest first."""

    counts: np.ndarray  # int32[labels]
    lengths: np.ndarray  # int32[exemplars]: how many features each has
    lots: np.ndarray  # float32[exemplars], or none where they are only looked at
    features: np.ndarray  # uint32[]
    values: np.ndarray  # float32[]
    most: int  # items of a label


def store_exemplars(exemplars: Exemplars, state_dict: StateDict, predict_only: bool) -> None:
    """The bytes do not depend on where in memory they lie."""
    labels = np.flatnonzero(exemplars.shelves["used"])
    counts = np.zeros(int(labels[-1]) + 1 if len(labels) else 0, np.int32)
    _count(exemplars, counts)
    total = int(counts.sum(dtype=np.int64))
    lengths, lots = np.empty(total, np.int32), np.empty(total, np.float32)
    size = int(exemplars.used[1]) - total
    features, values = np.empty(size, np.uint32), np.empty(size, np.float32)
    _list(exemplars, lengths, lots, features, values)
    arrays = state_dict.arrays
    arrays["exemplars.count"], arrays["exemplars.length"] = counts, lengths
    arrays["exemplars.feature"], arrays["exemplars.value"] = features, values
    if not predict_only:
        arrays["exemplars.lot"] = lots
        state_dict.header["exemplars"] = int(exemplars.used[2])


@kernel
def _count(exemplars, counts):
    for label in range(len(counts)):
        head = exemplars.shelves[label].head
        while head != NO_HEAD:
            counts[label] += 1
            head = next_of(exemplars.items, head)


@kernel
def _list(exemplars, lengths, lots, features, values):
    number, place, items = 0, 0, exemplars.items
    for label in range(len(exemplars.shelves)):
        head = exemplars.shelves[label].head
        while head != NO_HEAD:
            lengths[number] = items[head].feature
            lots[number] = items[head].value
            first = first_of(items, head)
            for item in range(first, first + lengths[number]):
                features[place] = items[item].feature
                values[place] = items[item].value
                place += 1
            head = next_of(items, head)
            number += 1


@kernel
def _fill(exemplars, stored):
    number, place, items, head = 0, 0, exemplars.items, np.int64(0)
    for label in range(len(stored.counts)):
        shelf = exemplars.shelves[label]
        for left in range(stored.counts[label], 0, -1):
            lot = stored.lots[number] if len(stored.lots) > 0 else np.float32(0.0)
            first = first_of(items, head)
            behind = first + stored.lengths[number]
            if left == stored.counts[label]:
                shelf.head = head
            shelf.largest = max(shelf.largest, lot)
            shelf.used += 1 + stored.lengths[number]
            items[head].feature = stored.lengths[number]
            items[head].value = lot
            items[head + 1].feature = behind if left > 1 else NO_HEAD
            for item in range(first, behind):
                items[item].feature = stored.features[place]
                items[item].value = stored.values[place]
                place += 1
            head = behind
            number += 1
    exemplars.used[0] = head


def _sizes(stored: StoredExemplars) -> np.ndarray:
    """int64[labels]: how many items each has."""
    owner = np.repeat(np.arange(len(stored.counts)), stored.counts)
    sizes = np.bincount(owner, stored.lengths + 1.0, minlength=len(stored.counts))
    return sizes.astype(np.int64)


def check_exemplars(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> StoredExemplars:
    """ModelError if they are none."""
    arrays, most = state_dict.arrays, MOST
    labels = len(arrays["exemplars.count"])
    counts = state_dict.column("exemplars.count", np.int32, labels)
    if labels > label_count or counts.min(initial=0) < 0:
        raise ModelError("its labels have impossible numbers of exemplars")
    total = int(counts.sum(dtype=np.int64))
    lengths = state_dict.column("exemplars.length", np.int32, total)
    if total and not (1 <= lengths.min() and lengths.max() < MOST):  # see moved()
        raise ModelError("its exemplars have impossible lengths")
    size = int(lengths.sum(dtype=np.int64))
    features = state_dict.column("exemplars.feature", np.uint32, size)
    values = state_dict.column("exemplars.value", np.float32, size)
    extent = state_dict.extent("exemplars.value")
    if size and not (-_LONGEST <= extent.least and extent.largest <= _LONGEST):
        raise ModelError("its exemplars are not of length 1")
    lots = np.empty(0, np.float32)
    if learning:
        most = whole_number(state_dict.header["exemplars"], LEAST, MOST)
        lots = state_dict.column("exemplars.lot", np.float32, total)
        if not np.all((lots >= 0) & (lots <= 1)):
            raise ModelError("the lots of its exemplars are none")
    stored = StoredExemplars(counts, lengths, lots, features, values, most)
    if most & (most - 1) or _sizes(stored).max(initial=0) > most:
        raise ModelError("its labels have too many exemplars")
    if size + total > most_items(options):
        raise ModelError("it has too many exemplars")
    return stored


def load_exemplars(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> Exemplars:
    stored = check_exemplars(state_dict, options, label_count, learning)
    total = len(stored.lengths) + len(stored.features)
    length = total + len(stored.lengths)
    room = max(length, room_for(most_items(options))) if learning else max(length, 1)
    exemplars = make_exemplars(label_count, room, stored.most)
    exemplars.used[1] = total
    _fill(exemplars, stored)
    return exemplars


def merged_exemplars(parts: list[dict[str, Any]], numbers: list[np.ndarray]) -> dict[str, Any]:
    """The arrays of a ranker that predicts, from those of several; numbers[i] turns the labels of
    part i into those of all. A label that several have seen takes from each in turn."""
    labels = [
        number[np.repeat(np.arange(len(one["exemplars.count"])), one["exemplars.count"])]
        for one, number in zip(parts, numbers, strict=True)
    ]
    turns = [
        np.arange(len(one["exemplars.length"])) - np.repeat(_begins(counts), counts)
        for one in parts
        for counts in [one["exemplars.count"]]
    ]
    label, turn = np.concatenate(labels).astype(np.int64), np.concatenate(turns)
    lengths = np.concatenate([one["exemplars.length"] for one in parts])
    order = np.lexsort((turn, label))
    label, sizes = label[order], lengths[order].astype(np.int64) + 1
    before = np.cumsum(sizes) - sizes
    first = np.searchsorted(label, label)  # the first exemplar of the same label
    kept = order[before - before[first] + sizes <= MOST]
    starts, own = _begins(lengths), lengths[kept].astype(np.int64)
    rows = np.repeat(starts[kept] - _begins(own), own) + np.arange(int(own.sum()))
    columns = {
        name: np.concatenate([one[f"exemplars.{name}"] for one in parts])[rows]
        for name in ("feature", "value")
    }
    counts = np.bincount(np.concatenate(labels)[kept]) if len(kept) else np.empty(0)
    return {
        "exemplars.count": counts.astype(np.int32),
        "exemplars.length": own.astype(np.int32),
        **{f"exemplars.{name}": column for name, column in columns.items()},
    }


def _begins(lengths: np.ndarray) -> np.ndarray:
    """Where each begins, of pieces that follow each other."""
    return np.cumsum(lengths, dtype=np.int64) - lengths
