"""Dicts as examples: {"length": 3.2, "colour": "red"} is `| length:3.2 colour=red` in VW text."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import islice
from math import isfinite
from typing import Any

import numpy as np

from lomtree.arrays.names import FeatureNames
from lomtree.arrays.rows import PackedRows
from lomtree.examples.batch import CONSTANT, Batch
from lomtree.examples.merging import LARGEST_VALUE, Merger

Features = Mapping[Hashable, Any]

_LARGEST = float(LARGEST_VALUE)
CHUNK = 1 << 13  # dicts that are hashed at once


def batch_of(dicts: list[Features], names: FeatureNames) -> Batch:
    """ValueError, which says which of them, if one is no example."""
    keys: list[Hashable] = []
    values: list[float] = []
    lengths = []
    for number, one in enumerate(dicts):
        before = len(keys)
        if not isinstance(one, Mapping):
            raise ValueError(f"X[{number}] is a {type(one).__name__}, not a dict of features.")
        for name, value in one.items():
            _add(number, name, value, keys, values)
        lengths.append(len(keys) - before)
    numbers = names.learn(keys)
    features = np.fromiter(map(numbers.__getitem__, keys), np.uint32, len(keys))
    return _packed(lengths, features, np.array(values, np.float32))


def _add(row: int, name: Hashable, value: Any, keys: list[Hashable], values: list[float]) -> None:
    """Note a feature: a number, or one that a string chooses; None is none."""
    if value is None:
        return
    if isinstance(value, str):
        keys.append(chosen(name, value))
        values.append(1.0)
    elif isinstance(value, list | tuple | set | frozenset):
        for one in sorted(value, key=str) if isinstance(value, set | frozenset) else value:
            if not isinstance(one, str):
                raise ValueError(f"X[{row}][{name!r}] has {one!r} in it; only strings may be.")
            _add(row, name, one, keys, values)
    else:
        keys.append(name)
        values.append(_number(row, name, value))


def chosen(name: Hashable, value: str) -> Hashable:
    """The feature that a string chooses, named name=value."""
    if isinstance(name, tuple) and len(name) == 2:
        return name[0], f"{name[1]}={value}"
    return f"{name}={value}"


def _number(row: int, name: Hashable, value: Any) -> float:
    try:
        number = float(value)
    except OverflowError:  # a whole number
        number = float("inf")
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise ValueError(f"X[{row}][{name!r}] is a {kind}, not a number or a string.") from None
    if not isfinite(number) or abs(number) > _LARGEST:
        what = "NaN" if number != number else "infinity or a value too large for dtype('float32')"
        raise ValueError(f"Input X contains {what}: X[{row}][{name!r}] is {value!r}.")
    return number


def _packed(lengths: list[int], features: np.ndarray, values: np.ndarray) -> Batch:
    """With the constant behind each, without zeros, and each feature once."""
    count = len(lengths)
    ends = np.cumsum(np.array(lengths, np.int64))
    features = np.insert(features, ends, np.uint32(CONSTANT))
    values = np.insert(values, ends, np.float32(1))
    starts = np.zeros(count + 1, np.int64)
    starts[1:] = ends + np.arange(1, count + 1)
    kept = values != 0
    starts = np.concatenate([[0], np.cumsum(kept)])[starts]
    weights = np.ones(count, np.float32)
    labels = np.full(count, -1, np.int32)
    batch = Batch(starts, features[kept], values[kept], labels, weights)
    Merger().merge(batch, count, np.ones(count, np.uint8))
    used = starts[-1]
    return batch._replace(features=batch.features[:used], values=batch.values[:used])


def batches_of(dicts: Iterable[Features], names: FeatureNames) -> Iterator[Batch]:
    """As they come; so many at once that memory is bounded."""
    iterator = iter(dicts)
    while chunk := list(islice(iterator, CHUNK)):
        yield batch_of(chunk, names)


def dict_rows(dicts: Iterable[Features], names: FeatureNames) -> PackedRows:
    return PackedRows(joined(list(batches_of(dicts, names))))


def joined(batches: list[Batch]) -> Batch:
    """One batch of all."""
    if len(batches) == 1:
        return batches[0]
    before = np.cumsum([0, *(batch.starts[-1] for batch in batches)])
    starts = [batch.starts[:-1] + first for batch, first in zip(batches, before, strict=False)]
    columns = (np.concatenate(column) for column in zip(*(b[1:] for b in batches), strict=True))
    return Batch(np.concatenate([*starts, before[-1:]]), *columns)
