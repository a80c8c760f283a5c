"""Which features decide at the splits of a tree, by examples that come to them.

A model knows features by their hashes alone, so the names are those of the examples' text. What a
feature does at a split is its weight there times its value, summed over the examples.
"""

from collections.abc import Iterable
from itertools import islice

from lomtree.inspection.explanation import Explanation, OneExample
from lomtree.inspection.leaf_counts import tree_of
from lomtree.inspection.text_lines import TextLine
from lomtree.model.model import Model

EXAMPLES = 1000  # that are looked at
Sums = dict[str, float]


def deciding_features(
    model: Model, lines: Iterable[TextLine], nodes: Iterable[int], most: int
) -> dict[int, dict[str, list[str]]]:
    """By node: up to `most` names each that lead `left` and `right`, the strongest first."""
    learner = tree_of(model)
    sums: dict[int, Sums] = {node: {} for node in nodes}
    for line in islice(lines, EXAMPLES):
        with line.blamed():
            example = OneExample.of_line(learner, line.text, model.format, model.options.derived)
        for node, _score, _goal in Explanation(learner, example).steps:
            if node in sums:
                weights = learner.weights_at(node, example.vector.features)
                for name, x, w in zip(example.names, example.vector.values, weights, strict=True):
                    sums[node][name] = sums[node].get(name, 0.0) + float(x) * float(w)
    return {
        node: {"left": _strongest(found, -1.0, most), "right": _strongest(found, 1.0, most)}
        for node, found in sums.items()
        if found
    }


def _strongest(sums: Sums, sign: float, most: int) -> list[str]:
    named = [(-sign * total, name) for name, total in sums.items() if sign * total > 0.0]
    return [name for _, name in sorted(named)[:most]]
