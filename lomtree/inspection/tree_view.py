"""A tree and who is where in it, as plain values for a person or a program."""

from math import isnan, log2
from typing import Any

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.core.errors import LomtreeError
from lomtree.core.printable import printable
from lomtree.inspection.explanation import Explanation, OneExample
from lomtree.inspection.leaf_counts import LeafCounts, Shape, tree_of
from lomtree.inspection.split_quality import measure, tree_entropy
from lomtree.learners.base import Depths
from lomtree.model.model import Model

_MEASURES = ("beta", "alpha", "J", "entropy")

Row = dict[str, Any]


def _number(value: float) -> float | None:
    return None if isnan(value) else float(value)


class TreeView:
    """`leaf_counts` is None where nobody counted: then there are no examples in the tree, and what
    would follow from them is None. `from_model` tells whether they are the model's own."""

    def __init__(
        self,
        model: Model,
        shape: Shape,
        leaf_counts: LeafCounts | None,
        from_model: bool = True,
    ) -> None:
        self._learner = tree_of(model)
        self._labels, self._format, self._shape = model.labels, model.format, shape
        self._derived = model.options.derived
        self._nodes, self._root = self._learner.nodes, self._learner.root
        self._from_model = from_model
        self.counted = leaf_counts is not None
        empty = LeafCounts(
            np.zeros(len(shape.leaves) + 1, np.int64), np.zeros(0, np.int64), np.zeros(0)
        )
        self._leaf_counts = leaf_counts or empty
        self._quality = measure(self._nodes, shape, self._leaf_counts)
        self._leaf_weights = self._quality.weight[shape.leaves]

    def size(self, label_count: int) -> Row:
        leaves, weights = self._shape.leaves, self._leaf_weights
        depths = self._depths()
        return {
            "nodes": len(self._nodes),
            "internal": len(self._nodes) - len(leaves),
            "leaves": len(leaves),
            "empty_leaves": int((weights == 0).sum()) if self.counted else None,
            "mean_depth": depths.mean,
            "mean_over": depths.mean_over,
            "largest_depth": depths.largest,
            "log2_labels": log2(max(label_count, 1)),
            "swaps": self._learner.swaps,
        }

    def _depths(self) -> Depths:
        """The learner's own, as training shows them, unless other examples were counted."""
        if self._from_model:
            return self._learner.depths()
        depth = self._shape.depth[self._shape.leaves]
        mean = np.average(depth, weights=self._leaf_weights)
        return Depths(float(mean), "examples", int(depth.max()))

    def quality(self) -> Row:
        """The paper's quantities of the whole tree; J, alpha and beta are means over the examples
        that came to each split."""
        quality = self._quality
        split = ~np.isnan(quality.J)
        weight = quality.weight[split]
        means = {
            f"mean_{name}": _number(np.average(getattr(quality, name)[split], weights=weight))
            if len(weight)
            else None
            for name in ("J", "alpha", "beta")
        }
        return {
            "examples": float(quality.weight[self._root]),
            "entropy_of_labels": float(quality.entropy[self._root]),
            "G": tree_entropy(self._shape, quality),
            **means,
        }

    def largest_leaves(self, most: int) -> list[Row]:
        return self._top_leaves(self._leaf_weights, most)

    def most_impure_leaves(self, most: int) -> list[Row]:
        """Those whose labels have the largest entropy; of equal ones the largest first."""
        entropy = self._quality.entropy[self._shape.leaves]
        order = np.lexsort((-self._leaf_weights, -entropy))[:most]
        return [self._leaf(int(place)) for place in order if entropy[place] > 0]

    def _top_leaves(self, measured: np.ndarray, most: int) -> list[Row]:
        order = np.argsort(-measured, kind="stable")[:most]
        return [self._leaf(int(place)) for place in order if measured[place] > 0]

    def _leaf(self, place: int) -> Row:
        """A leaf by its place from the left."""
        v = int(self._shape.leaves[place])
        counts, weight = self._label_counts(v), float(self._quality.weight[v])
        prediction = int(self._nodes["label"][v])
        return {
            "node": v,
            "depth": int(self._shape.depth[v]),
            "examples": weight,
            "labels": len(counts),
            "label": self._show(prediction),
            "label_share": counts.get(prediction, 0.0) / weight if weight else None,
            "entropy": float(self._quality.entropy[v]),
        }

    def _label_counts(self, v: int) -> dict[int, float]:
        """How many examples of each label came to a node."""
        starts = self._leaf_counts.starts
        rows = slice(starts[self._shape.begin[v]], starts[self._shape.end[v]])
        sums: dict[int, float] = {}
        pairs = zip(
            self._leaf_counts.label[rows].tolist(),
            self._leaf_counts.count[rows].tolist(),
            strict=True,
        )
        for label, count in pairs:
            sums[label] = sums.get(label, 0.0) + count
        return sums

    def top(self, levels: int) -> list[Row]:
        """The nodes of the top levels, each before what is below it, from left to right."""
        rows: list[Row] = []
        stack = [(self._root, "root")]
        while stack:
            v, side = stack.pop()
            left, right = int(self._nodes["left"][v]), int(self._nodes["right"][v])
            folded = left != NO_NODE and int(self._shape.depth[v]) >= levels
            rows.append(self._node(v, side, folded))
            if left != NO_NODE and not folded:
                stack += [(right, "right"), (left, "left")]
        return rows

    def _node(self, v: int, side: str, folded: bool) -> Row:
        counts, weight = self._label_counts(v), float(self._quality.weight[v])
        label, share = int(self._nodes["label"][v]), None
        if counts:
            label = max(counts, key=lambda number: (counts[number], -number))
            share = counts[label] / weight
        measures = {name: _number(getattr(self._quality, name)[v]) for name in _MEASURES}
        return {
            "node": v,
            "depth": int(self._shape.depth[v]),
            "side": side,
            "examples": weight,
            **(measures if self.counted else dict.fromkeys(_MEASURES)),
            "label": self._show(label),
            "label_share": share,
            "labels": len(counts),
            "below": 2 * int(self._shape.end[v] - self._shape.begin[v]) - 2,
            "folded": folded,
        }

    def depths(self) -> list[Row]:
        """How many leaves, and how many examples in them, are at each depth."""
        depth = self._shape.depth[self._shape.leaves]
        leaves, examples = np.bincount(depth), np.bincount(depth, self._leaf_weights)
        return [
            {
                "depth": level,
                "leaves": int(leaves[level]),
                "examples": float(examples[level]) if self.counted else None,
            }
            for level in range(len(leaves))
        ]

    def label(self, text: bytes, most: int) -> Row:
        """Where a label lives, what is predicted for its examples, and for whom it is predicted."""
        number = self._labels.find_shown(text)
        if number == NO_LABEL:
            word = printable(text.decode("utf-8", "backslashreplace"), 40)
            raise LomtreeError(f"the model knows no label '{word}'")
        if not self.counted:
            raise LomtreeError("this model counts no labels in its leaves: give some with --data")
        leaf_counts, shape = self._leaf_counts, self._shape
        place = np.repeat(np.arange(len(shape.leaves)), np.diff(leaf_counts.starts))
        predictions = self._nodes["label"][shape.leaves[place]]
        its_own, predicted = leaf_counts.label == number, predictions == number
        leaves = [
            self._leaf(int(place[row])) | {"of_label": float(leaf_counts.count[row])}
            for row in np.flatnonzero(its_own)
        ]
        leaves.sort(key=lambda leaf: (-leaf["of_label"], leaf["node"]))
        lost, taken = its_own & ~predicted, predicted & ~its_own
        return {
            "label": self._show(number),
            "examples": float(leaf_counts.count[its_own].sum()),
            "leaf_count": len(leaves),
            "leaves": leaves[:most],
            "predicted_as": self._ranked(predictions[lost], leaf_counts.count[lost], most),
            "predicted_for": self._ranked(leaf_counts.label[taken], leaf_counts.count[taken], most),
        }

    def _ranked(self, labels: np.ndarray, counts: np.ndarray, most: int) -> list[Row]:
        sums: dict[int, float] = {}
        for label, count in zip(labels.tolist(), counts.tolist(), strict=True):
            sums[label] = sums.get(label, 0.0) + count
        order = sorted(sums, key=lambda label: (-sums[label], label))[:most]
        return [{"label": self._show(label), "examples": sums[label]} for label in order]

    def path(self, line: bytes, most: int) -> Row:
        """The way of one example, and the features that weigh most on it."""
        example = OneExample.of_line(self._learner, line, self._format, self._derived)
        walk = Explanation(self._learner, example)
        steps = [
            {
                "node": v,
                "score": h,
                "side": "right" if self._nodes["right"][v] == goal else "left",
                "J": _number(self._quality.J[v]),
                "features": walk.strongest(v, most),
            }
            for v, h, goal in walk.steps
        ]
        counts = self._label_counts(walk.leaf)
        labels, sums = np.array(list(counts), np.int64), np.array(list(counts.values()))
        return {
            "prediction": self._show(int(self._nodes["label"][walk.leaf])),
            "steps": steps,
            "leaf": walk.leaf,
            "leaf_labels": self._ranked(labels, sums, most),
        }

    def _show(self, number: int) -> str:
        if number == NO_LABEL:
            return ""
        return self._labels.shown(number).decode("utf-8", "backslashreplace")
