"""Centroids: an example becomes part of its label's, or is compared with one.

The centroid of a label is the sum of its examples. How much an example is like it is told by
  - their cosine,
  - the cosine with the roots of its sums, which counts features that came seldom for more,
  - and the coverage: the share of the example's squared length in features that the label has.
The regressor of a label is trained against other labels (see ranker). It has weights for the
features of the label's own examples alone: the others say nothing for it, and are counted for the
labels that have them.
"""

from typing import NamedTuple

import numpy as np

from lomtree.jit.kernel import kernel
from lomtree.linear.dot import dot
from lomtree.ranking.label_features import LARGEST, NO_ROW, find, make_rows, mark, view_of
from lomtree.ranking.sighting import MOST_SIGHTED, locate


class Shared(NamedTuple):
    """Room for the features that an example shares with a label."""

    rows: np.ndarray  # int64[features]
    values: np.ndarray  # float32[features]: of the example
    sums: np.ndarray  # float32[features]: of the label's centroid
    weights: np.ndarray  # float32[features]: of its regressor


def make_shared(features: int) -> Shared:
    return Shared(np.empty(features, np.int64), *np.empty((3, features), np.float32))


@kernel
def length_of(vector):
    square = 0.0
    for position in range(vector.begin, vector.end):
        square += np.float64(vector.values[position]) * np.float64(vector.values[position])
    return np.sqrt(square)


@kernel
def add_example(known, most, vector, label, importance, rows, is_new):
    """Add an example to the centroid of its label; where there may be no more rows, to those that
    are there. Notes the row of each of its features, and which of them are new to the label."""
    table, pairs = known.tables[label], known.pairs
    table.examples += 1
    may_take = make_rows(known, most, label, vector)
    view = view_of(known, table)
    for position in range(vector.begin, vector.end):
        row, found, offset = np.uint64(0), False, position - vector.begin
        if table.room > 0:
            row, found = find(pairs, view, vector.features[position])
        is_new[offset] = not found and may_take
        if not found and not may_take:
            rows[offset] = NO_ROW
            continue
        rows[offset] = row
        pair = pairs[row]
        if not found:
            pair.feature = vector.features[position]
            pair.sum = 0.0
            pair.weight = 0.0
            pair.squares = 0.0
            table.used += 1
            mark(known, view, vector.features[position])
        before = np.float64(pair.sum)
        after = before + importance * np.float64(vector.values[position])
        pair.sum = min(max(after, -LARGEST), LARGEST)
        table.length += np.float64(pair.sum) ** 2 - before * before
        table.total += abs(np.float64(pair.sum)) - abs(before)


@kernel
def root_of(number):
    """With the number's sign."""
    root = np.sqrt(abs(number))
    return root if number > 0.0 else -root


@kernel
def is_comparable(known, length, label):
    """Whether anything is known of a label that an example of this length can be compared with."""
    if label >= len(known.tables) or not length > 0.0:
        return False
    table = known.tables[label]
    return table.room > 0 and table.length > 0.0 and table.total > 0.0


@kernel
def sums_of_few(known, vector, label, positions, sighted):
    """What compare() adds up: products with the centroid's sums, with their roots, squares and
    products with the regressor's weights, of the features that a label has."""
    view, product, roots, covered, score = view_of(known, known.tables[label]), 0.0, 0.0, 0.0, 0.0
    for place in range(np.uint64(sighted)):
        position = np.uint64(positions[place])
        row, found = find(known.pairs, view, vector.features[position])
        if found:
            value, pair = np.float64(vector.values[position]), known.pairs[row]
            product += np.float64(pair.sum) * value
            roots += root_of(np.float64(pair.sum)) * value
            covered += value * value
            score += np.float64(pair.weight) * value
    return product, roots, covered, score


@kernel
def sums_of_many(known, vector, label, positions, sighted, shared):
    """The same for long examples, in loops of which each is one over vectors."""
    rows, values, sums, weights = shared
    found = locate(known, vector, label, positions, sighted, rows)
    for place in range(np.uint64(found)):
        pair = known.pairs[np.uint64(rows[place])]
        values[place] = vector.values[np.uint64(positions[place])]
        sums[place] = pair.sum
        weights[place] = pair.weight
    product, score = dot(sums, values, found), dot(weights, values, found)
    for place in range(found):
        sums[place] = root_of(sums[place])
    return product, dot(sums, values, found), dot(values, values, found), score


@kernel
def compare(known, vector, length, label, positions, sighted, shared):
    """How an example of this length is like a label's centroid (cosine, cosine with its roots,
    coverage), and the score of the example by the label's regressor; see sighting."""
    if not is_comparable(known, length, label):
        return 0.0, 0.0, 0.0, 0.0
    table = known.tables[label]
    if vector.end - vector.begin > MOST_SIGHTED:
        product, roots, covered, score = sums_of_many(
            known, vector, label, positions, sighted, shared
        )
    else:
        product, roots, covered, score = sums_of_few(known, vector, label, positions, sighted)
    cosine = product / (length * np.sqrt(table.length))
    of_roots = roots / (length * np.sqrt(table.total))
    return (
        min(max(cosine, -1.0), 1.0),
        min(max(of_roots, -1.0), 1.0),
        min(covered / (length * length), 1.0),
        min(max(score, -LARGEST), LARGEST),
    )
