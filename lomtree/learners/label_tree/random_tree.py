"""The Rtree: every node on the path of an example's label is trained towards the label's side."""

from lomtree.jit.kernel import kernel
from lomtree.learners.label_tree.tree import train_match


@kernel
def train_path(state, rule, scratch, entry, depth):
    for level in range(depth):
        train_match(state, rule, scratch, entry, level)
