"""What single features add to a label's signs, and what a label knows of them: for people."""

import numpy as np

from lomtree.jit.kernel import kernel
from lomtree.ranking.combination import COSINE, COVERAGE, REGRESSOR, ROOTS
from lomtree.ranking.label_features import LabelFeatures, find, is_comparable, root_of


@kernel
def contributions(known, vector, length, label, parts):
    """Write what each feature of an example of this length adds to each sign of a label to
    parts[sign, place]; see compare() in label_features."""
    parts[:] = 0.0
    if not is_comparable(known, length, label):
        return
    table = known.tables[label]
    for position in range(vector.begin, vector.end):
        row, found = find(known.pairs, table, vector.features[position])
        if found:
            value, place = np.float64(vector.values[position]), position - vector.begin
            pair = known.pairs[row]
            cosine = np.float64(pair.sum) * value / (length * np.sqrt(table.length))
            roots = root_of(np.float64(pair.sum)) * value / (length * np.sqrt(table.total))
            parts[COSINE, place] = cosine
            parts[ROOTS, place] = roots
            parts[COVERAGE, place] = value * value / (length * length)
            parts[REGRESSOR, place] = np.float64(pair.weight) * value


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
