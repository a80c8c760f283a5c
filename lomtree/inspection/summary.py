"""What is in a model, as plain values; see tree_view for its tree."""

import os
from dataclasses import asdict, replace
from typing import Any

from lomtree.core.errors import LomtreeError
from lomtree.formats.reader import Reader
from lomtree.inspection.leaf_counts import leaf_counts_of_data, leaf_counts_of_model, shape_of
from lomtree.inspection.tree_view import TreeView
from lomtree.learners.tree.learner import TreeLearner
from lomtree.model.model import Model


def one_tree(model: Model, number: int) -> Model:
    """Of a model with several trees, one with the tree of this number alone."""
    trees = model.learner.members
    if number >= len(trees):
        count = len(trees)
        raise LomtreeError(f"there is no tree {number}: the first is 0, the last {count - 1}")
    return replace(model, learner=trees[number])


class Inspection:
    """Who is where in the tree is known from the model's own statistics, or from the examples of a
    reader that walk down it."""

    def __init__(self, path: str, model: Model, reader: Reader | None = None) -> None:
        self._path, self.model = path, model
        self._label_count = len(model.labels)
        self.source = "the model's statistics"
        self._view: TreeView | None = None
        learner = model.learner
        if isinstance(learner, TreeLearner):
            shape = shape_of(model)
            if reader:
                leaf_counts = leaf_counts_of_data(model, shape, reader)
                self._view = TreeView(model, shape, leaf_counts, from_model=False)
                self.source = ", ".join(reader.sources)
            else:
                self._view = TreeView(model, shape, leaf_counts_of_model(model, shape))
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
        return f"{self._path}: a model of {self.model.options.algorithm} has no tree"

    def summary(self, most: int) -> dict[str, Any]:
        """`most` is how many of the largest and of the most impure leaves are named."""
        model, view = self.model, self._view
        found: dict[str, Any] = {
            "model": self._path,
            "bytes": _size_of(self._path),
            "algorithm": model.options.algorithm,
            "predict_only": model.predict_only,
            "options": asdict(model.options),
            "examples": model.learner.examples,
            "read": model.position,
            "checkpoint_after": model.unfinished.done if model.unfinished else None,
            "labels": self._label_count,
            "format": model.format,
            "weights": model.learner.weights_summary(),
        }
        if view:
            found["tree"] = view.size(self._label_count)
            if view.counted:
                found["quality"] = {"source": self.source, **view.quality()}
                found["largest_leaves"] = view.largest_leaves(most)
                found["most_impure_leaves"] = view.most_impure_leaves(most)
        return found


def _size_of(path: str) -> int | None:
    """Of a file; a pipe's is not known any more."""
    return os.path.getsize(path) if os.path.isfile(path) else None
