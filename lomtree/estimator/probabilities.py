"""Probabilities of all labels, from those of the labels that a ranking names.

A ranking names a few labels and leaves something to all others together. Each of these gets an
equal share of it, but no more than the least that a named one has: what was not found is not more
probable than what was. Then the sum is made 1.
"""

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.system.memory import available


def spread(numbers: np.ndarray, named: np.ndarray, total: int) -> tuple[np.ndarray, np.ndarray]:
    """(float64[rows, top], float64[rows]): the probabilities of the labels named and of each of the
    others, of `total` labels. `numbers` has NO_LABEL where a row names fewer."""
    there = numbers != NO_LABEL
    named = np.where(there, named, 0.0).astype(np.float64)
    others = total - there.sum(axis=1)
    left = np.maximum(1.0 - named.sum(axis=1), 0.0)
    least = np.where(there, named, np.inf).min(axis=1, initial=np.inf)
    each = np.minimum(left / np.maximum(others, 1), least)
    each = np.where(others > 0, each, 0.0)
    sums = named.sum(axis=1) + each * others
    return named / sums[:, None], each / sums


def check_size(samples: int, classes: int) -> None:
    """ValueError if the probabilities of all labels would not fit into memory."""
    size = 8 * samples * classes
    if size > available() // 2:
        raise ValueError(
            f"predict_proba of {samples:,} samples and {classes:,} classes needs "
            f"{size / 1e9:,.1f} GB; predict_top_k(X, k) gives the k best of each."
        )


def all_probabilities(
    numbers: np.ndarray, named: np.ndarray, of_number: np.ndarray, total: int
) -> np.ndarray:
    """float64[rows, total]: by the places of the labels (of_number). The label named first is the
    only one with the largest probability, also where rounding made two of them equal."""
    named, each = spread(numbers, named, total)
    found = np.repeat(each[:, None], total, axis=1)
    rows, places = np.nonzero(numbers != NO_LABEL)
    found[rows, of_number[numbers[rows, places]]] = named[rows, places]
    best = of_number[np.where(numbers[:, 0] == NO_LABEL, 0, numbers[:, 0])]
    tied = np.flatnonzero(found.argmax(axis=1) != best)
    found[tied, best[tied]] = np.nextafter(found[tied].max(axis=1), 2.0)
    return found


def best_of(
    numbers: np.ndarray, named: np.ndarray, total: int, top: int
) -> tuple[np.ndarray, np.ndarray]:
    """The `top` best labels and, where a row names fewer, others in the order of their numbers,
    with what is left for each."""
    probabilities, each = spread(numbers, named, total)
    numbers, probabilities = numbers[:, :top].copy(), probabilities[:, :top].copy()
    short = np.flatnonzero((numbers == NO_LABEL).any(axis=1))
    for row in short.tolist():
        there = numbers[row][numbers[row] != NO_LABEL]
        others = np.setdiff1d(np.arange(top), there, assume_unique=True)[: top - len(there)]
        numbers[row, len(there) :] = others
        probabilities[row, len(there) :] = each[row]
    return numbers, probabilities
