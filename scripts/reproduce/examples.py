"""The examples of a fetched set, parsed: kept in memory, because a sweep trains on them again and
again; those of a large set are read from their packed files each time."""

import functools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from lomtree.examples.batch import Batch, copy
from lomtree.examples.label_index import LabelIndex
from lomtree.formats.reader import Reader
from lomtree.training.sources import number_examples
from scripts.reproduce.catalog import PARTS, Dataset


class Examples(NamedTuple):
    classes: int  # of the training part
    train: Iterable[Batch]
    validation: Iterable[Batch]
    test: Iterable[Batch]
    training: Iterable[Batch]  # both that are not for testing


class Stream:
    """The examples of some files, as often as they are asked for."""

    def __init__(self, paths: list[Path], format: str, labels: LabelIndex) -> None:
        self._paths, self._format, self._labels = paths, format, labels

    def __iter__(self) -> Iterator[Batch]:
        for path in self._paths:
            reader = Reader([str(path)], self._format, "stop", labels_required=True)
            for batch, count in number_examples(reader, self._labels):
                yield copy(batch, count)


def read_set(dataset: Dataset, folder: Path) -> Examples:
    paths = tuple(dataset.part(folder, name) for name in PARTS)
    return _stream(dataset, paths) if dataset.large else _read(paths, dataset.format)


def _stream(dataset: Dataset, paths: tuple[Path, ...]) -> Examples:
    labels = LabelIndex()
    train, validation, test = (Stream([path], dataset.format, labels) for path in paths)
    both = Stream(list(paths[:2]), dataset.format, labels)
    return Examples(dataset.facts["classes"], train, validation, test, both)


@functools.lru_cache(maxsize=1)
def _read(paths: tuple[Path, ...], format: str) -> Examples:
    labels, classes = LabelIndex(), 0
    parts: list[list[Batch]] = []
    for path in paths:
        parts.append(list(Stream([path], format, labels)))
        classes = classes or len(labels)
    return Examples(classes, *parts, parts[0] + parts[1])


def size_of(batches: Iterable[Batch]) -> int:
    return sum(len(batch.labels) for batch in batches)
