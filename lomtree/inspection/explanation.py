"""How one example walks down a tree, and which of its features decide."""

from typing import Any

from lomtree.core.constants import NO_NODE
from lomtree.core.errors import LomtreeError
from lomtree.examples.batch import Vector
from lomtree.formats.reader import read_line
from lomtree.formats.registry import AUTO, FORMATS, sniff_format
from lomtree.learners.tree.learner import TreeLearner


class Explanation:
    """The steps of one example, each (node, score, where to); `leaf` is where it ends.

    The example is a line of text in the format that the model was trained with, where that is
    known.
    """

    def __init__(self, learner: TreeLearner, line: bytes, trained: str | None = None) -> None:
        format = sniff_format(line, "the line")
        examples = read_line(line, format.name if format else AUTO)
        if examples.count != 1:
            raise LomtreeError("one line with one example is needed")
        batch = examples.batch
        assert format is not None
        if batch.starts[1] == 1 and format.name != trained:
            raise LomtreeError(f"the line has no features: is it {format.title}?")
        if trained not in (None, format.name):
            title = FORMATS[trained].title if trained in FORMATS else trained
            raise LomtreeError(
                f"the line is {format.title}, but the model was trained with {title}"
            )
        self._learner, self._names = learner, format.feature_names(line)
        scaled = learner.scaler.outline(batch, 1)
        learner.scaler.apply(batch, 0, 1, scaled)
        count = int(batch.starts[1])
        self.features, self.x = batch.features[:count].copy(), scaled.values[:count].copy()
        vector = Vector(self.features, self.x, 0, count)
        self.steps: list[tuple[int, float, int]] = []
        j = learner.root
        while learner.nodes["left"][j] != NO_NODE:
            h, goal = learner.step(j, vector)
            self.steps.append((j, h, goal))
            j = goal
        self.leaf = j

    def strongest(self, node: int, most: int) -> list[dict[str, Any]]:
        """The features that weigh most in the score of a node."""
        weights = self._learner.weights_at(node, self.features)
        found: list[dict[str, Any]] = [
            {
                "feature": self._names.get(int(feature), str(int(feature))),
                "value": float(x),
                "weight": float(w),
                "product": float(w) * float(x),
            }
            for feature, x, w in zip(self.features, self.x, weights, strict=True)
        ]
        found.sort(key=lambda row: (-abs(row["product"]), row["feature"]))
        return found[:most]
