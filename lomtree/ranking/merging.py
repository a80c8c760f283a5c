"""One ranker from several that were trained apart, by what their model files hold.

Sums of centroids add up, as the examples behind them do. The weights of regressors are averaged
over the rankers that have learned one: a label that several have seen is no surer of itself. The
lists have the labels that weigh a feature most, by the centroids of all. Of exemplars a label has
as many as it has room for.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from lomtree.ranking.exemplars_file import merged_exemplars
from lomtree.ranking.label_lists import MOST_LABELS
from lomtree.system.threads import leave_signals

Arrays = dict[str, Any]
LARGEST = np.float32(1e30)  # as label_features has it


def merge_rankers(parts: list[Arrays], numbers: list[np.ndarray]) -> Arrays:
    """The arrays of a ranker that predicts; numbers[i] turns the labels of part i into those of
    all."""
    with ThreadPoolExecutor(1, initializer=leave_signals) as beside:
        exemplars = beside.submit(merged_exemplars, parts, numbers)
        merged = _merged_features(parts, numbers)
        lists = _merged_lists(parts, numbers, merged)
        return merged | lists | exemplars.result()


def _key(labels: np.ndarray, features: np.ndarray) -> np.ndarray:
    return (labels.astype(np.int64) << 32) | features.astype(np.int64)


def _by_label(parts: list[Arrays], numbers: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The rows of all parts, label by label, and their labels. Those of a part are so already: to
    sort the labels first, and then what is nearly in order, takes less than to sort all rows."""
    lengths = np.concatenate([part["ranker.used"] for part in parts]).astype(np.int64)
    labels = np.concatenate(
        [number[: len(part["ranker.used"])] for part, number in zip(parts, numbers, strict=True)]
    )
    order = np.argsort(labels, kind="stable")
    begins = (np.cumsum(lengths) - lengths)[order]
    lengths, labels = lengths[order], labels[order]
    places = np.cumsum(lengths) - lengths
    rows = np.arange(lengths.sum()) + np.repeat(begins - places, lengths)
    return rows, np.repeat(labels, lengths)


def _merged_features(parts: list[Arrays], numbers: list[np.ndarray]) -> Arrays:
    rows, labels = _by_label(parts, numbers)
    keys = _key(labels, np.concatenate([part["ranker.feature"] for part in parts])[rows])
    order = np.argsort(keys, kind="stable")
    keys, rows = keys[order], rows[order]
    first = _firsts(keys)
    times = np.diff(np.append(first, len(keys)))  # parts that have the pair
    merged: Arrays = {}
    for name, among in (("sum", 1), ("weight", times)):
        values = np.concatenate([part[f"ranker.{name}"] for part in parts])[rows]
        added = np.add.reduceat(values.astype(np.float64), first) if len(first) else values
        merged[f"ranker.{name}"] = np.clip(added / among, -LARGEST, LARGEST).astype(np.float32)
    keys = keys[first]
    own = keys >> 32
    count = int(own[-1]) + 1 if len(own) else 0
    merged["ranker.feature"] = (keys & 0xFFFFFFFF).astype(np.uint32)
    merged["ranker.used"] = np.bincount(own, minlength=count).astype(np.int32)
    sums = merged["ranker.sum"].astype(np.float64)
    for name, sizes in (("length", sums**2), ("total", np.abs(sums))):
        merged[f"ranker.{name}"] = np.bincount(own, sizes, minlength=count).astype(np.float64)
    return merged


def _firsts(keys: np.ndarray) -> np.ndarray:
    """Where those begin that are equal, of keys in order."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])[: len(keys)])


def _merged_lists(parts: list[Arrays], numbers: list[np.ndarray], merged: Arrays) -> Arrays:
    """By feature, and in a list by weight; of equals the smaller label is first."""
    features = np.concatenate(
        [np.repeat(one["lists.feature"], one["lists.length"]) for one in parts]
    )
    labels = np.concatenate(
        [number[one["lists.label"]] for one, number in zip(parts, numbers, strict=True)]
    )
    keys = np.sort(_key(labels, features))  # np.unique() may hash, which takes longer
    keys = keys[_firsts(keys)]
    labels, features = keys >> 32, keys & 0xFFFFFFFF
    weights = _weights_in(merged, keys, labels)
    order = np.lexsort((labels, -weights, features))
    labels, features, weights = labels[order], features[order], weights[order]
    begins = _firsts(features)
    lengths = np.diff(np.concatenate([begins, [len(features)]]))
    kept = np.arange(len(features)) - np.repeat(begins, lengths) < MOST_LABELS
    return {
        "lists.feature": features[begins].astype(np.uint32),
        "lists.length": np.minimum(lengths, MOST_LABELS).astype(np.int32),
        "lists.label": labels[kept].astype(np.int32),
        "lists.weight": weights[kept].astype(np.float32),
    }


def _weights_in(merged: Arrays, keys: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """What the centroids weigh these labels and features."""
    used = merged["ranker.used"]
    if not len(keys):
        return np.empty(0)
    known = _key(np.repeat(np.arange(len(used)), used), merged["ranker.feature"])
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    lengths = np.sqrt(np.maximum(merged["ranker.length"], 1e-300))
    there = known[place] == keys
    parts = merged["ranker.sum"][place].astype(np.float64) / lengths[labels]
    return np.where(there, np.clip(parts, -1.0, 1.0), 0.0)
