"""Calibration: the power that masses are raised to (ranking/ranking.py), fitted to held-out data.

What was held out is nothing that the model has learned, so its predictions there are right as often
as they will be. Without held-out examples the power stays what was best on average.
"""

from collections.abc import Iterable

import numpy as np

from lomtree.examples.batch import Batch
from lomtree.learners.base import Learner

BEAM = 16
EXAMPLES = 2000  # enough for one number; the first ones are taken
LABELS = 64  # of an example: the others have next to no mass
POWERS = np.arange(5, 61) / 10
LEAST = 1e-6  # the probability of a label that was not found


def fit_inverse_temperature(learner: Learner, held_out: Iterable[Batch]) -> float | None:
    """The power with the smallest log loss; None without examples. How they are cut into batches
    must not matter, so sums are over all of them at once."""
    masses, found, examples = [np.empty((0, LABELS))], [np.empty((0, LABELS), np.bool_)], 0
    for batch in held_out:
        count = min(len(batch.labels), EXAMPLES - examples)
        ranking = learner.rank(batch, count, BEAM, LABELS, power=1.0)
        masses.append(ranking.probabilities.astype(np.float64))
        found.append(ranking.labels == batch.labels[:count, None])
        examples += count
    if examples == 0:
        return None
    losses = [_log_loss(np.concatenate(masses) ** power, np.concatenate(found)) for power in POWERS]
    return float(POWERS[np.argmin(losses)])


def _log_loss(masses: np.ndarray, found: np.ndarray) -> float:
    probabilities = (masses * found).sum(axis=1) / np.maximum(masses.sum(axis=1), LEAST)
    return -float(np.log(np.maximum(probabilities, LEAST)).sum())
