"""Which features decide where there is no tree: what each adds to the scores of the best labels."""

from typing import Any

from lomtree.core.constants import BEAM
from lomtree.inspection.explanation import OneExample
from lomtree.model.model import Model

Row = dict[str, Any]


def explain_scores(model: Model, line: bytes, most: int) -> list[Row]:
    """The `most` best labels of an example, and the features that weigh most for each."""
    learner = model.learner
    example = OneExample.of_line(learner, line, model.format, model.options.derived)
    ranking = learner.rank(example.batch, 1, BEAM, most)
    found = zip(ranking.labels[0].tolist(), ranking.probabilities[0].tolist(), strict=True)
    return [
        {
            "label": model.labels.shown(label).decode("utf-8", "backslashreplace"),
            "probability": probability,
            "features": _features(model, example, label, most),
        }
        for label, probability in found
        if probability > 0
    ]


def _features(model: Model, example: OneExample, label: int, most: int) -> list[Row]:
    known, weights, _ = model.learner.label_weights(label)
    of = dict(zip(known.tolist(), weights.tolist(), strict=True))
    vector = example.vector
    rows: list[Row] = [
        {"feature": name, "value": value, "weight": weight, "product": weight * value}
        for name, feature, value in zip(
            example.names, vector.features.tolist(), vector.values.tolist(), strict=True
        )
        for weight in [of.get(feature, 0.0)]
    ]
    rows.sort(key=lambda row: (-abs(row["product"]), row["feature"]))
    return rows[:most]
