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


def learner_for(algorithm: str) -> type[Learner]:
    module, name = _LEARNERS[algorithm]
    return getattr(import_module(f"lomtree.{module}"), name)


def new_learner(options: Options) -> Learner:
    return learner_for(options.algorithm)(options)
