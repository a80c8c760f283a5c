"""Whether probabilities hold: of the predictions given with 0.8, are eight of ten right?"""

from typing import Any

import numpy as np

from lomtree.ranking.ranking import Ranking

BINS = 10
LEAST = 1e-6  # in the log loss: what a label counts that was not found, or hardly


class Reliability:
    """What rankings and the true labels say about each other."""

    def __init__(self, top: int) -> None:
        self.top = top
        self.examples = 0
        self._missed = 0  # examples whose label is not among the `top` best
        self._loss = 0.0
        self._counts = np.zeros(BINS, np.int64)  # by the probability of the prediction
        self._right = np.zeros(BINS, np.int64)
        self._promised = np.zeros(BINS)  # sums of these probabilities

    def add(self, ranking: Ranking, labels: np.ndarray) -> None:
        """Count examples in, with the numbers of their labels."""
        found = (ranking.labels == labels[:, None]) & (labels[:, None] >= 0)
        probability = ranking.probabilities.astype(np.float64)
        self.examples += len(labels)
        self._missed += int(len(labels) - found[:, : self.top].any(axis=1).sum())
        self._loss -= float(np.log(np.maximum((probability * found).sum(axis=1), LEAST)).sum())
        bins = np.minimum((probability[:, 0] * BINS).astype(np.int64), BINS - 1)
        self._counts += np.bincount(bins, minlength=BINS)
        self._right += np.bincount(bins[found[:, 0]], minlength=BINS)
        self._promised += np.bincount(bins, probability[:, 0], BINS)

    @property
    def error_at_top(self) -> float:
        return self._missed / self.examples

    @property
    def log_loss(self) -> float:
        """Mean, in nats; a label that was not found has probability LEAST."""
        return self._loss / self.examples

    @property
    def calibration_error(self) -> float:
        """Expected: how far probability and frequency are apart, mean over the examples."""
        return float(np.abs(self._promised - self._right).sum()) / self.examples

    def table(self) -> list[dict[str, Any]]:
        """Of every bin with examples: its bounds, the mean probability, the share that is right."""
        return [
            {
                "from": place / BINS,
                "to": (place + 1) / BINS,
                "examples": int(self._counts[place]),
                "probability": float(self._promised[place] / self._counts[place]),
                "right": float(self._right[place] / self._counts[place]),
            }
            for place in np.flatnonzero(self._counts).tolist()
        ]
