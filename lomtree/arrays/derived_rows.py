"""Rows with features derived from their own: interactions and n-grams, as text has them.

What is no text knows one namespace, the default one.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from lomtree.arrays.rows import Rows
from lomtree.core.derivations import NOTHING, Derivations
from lomtree.core.errors import DataError
from lomtree.derived.derivation import Deriver
from lomtree.derived.names import derived_names
from lomtree.derived.problems import SENTENCES
from lomtree.examples.batch import Batch, copy
from lomtree.examples.examples import GOOD, Examples, Strings
from lomtree.examples.namespaces import one_namespace


class DerivedRows(Rows):
    def __init__(self, rows: Rows, derived: Derivations) -> None:
        self._rows, self._derived, self.count = rows, derived, rows.count

    def check(self) -> None:
        """ValueError if features cannot be derived from one of the rows."""
        for _ in self.batches():
            pass

    def batches(
        self,
        labels: np.ndarray | None = None,
        weights: np.ndarray | None = None,
        order: np.ndarray | None = None,
    ) -> Iterator[Batch]:
        deriver = Deriver(self._derived, 1)
        begin = 0
        for batch in self._rows.batches(labels, weights, order):
            for part in parts_of(deriver, as_examples(batch)):
                end = begin + part.count
                refuse_problems(part, range(begin, end) if order is None else order[begin:end])
                begin = end
                yield copy(part.batch, part.count)

    def lengths(self) -> np.ndarray:
        return self._rows.lengths()

    def pack(self, rows: np.ndarray, batch: Batch) -> None:
        self._rows.pack(rows, batch)

    def names(self, names: dict[int, str]) -> dict[int, str]:
        """The features of the first row by their numbers; `names` are those that it has itself."""
        batch = next(self._rows.batches())
        found = one_namespace(batch, len(batch.labels))
        return derived_names(self._derived, as_examples(batch), found, names)


def with_derived(rows: Rows, derived: Derivations) -> Rows:
    return rows if derived == NOTHING else DerivedRows(rows, derived)


def parts_of(deriver: Deriver, examples: Examples) -> Iterator[Examples]:
    """The examples of one namespace with what is derived; ValueError if they have no words, and
    some are wanted."""
    try:
        yield from deriver.parts(examples, one_namespace(examples.batch, examples.count))
    except DataError as error:
        raise ValueError(f"{error}.") from None


def refuse_problems(examples: Examples, rows: Sequence[int] | np.ndarray) -> None:
    """ValueError, which says which row it is, if features could not be derived from one of them."""
    bad = np.flatnonzero(~examples.good)
    if len(bad):
        sentence = SENTENCES[int(examples.problems[bad[0]])]
        raise ValueError(f"X[{int(rows[bad[0]])}]: {sentence}.")


def as_examples(batch: Batch, labels: Strings | None = None, format: str | None = None) -> Examples:
    count = len(batch.labels)
    problems = np.full(count, GOOD, np.int8)
    return Examples(batch, count, labels or none_of(count), none_of(count), problems, None, format)


def none_of(count: int) -> Strings:
    nowhere = np.zeros(count, np.int64)
    return Strings(np.empty(0, np.uint8), nowhere, nowhere)
