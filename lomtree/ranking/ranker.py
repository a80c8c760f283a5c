"""The ranker learns: centroids, lists of labels by feature, exemplars, and regressors of labels."""

from typing import NamedTuple

import numpy as np

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.constants import NO_LABEL
from lomtree.core.options import Options
from lomtree.examples.batch import Batch, longest, vector_of
from lomtree.hashing.counter_rng import draw, uniform
from lomtree.jit.intrinsics import prefetch
from lomtree.jit.kernel import kernel
from lomtree.ranking import exemplars, label_features, label_lists
from lomtree.ranking.centroid import add_example, length_of
from lomtree.ranking.contenders import (
    keep_own_rows,
    make_contenders,
    sight_contenders,
    train_contenders,
)
from lomtree.ranking.eviction import EVICT_EVERY, evict, is_due, note_visit
from lomtree.ranking.exemplars import Exemplars, add_exemplar, make_exemplars
from lomtree.ranking.label_features import (
    NO_ROW,
    LabelFeatures,
    make_label_features,
)
from lomtree.ranking.label_lists import LabelLists, make_label_lists, note_label
from lomtree.ranking.rivals import RIVALS, add_voted, contend, keep_rivals
from lomtree.ranking.sighting import fetch, fetch_marks

VOTE_EVERY = 4  # examples, on average, for which the lists are asked
_VOTE, _LOT = 0, 3  # seeds


class RankerState(NamedTuple):
    """All that learning changes."""

    known: LabelFeatures
    lists: LabelLists
    exemplars: Exemplars
    rivals: np.ndarray  # int32[labels, RIVALS]; NO_LABEL where there are not so many
    counts: np.ndarray  # int64[2]: examples learned, also when eviction was last thought of


class Limits(NamedTuple):
    """How large tables may become; after how many examples it is looked whether they are full."""

    rows: int
    postings: int
    items: int
    evict_every: int


@kernel
def is_noted(examples):
    """Whether the lists are told of all features of a label's example, not only of those that are
    new to it: the more examples a centroid has, the less another one moves it."""
    return examples & (examples - 1) == 0


@kernel
def note_centroid(state, limits, scratch, vector, y):
    """Tell the lists what the label weighs the example's features now: their parts of a vector of
    length 1, even where sums of very different size have made the length wrong."""
    pairs, table = state.known.pairs, state.known.tables[y]
    if not table.length > 0.0:
        return
    length, whole = np.sqrt(table.length), is_noted(table.examples)
    for position in range(vector.begin, vector.end):
        row, is_new = (
            scratch.rows[0, position - vector.begin],
            scratch.is_new[position - vector.begin],
        )
        if row != NO_ROW and (whole or is_new):
            part = min(max(np.float64(pairs[row].sum) / length, -1.0), 1.0)
            feature, weight = vector.features[position], np.float32(part)
            note_label(state.lists, limits.postings, feature, y, weight, is_new)


@kernel
def learn_example(state, limits, scratch, batch, example, tree_rivals, mean_square, are_new):
    vector = vector_of(batch, example)
    y, importance = np.int64(batch.labels[example]), np.float64(batch.weights[example])
    scratch.labels[0] = y
    count = 1
    for place in range(RIVALS):
        count = contend(scratch, count, state.rivals[y, place])
    for tree in range(len(tree_rivals)):
        count = contend(scratch, count, tree_rivals[tree, example])
    sight_contenders(state.known, scratch, vector, 1, count)
    note_visit(state.known.tables[y], state.counts[0])
    add_example(state.known, limits.rows, vector, y, importance, scratch.rows[0], scratch.is_new)
    note_centroid(state, limits, scratch, vector, y)
    keep_own_rows(scratch, vector)
    if are_new:
        lot = np.float32(uniform(draw(_LOT, state.counts[0])))
        add_exemplar(state.exemplars, limits.items, vector, length_of(vector), y, lot)
    if draw(_VOTE, state.counts[0]) % np.uint64(VOTE_EVERY) == np.uint64(0):
        before, count = count, add_voted(state, scratch, vector, count)
        sight_contenders(state.known, scratch, vector, before, count)
    state.counts[0] += 1
    train_contenders(state.known, scratch, vector, count, importance, mean_square)
    keep_rivals(state, scratch, y, count)


@kernel
def fetch_coming(state, batch, tree_rivals, example, last):
    """Ask for what the next example will need: the pairs of its label, the marks of that one's
    rivals; and for what must be known to ask for those of the ones after it."""
    tables, rivals = state.known.tables, state.rivals
    if example + 3 < last and 0 <= batch.labels[example + 3] < len(rivals):
        prefetch(tables, batch.labels[example + 3])
        prefetch(rivals[batch.labels[example + 3]], 0)
    if example + 2 < last and 0 <= batch.labels[example + 2] < len(rivals):
        for place in range(RIVALS):
            fetch_table(tables, rivals[batch.labels[example + 2], place])
        for tree in range(len(tree_rivals)):
            fetch_table(tables, tree_rivals[tree, example + 2])
    if example + 1 >= last or not 0 <= batch.labels[example + 1] < len(rivals):
        return
    y, vector = batch.labels[example + 1], vector_of(batch, example + 1)
    fetch(state.known, vector, y)
    for place in range(RIVALS):
        if rivals[y, place] != NO_LABEL:
            fetch_marks(state.known, rivals[y, place])
    for tree in range(len(tree_rivals)):
        rival = tree_rivals[tree, example + 1]
        if rival != NO_LABEL:
            fetch_marks(state.known, rival)


@kernel
def fetch_table(tables, label):
    if 0 <= label < len(tables):
        prefetch(tables, label)


@kernel
def learn(state, limits, scratch, batch, tree_rivals, mean_squares, first, last, are_new):
    """Learn from the examples first:last; one without a label, or of importance 0, is not learned.
    They may become exemplars if they are new.

    Stops before an example for which there might not be room, or labels have to be evicted first;
    returns its number.
    """
    for example in range(first, last):
        y = batch.labels[example]
        if y < 0 or batch.weights[example] == 0.0:
            continue
        features = batch.starts[example + 1] - batch.starts[example]
        if (
            y >= len(state.rivals)
            or is_due(state, limits)
            or not label_features.has_room(state.known, y, features)
            or not label_lists.has_room(state.lists, limits.postings, features)
            or (are_new and not exemplars.has_room(state.exemplars, limits.items, y, features))
        ):
            return example
        fetch_coming(state, batch, tree_rivals, example, last)
        mean_square = mean_squares[example]
        learn_example(state, limits, scratch, batch, example, tree_rivals, mean_square, are_new)
    return last


class Ranker:
    """Learns from batches whose values are scaled."""

    def __init__(self, options: Options, state: RankerState | None = None) -> None:
        self._limits = Limits(
            label_features.most_rows(options),
            label_lists.most_postings(options),
            exemplars.most_items(options),
            EVICT_EVERY,
        )
        self.state = state or RankerState(
            make_label_features(),
            make_label_lists(),
            make_exemplars(0, exemplars.room_for(self._limits.items)),
            np.empty((0, RIVALS), np.int32),
            np.zeros(2, np.int64),
        )
        self._scratch = make_contenders(options.trees, 0)

    def learn(
        self,
        batch: Batch,
        tree_rivals: np.ndarray,
        mean_squares: np.ndarray,
        first: int,
        last: int,
        are_new: bool = True,
    ) -> None:
        """`tree_rivals` is int32[trees, examples]: a label for each, or NO_LABEL. Examples are new
        unless they were learned in an earlier pass."""
        wanted = longest(batch, first, last)
        if wanted > len(self._scratch.sizes):
            self._scratch = make_contenders(len(tree_rivals), 2 * wanted)
        while True:
            first = learn(
                self.state, self._limits, self._scratch, batch, tree_rivals, mean_squares,
                first, last, are_new,
            )  # fmt: skip
            if first == last:
                return
            if is_due(self.state, self._limits):
                self.state = evict(self.state)
            else:
                features = int(batch.starts[first + 1] - batch.starts[first])
                self._grow(int(batch.labels[first]), features)

    def _grow(self, label: int, features: int) -> None:
        known, lists, kept, rivals, counts = self.state
        known = label_features.grown(known, label, features)
        if not label_lists.has_room(lists, self._limits.postings, features):
            lists = label_lists.grown(lists, self._limits.postings, features)
        kept = exemplars.grown(kept, self._limits.items, label, features)
        if label >= len(rivals):
            more = np.full((2 * label + 2, RIVALS), NO_LABEL, np.int32)
            more[: len(rivals)] = rivals
            rivals = more
        self.state = RankerState(known, lists, kept, rivals, counts)


def has_ranker(options: Options) -> bool:
    """One-against-all has regressors of all labels, and needs none."""
    return options.ranker and ALGORITHMS[options.algorithm].has_ranker
