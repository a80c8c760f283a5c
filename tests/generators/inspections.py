"""What the tests of `inspect` share: options, names, and rows recomputed slowly."""

from collections import Counter

import pytest

from lomtree.formats.one_line import read_line

TREES = ("lomtree", "rtree", "filter")


def names_of(model) -> list[str]:
    return [label.decode("utf-8", "backslashreplace") for label in model.labels]


def close(found, expected) -> bool:
    return found == pytest.approx(expected, rel=1e-9, abs=1e-12)


ARGUMENTS = [(), ("-T", 7, "-R", 0.5), ("-T", 1), ("--update", "sgd"), ("--nodes-per-class", 1)]


def assert_rows(rows, tree, names, levels):
    nodes = [v for v in tree.order(tree.root) if tree.depth[v] <= levels]
    assert [row["node"] for row in rows] == nodes
    side = {pair[i]: ("left", "right")[i] for pair in tree.children.values() for i in range(2)}
    for row in rows:
        v = row["node"]
        labels, weight = tree.labels_at(v), tree.weight(v)
        assert (row["depth"], row["side"]) == (tree.depth[v], side.get(v, "root"))
        assert close(row["examples"], weight)
        expected = tree.measures(v)
        for name, value in expected.items():
            assert (row[name] is None) == (value is None)
            assert value is None or close(row[name], value)
        assert row["labels"] == len(labels)
        if labels:
            assert close(row["label_share"], max(labels.values()) / weight)
            assert close(labels[names.index(row["label"])], max(labels.values()))
        assert row["below"] == len(tree.order(v)) - 1
        assert row["folded"] == (v in tree.children and tree.depth[v] == levels)


def walked(lomtree, learner, model, text) -> dict:
    """{leaf: Counter}: where the examples go, walked by hand."""
    counts: dict = {}
    for line in text.splitlines():
        block = read_line(line)
        name = line.split()[0]
        number = model.labels.find(name)
        if number < 0:
            number = int(model.labels.add(name)[0])
        leaf = int(learner.find_leaves(block.batch, 1)[0])
        counts.setdefault(leaf, Counter())[number] += float(block.batch.weights[0])
    return counts
