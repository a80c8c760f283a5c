"""Why one example of Python's has its label."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lomtree.arrays.derived_rows import DerivedRows
from lomtree.arrays.dicts import chosen
from lomtree.arrays.names import FeatureNames
from lomtree.arrays.rows import Rows
from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.constants import BEAM, NO_LABEL
from lomtree.core.derivations import Derivations
from lomtree.estimator.engine import Engine
from lomtree.examples.batch import CONSTANT, Batch
from lomtree.formats.naming import names_in_line
from lomtree.formats.registry import sniff_format
from lomtree.inspection.explanation import Explanation, OneExample
from lomtree.inspection.ranking_explanation import explain_ranking


def explain_row(
    engine: Engine, rows_of: Callable[[Any], Rows], X: Any, top: int, columns: Any
) -> dict[str, Any]:
    if isinstance(X, str | bytes | Mapping):
        X = [X]
    elif isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind != "O":
        X = X.reshape(1, -1)
    rows = rows_of(X)
    if rows.count != 1:
        raise ValueError(f"X has {rows.count:,} examples: one is explained at a time.")
    names = _names(X, engine.names, columns, engine.model.options.derived)
    if isinstance(rows, DerivedRows):
        names = rows.names(names)
    with engine.lock:
        return _explanation(engine, next(rows.batches()), names, top)


def _explanation(engine: Engine, batch: Batch, names: dict[int, str], top: int) -> dict[str, Any]:
    learner, labels = engine.model.learner, engine.classes.labels
    example = OneExample(learner, batch, names)

    def label_of(number: int) -> Any:
        return None if number == NO_LABEL else labels[number]

    trees = learner.members if ALGORITHMS[engine.model.options.algorithm].has_tree else []
    number = int(learner.rank(batch, 1, BEAM, 1).labels[0, 0])
    return {
        "prediction": label_of(number),
        "paths": [_path(Explanation(tree, example), label_of, top) for tree in trees],
        "ranking": explain_ranking(engine.model, example, top, label_of),
    }


def _path(walk: Explanation, label_of: Callable[[int], Any], top: int) -> dict[str, Any]:
    steps = [
        {
            "node": node,
            "score": score,
            "side": "right" if walk.goes_right(node, goal) else "left",
            "features": walk.strongest(node, top),
        }
        for node, score, goal in walk.steps
    ]
    return {"steps": steps, "leaf": walk.leaf, "prediction": label_of(walk.prediction)}


def _names(X: Any, names: FeatureNames, columns: Any, derived: Derivations) -> dict[int, str]:
    """The names of the features of one example, as far as it has some."""
    found = {CONSTANT: "Constant"}
    first = X[0] if isinstance(X, list) else None
    if isinstance(first, str | bytes):
        line = first.encode("utf-8", "surrogateescape") if isinstance(first, str) else first
        format = sniff_format(line, "X")
        return found | (names_in_line(line, format, derived) if format else {})
    words: list[Any] = list(columns if columns is not None else getattr(X, "columns", []))
    if isinstance(first, Mapping):
        words = [chosen(name, v) if isinstance(v, str) else name for name, v in first.items()]
    elif words and hasattr(X, "iloc"):
        words += [f"{name}={X.iloc[0][name]}" for name in words]
    numbers = names.learn(words)
    return found | {numbers[word]: _name(word) for word in words}


def _name(word: Any) -> str:
    return "^".join(map(str, word)) if isinstance(word, tuple) else str(word)
