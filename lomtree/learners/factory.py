"""The learner for some options: that of their algorithm, one in shards, or an ensemble."""

from lomtree.core.execution import ONE_CORE, Execution
from lomtree.core.options import Options
from lomtree.learners.base import Learner
from lomtree.learners.registry import learner_of


def learner_for(options: Options) -> type[Learner]:
    if options.trees > 1:
        from lomtree.learners.ensemble import Ensemble  # which imports what all trees share

        return Ensemble
    if options.shards > 1:
        from lomtree.learners.sharded import ShardedTree

        return ShardedTree
    return learner_of(options.algorithm)


def new_learner(options: Options, execution: Execution = ONE_CORE) -> Learner:
    return learner_for(options)(options, execution)
