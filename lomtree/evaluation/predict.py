"""What a model predicts for examples of any source.

Without a Search a prediction is the paper's: that of the one leaf where a walk ends.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from lomtree.examples.examples import Examples
from lomtree.model.model import Model
from lomtree.ranking.ranking import Ranking
from lomtree.system.pipeline import ahead


class Search(NamedTuple):
    """Look at the best `beam` leaves of a tree, and name the `top` best labels. Where only labels
    are wanted the best one may be named at once (ranking/shortlist)."""

    beam: int
    top: int
    with_probabilities: bool = True


class Predicted(NamedTuple):
    """Examples with their predictions, one row an example."""

    examples: Examples
    labels: np.ndarray  # int32[count]
    effort: np.ndarray  # int32[count]: depths of the leaves or, after a search, regressors asked
    ranking: Ranking | None  # after a search


def predict_all(
    model: Model, source: Iterable[Examples], search: Search | None = None
) -> Iterator[Predicted]:
    """The arrays are filled anew for the next examples."""
    labels = depths = np.empty(0, np.int32)
    for examples in ahead(source):
        model.check(examples)
        batch, count = examples.batch, examples.count
        if search is not None:
            ranked = max(search.top, 2) if search.with_probabilities else search.top
            ranking = model.learner.rank(batch, count, search.beam, ranked).first(search.top)
            yield Predicted(examples, ranking.labels[:, 0].copy(), ranking.asked, ranking)
            continue
        if count > len(labels):
            labels, depths = np.empty((2, 2 * count), np.int32)
        model.learner.predict(batch, count, labels, depths)
        yield Predicted(examples, labels[:count], depths[:count], None)
