"""How one example walks down a tree, and which of its features decide."""

from typing import Any

import numpy as np

from lomtree.batch import CONSTANT
from lomtree.errors import LomtreeError
from lomtree.reader import Block, guess_format, read_line
from lomtree.regressor import score
from lomtree.structure import NONE
from lomtree.tree_learner import TreeLearner
from lomtree.walk import child
from lomtree.weights import GROUP, offset_of


def feature_names(line: bytes) -> dict[int, str]:
    """The features of a line by their hashes, named namespace^name as VW's audit does it.

    Each word is parsed by itself, so that it is hashed as the whole line was.
    """
    names = {CONSTANT: "Constant"}
    if guess_format(line) == "libsvm":
        for word in line.partition(b"#")[0].split()[1:]:
            index = word.partition(b":")[0]
            names[int(index[-10:])] = index.decode()  # what stands before 10 digits are zeros
        return names
    for part in line.strip(b"\r\n").replace(b"\t", b" ").split(b"|")[1:]:
        space, _, words = part.partition(b" ")
        for word in words.split():
            block = read_line(b"|" + space + b" " + word)
            for feature in block.batch.features[: block.batch.starts[1] - 1]:
                text = space.partition(b":")[0] + b"^" + word.partition(b":")[0]
                names[int(feature)] = text.decode("utf-8", "backslashreplace").removeprefix("^")
    return names


class Walk:
    """The steps of one example, each (node, score, where to); `leaf` is where it ends."""

    def __init__(self, learner: TreeLearner, line: bytes) -> None:
        block = read_line(line)
        if block.count != 1:
            raise LomtreeError("one line with one example is needed")
        if b"|" not in line and block.batch.starts[1] == 1:
            raise LomtreeError("the line has no features (in VW's text they stand behind a '|')")
        self._weights, self._names = learner.state.weights, feature_names(line)
        tree, self.features = learner.state.tree, _features_of(block)
        count = len(self.features)
        scaled = learner.scaler.outline(block.batch, 1)
        learner.scaler.apply(block.batch, 0, 1, scaled)
        self.x = scaled.values[:count]
        self.steps: list[tuple[int, float, int]] = []
        nodes, j = tree.nodes, int(tree.counts["root"][0])
        while nodes["left"][j] != NONE:
            place = int(nodes["place"][j])
            h = score(self._weights, place, self.features, 0, count, self.x)
            goal = child(nodes, j, h)
            self.steps.append((j, h, goal))
            j = goal
        self.leaf = j
        self._places = nodes["place"]

    def strongest(self, node: int, most: int) -> list[dict[str, Any]]:
        """The features that weigh most in the score of a node."""
        offset = offset_of(int(self._places[node]))
        mask = int(self._weights.size[0]) - 1
        slots = (self.features.astype(np.int64) * GROUP + offset) & mask
        weights = self._weights.table[slots, 0]
        found: list[dict[str, Any]] = [
            {"feature": self._name(feature), "value": float(x), "weight": float(w),
             "product": float(w) * float(x)}
            for feature, x, w in zip(self.features, self.x, weights, strict=True)
        ]  # fmt: skip
        found.sort(key=lambda row: (-abs(row["product"]), row["feature"]))
        return found[:most]

    def _name(self, feature: int) -> str:
        return self._names.get(int(feature), str(int(feature)))


def _features_of(block: Block) -> np.ndarray:
    return block.batch.features[: block.batch.starts[1]].copy()
