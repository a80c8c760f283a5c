"""What is in a model, as plain values; see tree_view for its tree."""

import os
from dataclasses import asdict, replace
from math import exp, log
from typing import Any

from lomtree.census import census_of_data, census_of_model, shape_of
from lomtree.errors import LomtreeError
from lomtree.forest import Forest
from lomtree.model import Model
from lomtree.oaa_learner import OaaLearner
from lomtree.reader import Reader
from lomtree.tree_learner import TreeLearner
from lomtree.tree_view import TreeView
from lomtree.weights import GROUP


def one_tree(model: Model, number: int) -> Model:
    """Of a model with several trees, one with the tree of this number alone."""
    trees = model.learner.trees if isinstance(model.learner, Forest) else [model.learner]
    if number >= len(trees):
        count = len(trees)
        raise LomtreeError(f"there is no tree {number}: the first is 0, the last {count - 1}")
    return replace(model, learner=trees[number])


class Inspection:
    """Who is where in the tree is known from the model's own statistics, or from the examples of a
    reader that walk down it."""

    def __init__(self, path: str, model: Model, reader: Reader | None = None) -> None:
        self._path, self._model = path, model
        self._label_count = len(model.labels)
        self.source = "the model's statistics"
        self._view: TreeView | None = None
        learner = model.learner
        if isinstance(learner, TreeLearner):
            shape = shape_of(model)
            census = census_of_model(model, shape)
            if reader:
                census = census_of_data(model, shape, reader)
                self.source = ", ".join(reader.sources)
            self._view = TreeView(learner, model.labels, shape, census)
        elif reader:
            raise LomtreeError(self._no_tree())

    @property
    def view(self) -> TreeView:
        """LomtreeError if there is no tree."""
        if self._view is None:
            raise LomtreeError(self._no_tree())
        return self._view

    @property
    def title(self) -> str:
        return f"{os.path.basename(self._path)}: {self._label_count:,} labels, by {self.source}"

    def _no_tree(self) -> str:
        return f"{self._path}: a model of {self._model.options.algorithm} has no tree"

    def summary(self, most: int) -> dict[str, Any]:
        """`most` is how many of the largest and of the most impure leaves are named."""
        model, view = self._model, self._view
        found: dict[str, Any] = {
            "model": self._path,
            "bytes": os.path.getsize(self._path),
            "algorithm": model.options.algorithm,
            "predict_only": model.predict_only,
            "options": asdict(model.options),
            "examples": model.learner.examples,
            "read": model.position,
            "checkpoint_after": model.unfinished.done if model.unfinished else None,
            "labels": self._label_count,
            "weights": self._weights(),
        }
        if view:
            found["tree"] = view.size(self._label_count)
            if view.counted:
                found["quality"] = {"source": self.source, **view.quality()}
                found["largest_leaves"] = view.largest_leaves(most)
                found["most_impure_leaves"] = view.most_impure_leaves(most)
        return found

    def _weights(self) -> dict[str, Any]:
        learner = self._model.learner
        if isinstance(learner, OaaLearner):
            rows, limit, labels = learner.state.table.size.tolist()
            return {"features": rows, "labels": labels, "full": rows == limit}
        slots, lines = learner.state.weights.size.tolist()
        load = lines * GROUP / slots
        return {"slots": slots, "load": load, "sharing": sharing(load)}


def sharing(load: float) -> float:
    """The share of the lines in use that belong to more than one feature, if hits are random.

    A share `load` of the lines in use means x = -ln(1 - load) hits a line on average, and of the
    lines that were hit x e^-x / (1 - e^-x) were hit once.
    """
    if not 0 < load < 1:
        return float(load >= 1)
    hits = -log(1 - load)
    return 1 - hits * exp(-hits) / load
