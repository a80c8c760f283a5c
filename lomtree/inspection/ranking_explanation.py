"""How the labels of one example are ranked, and which features put the best before the second."""

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np

from lomtree.inspection.explanation import OneExample
from lomtree.model.model import Model
from lomtree.ranking.combination import (
    CLOSENESS,
    COSINE,
    COVERAGE,
    MASS,
    NONE,
    REGRESSOR,
    ROOTS,
)

_FROM = {1: "trees", 2: "lists", 3: "both"}
_BY_FEATURE = {
    "cosine": COSINE,
    "roots": ROOTS,
    "coverage": COVERAGE,
    "regressor": REGRESSOR,
    "closeness": CLOSENESS,
}
_SIGNS = {"log_mass": MASS, **_BY_FEATURE}

Row = dict[str, Any]


def explain_line(model: Model, line: bytes, most: int) -> Row | None:
    """The same for a line of text."""
    if not model.learner.ranks:
        return None
    example = OneExample.of_line(model.learner, line, model.format, model.options.derived)
    return explain_ranking(model, example, most)


def explain_ranking(
    model: Model, example: OneExample, most: int, name: Callable[[int], Any] | None = None
) -> Row | None:
    """The `most` best candidates of an example and what they were compared by; None where there is
    no ranker. All of a model's trees count. `name` tells what a label is called, if not as text."""
    learner = model.learner
    if not learner.ranks:
        return None
    name_of = name or (lambda number: _text(model, number))
    candidates, count = learner.candidates(example.batch)
    weights = learner.scorer.weights
    order = np.argsort(-candidates.logits[:count], kind="stable").tolist()
    logits = [float(candidates.logits[place]) for place in order]
    largest = max([*logits, float(weights[NONE])])
    shares = [exp(logit - largest) for logit in [*logits, float(weights[NONE])]]
    rows = [
        {
            "label": name_of(int(candidates.labels[place])),
            "probability": share / sum(shares),
            "from": _FROM[int(candidates.found[place])],
            **{name: float(candidates.signs[place, sign]) for name, sign in _SIGNS.items()},
            "logit": logit,
        }
        for place, logit, share in zip(order, logits, shares, strict=False)
    ]
    labels = candidates.labels[order[:2]].tolist()
    return {
        "count": count,
        "weights": {name: float(weights[sign]) for name, sign in (_SIGNS | {"none": NONE}).items()},
        "candidates": rows[:most],
        "none": shares[-1] / sum(shares),
        "decided": _decided(model, example, rows, labels, most) if count > 1 else None,
    }


def _decided(model: Model, example: OneExample, rows: list[Row], labels: list, most: int) -> Row:
    """What the signs and the features add to the difference between the two best candidates."""
    learner, weights = model.learner, model.learner.scorer.weights
    first, second = rows[:2]
    ours, theirs = (learner.contributions(example.vector, label) for label in labels)
    added = (weights[:NONE, None] * (ours - theirs)).T
    features: list[Row] = [
        {
            "feature": name,
            "value": float(x),
            **{sign: float(parts[number]) for sign, number in _BY_FEATURE.items()},
            "sum": float(parts.sum()),
        }
        for name, x, parts in zip(example.names, example.vector.values, added, strict=True)
    ]
    features.sort(key=lambda row: (-abs(row["sum"]), row["feature"]))
    return {
        "first": first["label"],
        "second": second["label"],
        "margin": first["logit"] - second["logit"],
        **{
            name: float(weights[sign]) * (first[name] - second[name])
            for name, sign in _SIGNS.items()
        },
        "features": features[:most],
    }


def _text(model: Model, label: int) -> str:
    return model.labels.shown(label).decode("utf-8", "backslashreplace")
