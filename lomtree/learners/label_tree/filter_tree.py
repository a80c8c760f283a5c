"""The Filter tree (Beygelzimer, Langford, Ravikumar: Error-correcting tournaments).

A node is a match between the winners of its two sides. An example trains it only if its label won
every match below: bottom-up along the label's path, until the label loses. So a regressor learns
from those examples that the matches below let through, for which alone its verdict matters.
"""

from lomtree.jit.kernel import kernel
from lomtree.learners.label_tree.tree import train_match


@kernel
def train_path(state, rule, scratch, entry, depth):
    for level in range(depth - 1, -1, -1):
        if not train_match(state, rule, scratch, entry, level):
            return
