"""Examples by the batch through Algorithm 1, as long as there is room for them."""

import numpy as np

from lomtree.core.constants import NO_LABEL, NO_NODE
from lomtree.examples.batch import vector_of
from lomtree.jit.kernel import kernel
from lomtree.learners.lom.algorithm1 import learn_example
from lomtree.learners.lom.path_prefetch import prefetch_coming
from lomtree.learners.lom.statistics import has_room
from lomtree.learners.tree.walk import Router, walk_from
from lomtree.linear.hashed_weights import make_room


@kernel
def most_statistics(growth, more):
    """How many rows of statistics there may be, if one example takes up to `more` of them: evicting
    the others must make room for it, however deep the tree is."""
    return max(growth.max_statistics, 4 * more)


@kernel
def fits(state, settings, scratch, label):
    """Whether there is room in the tree and in the statistics for any example of this label."""
    counts = state.tree.counts[0]
    more = counts.depth + 2
    return (
        counts.nodes + 2 <= len(state.tree.nodes)
        and label < len(scratch.paths)
        and has_room(state.statistics, counts.rows, more)
        and counts.living + more <= most_statistics(settings.growth, more)
    )


@kernel
def rival_of(router, vector, y, prediction, other):
    """A label that this example could be taken for: the one predicted, if that was wrong, else what
    is predicted at `other`, the side of the least sure node where the example does not belong."""
    if prediction != y and prediction != NO_LABEL:
        return prediction
    if other == NO_NODE:
        return np.int32(NO_LABEL)
    leaf, _steps = walk_from(router, vector, other)
    label = router.tree.nodes[leaf].label
    return label if label != y else np.int32(NO_LABEL)


@kernel
def learn(state, settings, scratch, lesson, first, last):
    """Learn from the examples first:last; one without a label, or of importance 0, is not learned.

    Stops before an example for which there might not be room; returns its number.
    """
    batch, nodes, router = lesson.batch, state.tree.nodes, Router(state.tree, state.weights)
    for example in range(first, last):
        vector = vector_of(batch, example)
        rival = np.int32(NO_LABEL)
        if batch.labels[example] < 0 or batch.weights[example] == 0.0:
            leaf, depth = walk_from(router, vector, np.int64(state.tree.counts[0].root))
            prediction = nodes[leaf].label
        else:
            if not fits(state, settings, scratch, batch.labels[example]):
                return example
            make_room(state.weights)
            prefetch_coming(state, scratch.paths, batch, example, last)
            prediction, depth, other = learn_example(state, settings, scratch, lesson, example)
            if lesson.ranked:
                rival = rival_of(router, vector, batch.labels[example], prediction, other)
        lesson.predictions[example] = prediction
        lesson.depths[example] = depth
        lesson.rivals[0, example] = rival
    return last
