"""What single features add to a label's signs, and what a label knows of them: for people."""

import numpy as np

from lomtree.examples.batch import Vector
from lomtree.jit.kernel import kernel
from lomtree.ranking.centroid import is_comparable, length_of, root_of
from lomtree.ranking.combination import CLOSENESS, COSINE, COVERAGE, NONE, REGRESSOR, ROOTS
from lomtree.ranking.exemplars import NO_HEAD, closeness, find_nearest, first_of
from lomtree.ranking.label_features import LabelFeatures, find, view_of
from lomtree.ranking.lookup import clear, fill, make_lookup
from lomtree.ranking.ranking import Scorer


@kernel
def _compared(known, vector, length, label, parts):
    """Write what each feature of an example of this length adds to each sign of a label to
    parts[sign, place]; see compare() in centroid."""
    if not is_comparable(known, length, label):
        return
    table = known.tables[label]
    view = view_of(known, table)
    for position in range(vector.begin, vector.end):
        row, found = find(known.pairs, view, vector.features[position])
        if found:
            value, place = np.float64(vector.values[position]), position - vector.begin
            pair = known.pairs[row]
            cosine = np.float64(pair.sum) * value / (length * np.sqrt(table.length))
            roots = root_of(np.float64(pair.sum)) * value / (length * np.sqrt(table.total))
            parts[COSINE, place] = cosine
            parts[ROOTS, place] = roots
            parts[COVERAGE, place] = value * value / (length * length)
            parts[REGRESSOR, place] = np.float64(pair.weight) * value


@kernel
def _compared_closely(exemplars, vector, length, label, lookup, parts):
    """The same of the closeness to the label's nearest exemplar: it is shared out as the cosine
    with that one is."""
    if not length > 0.0:
        return
    fill(lookup, vector, length)
    head, cosine = find_nearest(exemplars, label, lookup)
    clear(lookup)
    if head == NO_HEAD:
        return
    first = first_of(exemplars.items, head)
    for item in range(first, first + np.int64(exemplars.items[head].feature)):
        for position in range(vector.begin, vector.end):
            if vector.features[position] == exemplars.items[item].feature:
                product = exemplars.items[item].value * vector.values[position] / length
                parts[CLOSENESS, position - vector.begin] = product / cosine * closeness(cosine)


def contributions(scorer: Scorer, vector: Vector, label: int) -> np.ndarray:
    """What each feature of an example adds to each sign of a label: float64[signs, features]."""
    features, length = vector.end - vector.begin, float(length_of(vector))
    parts = np.zeros((NONE, features))
    _compared(scorer.known, vector, length, label, parts)
    _compared_closely(scorer.exemplars, vector, length, label, make_lookup(features), parts)
    return parts


def weights_of_label(known: LabelFeatures, label: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The features of a label in order, their weights in its regressor and their sums in its
    centroid; none where nothing is known of it."""
    if label >= len(known.tables):
        return np.zeros(0, np.uint32), np.zeros(0, np.float32), np.zeros(0, np.float32)
    start, room = int(known.tables[label]["start"]), int(known.tables[label]["room"])
    pairs = known.pairs[start : start + room]
    pairs = pairs[~np.isnan(pairs["sum"])]
    pairs = pairs[np.argsort(pairs["feature"])]
    return pairs["feature"], pairs["weight"], pairs["sum"]
