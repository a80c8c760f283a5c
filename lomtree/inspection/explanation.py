"""How one example walks down a tree, and which of its features decide."""

from collections.abc import Mapping
from typing import Any

from lomtree.core.constants import NO_NODE
from lomtree.core.derivations import NOTHING, Derivations
from lomtree.core.errors import LomtreeError
from lomtree.examples.batch import Batch, Vector
from lomtree.formats.naming import names_in_line
from lomtree.formats.one_line import read_line
from lomtree.formats.registry import AUTO, FORMATS, Expected, same_features, sniff_format
from lomtree.learners.base import Learner
from lomtree.learners.tree.learner import TreeLearner


class OneExample:
    """The first example of a batch, scaled as a learner wants it: `vector` has the scaled values.
    `names` are those of its features, as far as they are known."""

    def __init__(self, learner: Learner, batch: Batch, names: Mapping[int, str]) -> None:
        self.batch, self._names = batch, names
        scaled = learner.scaler.outline(self.batch, 1)
        learner.scaler.apply(self.batch, 0, 1, scaled)
        count = int(self.batch.starts[1])
        features, values = self.batch.features[:count].copy(), scaled.values[:count].copy()
        self.vector = Vector(features, values, 0, count)

    @classmethod
    def of_line(
        cls,
        learner: Learner,
        line: bytes,
        trained: str | None = None,
        derived: Derivations = NOTHING,
    ) -> "OneExample":
        """A line of text with one example, in the format that the model was trained with, where
        that is known, with the derived features of that model."""
        by_itself = b"|" in line  # VW text, whatever the model was trained with
        if trained in FORMATS and FORMATS[trained].is_table and not by_itself:
            raise LomtreeError(
                "an example of a table is given as VW text: '| column:3 other=word |text words'"
            )
        format = sniff_format(line, "the line", Expected(trained=None if by_itself else trained))
        examples = read_line(line, format.name if format else AUTO, derived=derived)
        if examples.count != 1:
            raise LomtreeError("one line with one example is needed")
        assert format is not None
        if examples.batch.starts[1] == int(derived.constant) and format.name != trained:
            raise LomtreeError(f"the line has no features: is it {format.title}?")
        if trained is not None and not same_features(trained, format.name):
            title = FORMATS[trained].title if trained in FORMATS else trained
            raise LomtreeError(
                f"the line is {format.title}, but the model was trained with {title}"
            )
        return cls(learner, examples.batch, names_in_line(line, format, derived))

    @property
    def names(self) -> list[str]:
        """The names of its features; the number of one without a name."""
        return [self._names.get(feature, str(feature)) for feature in self.vector.features.tolist()]


class Explanation:
    """The steps of one example, each (node, score, where to); `leaf` is where it ends."""

    def __init__(self, learner: TreeLearner, example: OneExample) -> None:
        self._learner, self._example = learner, example
        vector = example.vector
        self.steps: list[tuple[int, float, int]] = []
        j = learner.root
        while learner.nodes["left"][j] != NO_NODE:
            h, goal = learner.step(j, vector)
            self.steps.append((j, h, goal))
            j = goal
        self.leaf = j

    @property
    def prediction(self) -> int:
        """The number of the leaf's label."""
        return int(self._learner.nodes["label"][self.leaf])

    def goes_right(self, node: int, goal: int) -> bool:
        return int(self._learner.nodes["right"][node]) == goal

    def strongest(self, node: int, most: int) -> list[dict[str, Any]]:
        """The features that weigh most in the score of a node."""
        vector, names = self._example.vector, self._example.names
        weights = self._learner.weights_at(node, vector.features)
        found: list[dict[str, Any]] = [
            {
                "feature": name,
                "value": float(x),
                "weight": float(w),
                "product": float(w) * float(x),
            }
            for name, x, w in zip(names, vector.values, weights, strict=True)
        ]
        found.sort(key=lambda row: (-abs(row["product"]), row["feature"]))
        return found[:most]
