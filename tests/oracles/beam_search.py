"""Beam search, the shares of labels in leaves, and probabilities, slowly and obviously.

They work on the naive trees; nothing is shared with the package.
"""

import math
from collections import defaultdict
from dataclasses import replace

HOPELESS = 1e-2
FROM_TREES = 32  # candidates, and only those that have this share of what the best one has:
LEAST_MASS = 0.02
SMALLEST_MASS = 1e-3
THRESHOLD_SCORE = math.log(1 / 0.05 - 1)  # beyond it logistic gradients are too small to count


def stretch_of(loss):
    """What scores are multiplied by, to be read as those of the logistic loss."""
    return 1.0 if loss == "logistic" else THRESHOLD_SCORE


def has_a_label(tree, v):
    """Only trees over labels have sides where no label is yet."""
    return tree.saw(v) if hasattr(tree, "saw") else True


def by_leaves_alone(options):
    """These options, but nothing besides the leaves has a say in what the best labels are."""
    return replace(options, ranker=False)


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


def leaf_labels(tree, leaf):
    """{label: share} of a leaf: its weight by that of all that are kept and of one example more."""
    if hasattr(tree, "saw"):  # a tree over labels
        return {leaf.label: 1.0} if leaf.label in tree.seen else {}
    total = 1 + sum(float(weight) for _, weight in leaf.offers)
    return {label: float(weight) / total for label, weight in leaf.offers}


def rank(trees, features, values, width, mass_weight, none_logit):
    """{label: probability} over the best of all labels in the leaves that are found in the trees; a
    label's logit is the weighted logarithm of its mass, and that none of them is right has one,
    too."""
    masses = defaultdict(float)
    for tree in trees:
        for leaf, mass in search(tree, features, values, width)[0]:
            for label, part in leaf_labels(tree, leaf).items():
                masses[label] += mass * part
    total, largest = sum(masses.values()), max(masses.values(), default=0)
    best = sorted(masses, key=lambda label: -masses[label])[:FROM_TREES]
    chances = {
        label: max(masses[label] / total, SMALLEST_MASS) ** mass_weight
        for label in best
        if masses[label] >= LEAST_MASS * largest
    }
    total = sum(chances.values()) + math.exp(none_logit)
    return {label: chance / total for label, chance in chances.items()}
