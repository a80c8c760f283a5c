"""Centroids: an example becomes part of its label's, or is compared with one.

The centroid of a label is the sum of its examples. How much an example is like it is told by
  - their cosine,
  - the cosine with the roots of its sums, which counts features that came seldom for more,
  - and the coverage: the share of the example's squared length in features that the label has.
The regressor of a label is trained against other labels (see ranker). It has weights for the
features of the label's own examples alone: the others say nothing for it, and are counted for the
labels that have them.
"""

import numpy as np

from lomtree.jit.kernel import kernel
from lomtree.ranking.label_features import LARGEST, NO_ROW, find, make_rows, mark


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
    for position in range(vector.begin, vector.end):
        row, found, offset = np.int64(NO_ROW), False, position - vector.begin
        if table.room > 0:
            row, found = find(known, table, vector.features[position])
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
            mark(known, table, vector.features[position])
        before = np.float64(pair.sum)
        after = before + importance * np.float64(vector.values[position])
        pair.sum = min(max(after, -LARGEST), LARGEST)
        table.length += np.float64(pair.sum) ** 2 - before * before
        table.total += abs(np.float64(pair.sum)) - abs(before)


@kernel
def root_of(number):
    """With the number's sign."""
    return np.sqrt(number) if number > 0.0 else -np.sqrt(-number)


@kernel
def is_comparable(known, length, label):
    """Whether anything is known of a label that an example of this length can be compared with."""
    if label >= len(known.tables) or not length > 0.0:
        return False
    table = known.tables[label]
    return table.room > 0 and table.length > 0.0 and table.total > 0.0


@kernel
def compare(known, vector, length, label, positions, sighted):
    """How an example of this length is like a label's centroid (cosine, cosine with its roots,
    coverage), and the score of the example by the label's regressor; see sighting."""
    if not is_comparable(known, length, label):
        return 0.0, 0.0, 0.0, 0.0
    table, product, roots, covered, score = known.tables[label], 0.0, 0.0, 0.0, 0.0
    for place in range(sighted):
        position = positions[place]
        row, found = find(known, table, vector.features[position])
        if found:
            value, pair = np.float64(vector.values[position]), known.pairs[row]
            product += np.float64(pair.sum) * value
            roots += root_of(np.float64(pair.sum)) * value
            covered += value * value
            score += np.float64(pair.weight) * value
    cosine = product / (length * np.sqrt(table.length))
    of_roots = roots / (length * np.sqrt(table.total))
    return (
        min(max(cosine, -1.0), 1.0),
        min(max(of_roots, -1.0), 1.0),
        min(covered / (length * length), 1.0),
        min(max(score, -LARGEST), LARGEST),
    )
