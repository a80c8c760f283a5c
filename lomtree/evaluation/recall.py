"""How often the right label is among those that were found: what no ranking can make up for."""

import numpy as np

from lomtree.examples.batch import Batch
from lomtree.learners.tree.recall import places_of_labels
from lomtree.model.model import Model
from lomtree.ranking.recall import CANDIDATES, LISTS, NOT_FOUND, TREES

BEST = (10, 20)  # labels of each finder that are looked at, beside all of them

_FINDERS = {"trees": TREES, "lists": LISTS, "candidates": CANDIDATES}
_TITLES = {
    "trees": "found by the trees",
    "lists": "voted for by lists",
    "candidates": "ranked candidates",
}


class Recall:
    """Of a model with trees; without a ranker they are the only finder."""

    def __init__(self, model: Model, beam: int) -> None:
        self._learner, self._beam = model.learner, beam
        self._examples = 0
        ranked = model.learner.ranker is not None
        self._finders = _FINDERS if ranked else {"trees": TREES}
        self._found = np.zeros((len(_FINDERS), len(BEST) + 1), np.int64)

    def add(self, batch: Batch, good: np.ndarray) -> None:
        """Count the examples in that are good; their labels have been looked up."""
        count = len(good)
        places = places_of_labels(self._learner, batch, count, self._beam)[good]
        self._examples += len(places)
        found = places != NOT_FOUND
        for column, best in enumerate(BEST):
            self._found[:, column] += (found & (places < best)).sum(axis=0)
        self._found[:, len(BEST)] += found.sum(axis=0)

    def table(self) -> dict[str, dict[str, float]]:
        """The share of the examples whose label each finder has among its best, and among all."""
        columns = [*map(str, BEST), "all"]
        return {
            name: dict(zip(columns, (self._found[finder] / self._examples).tolist(), strict=True))
            for name, finder in self._finders.items()
        }


def recall_lines(table: dict[str, dict[str, float]]) -> str:
    """The table for people."""
    text = "recall               " + "".join(f"   best {best}" for best in BEST) + "       all\n"
    for name, shares in table.items():
        text += f"{_TITLES[name]:20} " + "".join(f" {share:9.2%}" for share in shares.values())
        text = text.rstrip() + "\n"
    return text
