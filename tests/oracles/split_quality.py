"""The paper's measures of a tree, slowly and obviously: from its definitions, not from the package.

A tree is {internal node: (left, right)} and its root; who is where is {leaf: {label: importance}}.
"""

import math

NO_LABEL = -1


def depths(children, v, depth=0):
    """{node: steps from the root}."""
    found = {v: depth}
    for child in children.get(v, ()):
        found |= depths(children, child, depth + 1)
    return found


def leaves_below(children, v):
    """From left to right; a leaf is below itself."""
    if v not in children:
        return [v]
    left, right = children[v]
    return leaves_below(children, left) + leaves_below(children, right)


def leaf_of(tree, features, values):
    """The leaf where an example ends in one of the naive trees. Trees over labels know which sides
    saw a label, and nothing goes to one that did not."""
    xs, v = tree.scales.scaled(features, values), tree.root
    while not v.is_leaf:
        side = v.left if v.h.score(features, xs) < 0 else v.right
        if hasattr(tree, "saw") and not tree.saw(side):
            side = v.other(side)
        v = side
    return v


def add(counts, label, weight):
    if weight > 0 and label != NO_LABEL:
        counts[label] = counts.get(label, 0.0) + float(weight)


def came(children, counts, v):
    """{label: importance} of the examples that came to v, in a leaf or on their way."""
    total = {}
    for leaf in leaves_below(children, v):
        for label, weight in counts.get(leaf, {}).items():
            add(total, label, weight)
    return total


def weight(labels):
    return math.fsum(labels.values())


def entropy(labels):
    """sum_i pi_i ln(1 / pi_i); 0 of nothing."""
    total = weight(labels)
    return math.fsum(count / total * math.log(total / count) for count in labels.values())


def split(children, counts, v):
    """(beta, alpha, J) of an internal node; None in a leaf and where nothing came."""
    labels = came(children, counts, v)
    if v not in children or not labels:
        return None
    right = came(children, counts, children[v][1])
    pi = {i: labels[i] / weight(labels) for i in labels}
    P = {i: right.get(i, 0.0) / labels[i] for i in labels}  # P(h(x) > 0 | i)
    beta = math.fsum(pi[i] * P[i] for i in labels)
    alpha = math.fsum(pi[i] * min(P[i], 1 - P[i]) for i in labels)
    J = 2 * math.fsum(pi[i] * abs(beta - P[i]) for i in labels)
    return beta, alpha, J


def G(children, counts, root):
    """sum over the leaves l of w_l times their entropy; 0 if nothing came."""
    total = weight(came(children, counts, root))
    leaves = [counts.get(leaf, {}) for leaf in leaves_below(children, root)]
    return math.fsum(weight(here) / total * entropy(here) for here in leaves if here)
