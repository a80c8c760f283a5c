"""The Rtree: every node on the path of an example's label is trained towards the label's side."""

from lomtree.compiled import kernel
from lomtree.label_tree import train_match


@kernel
def train_path(tree, weights, rule, scratch, batch, entry, depth):
    for level in range(depth):
        train_match(tree, weights, rule, scratch, batch, entry, level)
