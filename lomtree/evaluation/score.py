"""How many predictions are right."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from lomtree.core.constants import NO_LABEL
from lomtree.evaluation.confusion import Confusions
from lomtree.evaluation.predict import Search, predict_all
from lomtree.evaluation.recall import Recall
from lomtree.evaluation.reliability import Reliability
from lomtree.examples.examples import Examples
from lomtree.model.model import Model

_LABELS_FOR_LOSS = 20  # of an example, that the log loss looks at


@dataclass
class Score:
    """How well a model does on labelled examples."""

    examples: int = 0
    errors: int = 0
    effort_sum: int = 0  # depths of the leaves or, after a search, regressors asked
    largest_effort: int = 0
    unknown: int = 0  # examples whose label the model never saw
    unknown_label: bytes = b""  # the first of these
    reliability: Reliability | None = None  # of the probabilities, after a search

    @property
    def error(self) -> float:
        return self.errors / self.examples if self.examples else 0.0

    @property
    def interval(self) -> float:
        """Half the width of the binomial symmetrical 95% interval that the paper's tables show."""
        if not self.examples:
            return 0.0
        return 1.96 * sqrt(self.error * (1 - self.error) / self.examples)

    @property
    def mean_effort(self) -> float:
        return self.effort_sum / self.examples if self.examples else 0.0


def score_examples(
    model: Model,
    source: Iterable[Examples],
    confusions: Confusions | None = None,
    search: Search | None = None,
    step: Callable[[], None] = lambda: None,
    recall: Recall | None = None,
) -> Score:
    """Compare predictions with labels; a label that training never saw is an error like any other.

    Which labels were taken for which is counted in `confusions`. With a Search the score has a
    Reliability, too; what was found before it was ranked is counted in `recall`. `step` is called
    now and then.
    """
    score = Score()
    if search is not None:
        score.reliability = Reliability(search.top)
        search = Search(search.beam, max(search.top, _LABELS_FOR_LOSS))
    for examples, predictions, effort, ranking in predict_all(model, source, search):
        step()
        labels, good = examples.batch.labels[: examples.count], examples.good
        model.labels.look_up_shown(examples.labels, examples.problems, labels)
        if score.reliability is not None and ranking is not None:
            score.reliability.add(ranking.only(good), labels[good])
        if recall is not None:
            recall.add(examples.batch, good)
        score.examples += int(good.sum())
        score.errors += int((predictions != labels)[good].sum())
        score.effort_sum += int(effort[good].sum())
        score.largest_effort = max(score.largest_effort, int(effort[good].max(initial=0)))
        unknown = np.flatnonzero(good & (labels == NO_LABEL))
        if len(unknown) and not score.unknown:
            score.unknown_label = examples.labels.word(int(unknown[0]))
        score.unknown += len(unknown)
        if confusions is not None:
            confusions.add(examples, predictions)
    return score
