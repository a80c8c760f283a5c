"""All that a model has learned, as lines of text, after VW's readable models.

    name[label]:hash:weight:sum    in a label's regressor; the sum is that of its centroid
    name[node]:hash:weight         in a node's regressor, where examples that are given pass it
    cell:weight                    of the trees' table, if no examples are given

Without examples, names are left out: a hash tells no name.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields

import numpy as np

from lomtree import __version__
from lomtree.core.constants import NO_NODE
from lomtree.inspection.explanation import Explanation, OneExample
from lomtree.inspection.text_lines import TextLine
from lomtree.learners.tree.learner import TreeLearner
from lomtree.model.model import Model

Passed = dict[int, set[int]]  # the features that came to each node


def weight_lines(model: Model, examples: Iterable[TextLine] | None = None) -> Iterator[str]:
    """`examples` are lines of text in the model's format, whose features' names are told."""
    yield from _head(model)
    trees = [tree for tree in model.learner.members if isinstance(tree, TreeLearner)]
    for number, tree in enumerate(trees):
        yield f"tree {number}"
        yield from _tree(model, tree)
    if examples is None:
        yield from _weights_of_labels(model, {})
        for number, tree in enumerate(trees):
            yield f"weights of tree {number}"
            cells, weights = tree.cell_weights()
            pairs = zip(cells.tolist(), weights.tolist(), strict=True)
            yield from (f"{cell}:{weight:.7g}" for cell, weight in pairs)
        return
    names: dict[int, str] = {}
    passed: list[Passed] = [{} for _ in trees]
    for line in examples:
        with line.blamed():
            _learn_names(model, line.text, trees, names, passed)
    yield from _weights_of_labels(model, names)
    for number, tree in enumerate(trees):
        yield f"weights of tree {number}"
        yield from _weights_of_nodes(tree, names, passed[number])


def _head(model: Model) -> Iterator[str]:
    yield f"lomtree {__version__}"
    chosen = ((field.name, getattr(model.options, field.name)) for field in fields(model.options))
    yield "options " + " ".join(f"{name}={value}" for name, value in chosen)
    yield f"format {model.format}"
    yield f"examples {model.learner.examples}"
    yield f"labels {len(model.labels)}"
    yield from (f"label {number} {_label(model, number)}" for number in range(len(model.labels)))


def _label(model: Model, number: int) -> str:
    return model.labels.shown(number).decode("utf-8", "backslashreplace")


def _tree(model: Model, tree: TreeLearner) -> Iterator[str]:
    """Its nodes, those above before those below."""
    nodes, stack = tree.nodes, [tree.root]
    while stack:
        v = stack.pop()
        left, right, label = (int(nodes[name][v]) for name in ("left", "right", "label"))
        if left == NO_NODE:
            yield f"leaf {v} {_label(model, label) if label >= 0 else ''}".rstrip()
        else:
            yield f"node {v} left {left} right {right}"
            stack += [right, left]


def _learn_names(
    model: Model,
    line: bytes,
    trees: list[TreeLearner],
    names: dict[int, str],
    passed: list[Passed],
) -> None:
    """The names of an example's features, and the nodes where each of them is weighed."""
    example = OneExample.of_line(model.learner, line, model.format, model.options.derived)
    features = example.vector.features.tolist()
    names.update(zip(features, example.names, strict=True))
    for tree, weighed in zip(trees, passed, strict=True):
        for v, _, _ in Explanation(tree, example).steps:
            weighed.setdefault(v, set()).update(features)


def _weights_of_labels(model: Model, names: dict[int, str]) -> Iterator[str]:
    yield "weights of labels"
    for number in range(len(model.labels)):
        label = _label(model, number)
        columns = (column.tolist() for column in model.learner.label_weights(number))
        for feature, weight, total in zip(*columns, strict=True):
            if weight or total:
                name = names.get(feature, "")
                yield f"{name}[{label}]:{feature}:{weight:.7g}:{total:.7g}"


def _weights_of_nodes(tree: TreeLearner, names: dict[int, str], passed: Passed) -> Iterator[str]:
    for v in sorted(passed):
        features = sorted(passed[v])
        weights = tree.weights_at(v, np.array(features, np.uint32)).tolist()
        for feature, weight in zip(features, weights, strict=True):
            if weight:
                yield f"{names[feature]}[{v}]:{feature}:{weight:.7g}"
