"""Beam search, the shares of labels in leaves, and probabilities, slowly and obviously.

They work on the naive trees; nothing is shared with the package.
"""

import math
from collections import defaultdict
from dataclasses import replace

HOPELESS = 1e-4
MOST_LABELS = 32  # of a leaf
THRESHOLD_SCORE = math.log(1 / 0.05 - 1)  # beyond it logistic gradients are too small to count


def stretch_of(loss):
    """What scores are multiplied by, to be read as those of the logistic loss."""
    return 1.0 if loss == "logistic" else THRESHOLD_SCORE


def has_a_label(tree, v):
    """Only trees over labels have sides where no label is yet."""
    return tree.saw(v) if hasattr(tree, "saw") else True


def by_leaves_alone(options):
    """These options, but nothing besides the leaves has a say in what the best labels are."""
    return replace(options, centroids=False)


def search(tree, features, values, width):
    """([(leaf, probability)], the most probable first; how many regressors were asked)."""
    xs = tree.scales.scaled(features, values)
    stretch = stretch_of(tree.rule.loss)
    level, asked = [(tree.root, 1.0)], 0
    while any(not v.is_leaf for v, _ in level):
        below = []
        for v, mass in level:
            if v.is_leaf:
                below.append((v, mass))
                continue
            asked += 1
            score = float(v.h.score(features, xs))
            likely, other = (v.left, v.right) if score < 0 else (v.right, v.left)
            share = 1 / (1 + math.exp(-stretch * abs(score)))
            if not has_a_label(tree, likely):
                below.append((other, mass))
            elif not has_a_label(tree, other):
                below.append((likely, mass))
            else:
                below += [(likely, mass * share), (other, mass * (1 - share))]
        below.sort(key=lambda one: -one[1])
        level = [one for one in below[:width] if one[1] >= HOPELESS * below[0][1]]
    return level, asked


def share(tree, v, y):
    """Of label y in the node v: its frequency, where the parent's share counts as one example."""
    above = 0.0 if v is tree.root else share(tree, v.parent, y)
    return (v.l.get(y, 0.0) + above) / (sum(v.l.values()) + 1)


def leaf_labels(tree, leaf):
    """{label: share} of a leaf."""
    if hasattr(tree, "saw"):  # a tree over labels
        return {leaf.label: 1.0} if leaf.label in tree.seen else {}
    if leaf.label < 0:
        return {}
    shares = {y: share(tree, leaf, y) for y in leaf.l or [leaf.label]}
    best = sorted(shares, key=lambda y: (-shares[y], y))[:MOST_LABELS]
    return {y: shares[y] for y in best}


def rank(trees, features, values, width, inverse_temperature):
    """{label: probability} over all labels in the leaves that are found in the trees."""
    masses = defaultdict(float)
    for tree in trees:
        for leaf, mass in search(tree, features, values, width)[0]:
            for label, part in leaf_labels(tree, leaf).items():
                masses[label] += mass * part
    chances = {label: mass**inverse_temperature for label, mass in masses.items()}
    total = sum(chances.values())
    return {label: chance / total for label, chance in chances.items()}
