"""The learner behind an algorithm's name; only the one that is asked for is imported."""

from importlib import import_module

from lomtree.core.algorithms import ALGORITHMS
from lomtree.learners.base import Learner


def learner_of(algorithm: str) -> type[Learner]:
    module, _, name = ALGORITHMS[algorithm].learner.partition(":")
    return getattr(import_module(f"lomtree.learners.{module}"), name)
