"""Which learner is behind which word; only the one that is asked for is imported."""

from importlib import import_module

from lomtree.learner import Learner
from lomtree.options import Options

_LEARNERS = {
    "lomtree": ("lom_learner", "LomLearner"),
    "rtree": ("label_tree_learner", "LabelTreeLearner"),
    "filter": ("label_tree_learner", "LabelTreeLearner"),
    "oaa": ("oaa_learner", "OaaLearner"),
}
_FOREST = ("forest", "Forest")


def learner_for(options: Options) -> type[Learner]:
    module, name = _LEARNERS[options.algorithm] if options.trees == 1 else _FOREST
    return getattr(import_module(f"lomtree.{module}"), name)


def new_learner(options: Options) -> Learner:
    return learner_for(options)(options)
