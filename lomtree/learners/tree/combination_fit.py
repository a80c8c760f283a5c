"""How a finished model ranks, learned from examples that it has not learned.

A model that still learns becomes another one, so what its probes have told fades. One that is
finished stays as it is: all examples count alike. There must be thousands of them: few are ranked
wrong, and only those tell how much each sign should count.
"""

from lomtree.examples.batch import Batch
from lomtree.learners.base import Learner
from lomtree.learners.tree.learner import CHUNK, Finder
from lomtree.system.pipeline import ahead

_MEMORY = 1.0  # nothing fades


def fit_combination(learner: Learner, batch: Batch, count: int) -> None:
    """Learn from the first `count` examples of a batch. The learner has a tree or several; its
    probe is told how each example was ranked by what was learned from those before its chunk."""
    scaled = learner.scaler.outline(batch, count)
    learner.scaler.apply(batch, 0, count, scaled)
    trees, probe = learner.members, learner.probe
    finder = Finder(len(trees), CHUNK)
    chunks = [(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
    searches = (finder.search(trees, scaled, first, last) for first, last in chunks)
    for (first, last), found in zip(chunks, ahead(searches), strict=True):
        each = finder.compare_each(learner.scorer, scaled, first, last, found)
        for example, (candidates, held) in enumerate(each, first):
            y, importance = int(scaled.labels[example]), float(scaled.weights[example])
            if not importance > 0.0:
                continue
            probe.look(candidates, held, y, importance, learner.examples)
            probe.teach(learner.combination, candidates, held, y, importance, _MEMORY)
