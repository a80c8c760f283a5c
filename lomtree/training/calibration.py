"""Calibration on held-out examples, where there are some: a factor of all logits.

Without them probabilities hold as the combination of signs has learned from examples that were
ranked before they were learned (ranking/combination). After many passes that may be too timid or
too bold; what was held out is nothing that the model has learned, so it tells.
"""

from collections.abc import Iterable

import numpy as np

from lomtree.core.constants import BEAM
from lomtree.examples.batch import Batch
from lomtree.learners.base import Learner

EXAMPLES = 2000  # enough for one number; the first ones are taken
LABELS = 64  # of an example: the others have next to no probability
POWERS = np.arange(2, 41) / 10
LEAST = 1e-6  # the probability of a label that was not found


def fit_inverse_temperature(learner: Learner, held_out: Iterable[Batch]) -> float | None:
    """The factor with the smallest log loss; None without examples. How they are cut into batches
    must not matter, so sums are over all of them at once."""
    masses, found, examples = [np.empty((0, LABELS + 1))], [np.empty((0, LABELS), np.bool_)], 0
    for batch in held_out:
        count = min(len(batch.labels), EXAMPLES - examples)
        learner.inverse_temperature = 1.0
        ranking = learner.rank(batch, count, BEAM, LABELS)
        named = ranking.probabilities.astype(np.float64)
        others = np.maximum(1.0 - named.sum(axis=1, keepdims=True), 0.0)
        masses.append(np.hstack([named, others]))
        found.append(ranking.labels == batch.labels[:count, None])
        examples += count
    if examples == 0:
        return None
    losses = [_log_loss(np.concatenate(masses) ** power, np.concatenate(found)) for power in POWERS]
    return float(POWERS[np.argmin(losses)])


def _log_loss(masses: np.ndarray, found: np.ndarray) -> float:
    named = (masses[:, :LABELS] * found).sum(axis=1)
    probabilities = named / np.maximum(masses.sum(axis=1), LEAST)
    return -float(np.log(np.maximum(probabilities, LEAST)).sum())
