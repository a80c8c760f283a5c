"""What a run of training has come to, for scripts."""

from math import log2
from typing import Any

from lomtree.model.model import Model
from lomtree.training.progress import Meter


def summary_of(model: Model, meter: Meter, skipped: int, target: str) -> dict[str, Any]:
    """Plain numbers and names, fit for JSON. The rate is that of this run; an error is None where
    no example was predicted before it was learned."""
    learner, labels = model.learner, len(model.labels)
    depths, probe = learner.depths(), learner.probe
    return {
        "model": target,
        "algorithm": model.options.algorithm,
        "format": model.format,
        "examples": meter.examples,
        "features": meter.features,
        "seconds": meter.seconds,
        "examples_per_second": meter.examples / max(meter.seconds, 1e-9),
        "progressive_error": meter.error if meter.examples else None,
        "ranked_error": probe.error if probe.examples else None,
        "ranked_examples": probe.examples,
        "labels": labels,
        "mean_depth": None if depths is None else depths.mean,
        "largest_depth": None if depths is None else depths.largest,
        "log2_labels": log2(max(labels, 1)),
        "skipped": skipped,
    }
