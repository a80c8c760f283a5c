"""What single features add to a label's signs, and what a label knows of them: for people."""

import numpy as np

from lomtree.jit.kernel import kernel
from lomtree.ranking.label_features import LabelFeatures, find


@kernel
def contributions(known, vector, length, label, cosines, scores):
    """Write what each feature of an example of this length adds to its cosine with a label's
    centroid, and to its score by the label's regressor; see compare() in label_features."""
    for place in range(vector.end - vector.begin):
        cosines[place] = 0.0
        scores[place] = 0.0
    if label >= len(known.tables) or not length > 0.0:
        return
    table = known.tables[label]
    if table.room == 0 or not table.length > 0.0:
        return
    for position in range(vector.begin, vector.end):
        row, found = find(known.pairs, table, vector.features[position])
        if found:
            value, place = np.float64(vector.values[position]), position - vector.begin
            product = np.float64(known.pairs[row].sum) * value
            cosines[place] = product / (length * np.sqrt(table.length))
            scores[place] = np.float64(known.pairs[row].weight) * value


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
