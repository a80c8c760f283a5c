"""Examples on their way to a trainer: from a reader or a cache, with their labels numbered."""

from collections.abc import Iterable, Iterator

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.core.errors import DataError
from lomtree.examples.batch import Batch, copy, pick
from lomtree.examples.cache import Cache, CacheWriter
from lomtree.examples.examples import Examples
from lomtree.examples.label_index import LabelIndex
from lomtree.system.pipeline import ahead

Numbered = tuple[Batch, int]  # examples whose labels are numbered, and how many of the batch


def number_examples(source: Iterable[Examples], labels: LabelIndex) -> Iterator[Numbered]:
    """The good examples of any source, their labels numbered, made ahead in a thread of its own.

    The batch is filled anew for the next ones.
    """
    for examples in ahead(source):
        batch, count = examples.batch, examples.count
        known = labels.number(examples.labels, examples.problems, batch.labels[:count])
        good = np.flatnonzero(examples.good[:known])
        if len(good) == known:
            yield batch, known
        elif len(good):
            yield pick(batch, good), len(good)
        if known < count:
            raise DataError(_place(examples, known) + labels.too_many(examples.labels.word(known)))


def _place(examples: Examples, number: int) -> str:
    origin = examples.origin
    if origin is None:
        return ""
    return f"{origin.source}:{origin.first_line + int(origin.lines[number])}: "


def cached_examples(cache: Cache, labels: LabelIndex) -> Iterator[Numbered]:
    """The examples of a cache file, with its label numbers turned into those of `labels`."""
    numbers = np.full(len(cache.labels), NO_LABEL, np.int32)
    for batch in cache:
        # In the order of appearance, as the text would number them: the cache may know labels
        # that are not in this text, from the model that was trained when it was made.
        found, first = np.unique(batch.labels, return_index=True)
        found = found[np.argsort(first)]
        new = found[numbers[found] == NO_LABEL]
        try:
            numbers[new] = labels.add(*(cache.labels[label] for label in new))
        except DataError as error:
            raise DataError(f"{cache.path}: {error}") from None
        yield batch._replace(labels=numbers[batch.labels]), len(batch.labels)


def written_to(writer: CacheWriter, examples: Iterable[Numbered]) -> Iterator[Numbered]:
    """The same examples; each is written to a cache on its way."""
    for batch, count in examples:
        writer.add(copy(batch, count))
        yield batch, count
