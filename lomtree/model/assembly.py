"""One model from parts that were trained apart: a top that leads to shards, for each tree.

The parts are models of their own, each with the labels that it has seen; in the whole they have one
numbering. Rankers become one (ranking/merging), and the scales are those of all examples.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.core.execution import ONE_CORE, Execution
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN, Reading
from lomtree.examples.label_index import LabelIndex
from lomtree.features.scaling import Scales, store_scales
from lomtree.learners.factory import learner_for
from lomtree.model.model import Model
from lomtree.ranking.combination import make_combination
from lomtree.ranking.merging import merge_rankers
from lomtree.ranking.ranker import has_ranker
from lomtree.storage.container import Arrays, at_once
from lomtree.storage.state_dict import StateDict

_NODE_LABELS = ("nodes.label", "leaf_labels.label")


class TreeParts(NamedTuple):
    """State dicts of models that predict."""

    top: StateDict
    shards: list[StateDict]


@dataclass
class Assembly:
    """`options` are those of the whole; the ranker is that of the first tree's shards."""

    options: Options
    scales: Scales
    trees: list[TreeParts]
    format: str | None = None
    reading: Reading = PLAIN
    position: int = 0

    def model(self, execution: Execution = ONE_CORE) -> Model:
        """ModelError if the parts make no whole."""
        labels = LabelIndex()
        labels.most = self.options.max_labels
        numbers = [
            [_numbers_in(labels, part) for part in (*tree.shards, tree.top)] for tree in self.trees
        ]
        wholes = []
        for tree, own in zip(self.trees, numbers, strict=True):
            whole = StateDict({}, {})
            parts = zip((tree.top, *tree.shards), (own[-1], *own[:-1]), strict=True)
            whole.add_trees([_part(part, number, len(labels)) for part, number in parts])
            wholes.append(whole)
        whole = wholes[0]
        if len(wholes) > 1:
            whole = StateDict({}, {})
            whole.add_trees(wholes)
        scales = StateDict({}, {})
        store_scales(self.scales, scales, predict_only=True)
        whole.header |= scales.header
        whole.arrays |= {name: at_once(array) for name, array in scales.arrays.items()}
        shards = self.trees[0].shards
        whole.arrays["combination.weights"] = make_combination().weights
        if has_ranker(self.options):
            arrays = [shard.arrays for shard in shards]
            whole.arrays |= merge_rankers(arrays, numbers[0][:-1])
        learner = learner_for(self.options).load(
            self.options, whole, len(labels), learning=False, execution=execution
        )
        return Model(
            self.options, labels, learner, self.position, True, None, self.format, self.reading
        )


def _numbers_in(labels: LabelIndex, part: StateDict) -> np.ndarray:
    """int32[]: for each label of a part, its number among all."""
    own = LabelIndex.from_arrays(part.arrays["labels.text"], part.arrays["labels.ends"])
    return labels.add_strings(own.strings)


def _part(part: StateDict, numbers: np.ndarray, label_count: int) -> StateDict:
    """The tree of a part, with the labels of all; whatever else its model had is left aside."""
    header = {name: part.header[name] for name in ("counts", "cells", "weights")}
    header["counts"] = {**header["counts"], "labels": label_count}
    arrays: Arrays = {
        name: array
        for name, array in part.arrays.items()
        if name.startswith(("nodes.", "weights.", "leaf_labels."))
    }
    with_none = np.append(numbers, np.int32(NO_LABEL))  # which is the last one's number, too
    for name in _NODE_LABELS:
        arrays[name] = with_none[arrays[name]]
    return StateDict(header, arrays)
