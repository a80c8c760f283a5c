"""The Filter tree (Beygelzimer, Langford, Ravikumar: Error-correcting tournaments).

A node is a match between the winners of its two sides. An example trains it only if its label won
every match below: bottom-up along the label's path, until the label loses. So a regressor learns
from those examples that the matches below let through, for which alone its answer matters.
"""

from lomtree.compiled import kernel
from lomtree.label_tree import train_match


@kernel
def train_path(tree, weights, rule, scratch, batch, entry, depth):
    for level in range(depth - 1, -1, -1):
        if not train_match(tree, weights, rule, scratch, batch, entry, level):
            return
