"""Which arrays of a model file are needed for what, by their names.

Each level needs what the ones before it need: to predict by a walk, to rank labels, to count who is
where in the tree; learning needs everything. An array of one of several trees is named 0/..., 1/...
"""

from collections.abc import Callable
from enum import Enum

FOR_PREDICTION = (
    "labels.", "leaf_labels.", "scales.", "rows.", "weights.where", "weights.w",
    "combination.weights", "totals",
)  # fmt: skip
PREDICTION_COLUMNS = ("left", "right", "label", "slot")  # of the nodes
FOR_RANKING = ("ranker.", "lists.", "exemplars.")
FOR_LEARNING_ALONE = (
    "weights.squares", "squares.", "tags.", "ranker.squares", "ranker.rivals", "ranker.examples",
    "lists.least", "exemplars.lot", "combination.curvature", "scales.count", "scales.squares",
    "scales.sum",
)  # fmt: skip


def within_tree(name: str) -> str:
    """The name without the number of its tree."""
    return name.rpartition("/")[2]


def _to_predict(name: str) -> bool:
    name = within_tree(name)
    needed = name.startswith(FOR_PREDICTION) and not name.startswith(FOR_LEARNING_ALONE)
    return needed or name.removeprefix("nodes.") in PREDICTION_COLUMNS


def _to_rank(name: str) -> bool:
    needed = name.startswith(FOR_RANKING) and not name.startswith(FOR_LEARNING_ALONE)
    return needed or _to_predict(name)


def _to_count(name: str) -> bool:
    return not within_tree(name).startswith(FOR_LEARNING_ALONE)


class Purpose(Enum):
    """What a model is read for."""

    PREDICT = "predict"
    RANK = "rank"
    COUNT = "count"
    LEARN = "learn"

    @property
    def needs(self) -> Callable[[str], bool]:
        """Whether the array of this name is needed."""
        return _NEEDS[self]


_NEEDS: dict[Purpose, Callable[[str], bool]] = {
    Purpose.PREDICT: _to_predict,
    Purpose.RANK: _to_rank,
    Purpose.COUNT: _to_count,
    Purpose.LEARN: lambda _name: True,
}
