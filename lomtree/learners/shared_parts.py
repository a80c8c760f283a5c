"""What a learner has beside its algorithm's own state, on its way to a file and back."""

from typing import NamedTuple

from lomtree.core.options import Options
from lomtree.features.scaling import Scales, check_scales, load_scales, store_scales
from lomtree.ranking.combination import Combination, load_combination, store_combination
from lomtree.ranking.ranker import Ranker, has_ranker
from lomtree.ranking.ranker_file import check_ranker, load_ranker, store_ranker
from lomtree.storage.purposes import FOR_RANKING
from lomtree.storage.state_dict import StateDict


class SharedParts(NamedTuple):
    scales: Scales
    ranker: Ranker | None
    combination: Combination


def store_shared(parts: SharedParts, state_dict: StateDict, predict_only: bool) -> None:
    if parts.ranker is not None:
        store_ranker(parts.ranker, state_dict, predict_only)
    store_scales(parts.scales, state_dict, predict_only)
    store_combination(parts.combination, state_dict, predict_only)


def load_shared(
    state_dict: StateDict, options: Options, label_count: int, learning: bool
) -> SharedParts:
    """ModelError if they are none."""
    ranker = None
    if _has_ranker(options, state_dict, learning):
        ranker = load_ranker(state_dict, options, label_count, learning)
    combination = load_combination(state_dict, learning)
    return SharedParts(load_scales(state_dict, options, learning), ranker, combination)


def check_shared(state_dict: StateDict, options: Options, label_count: int, learning: bool) -> None:
    """ModelError if load_shared() would raise one."""
    if _has_ranker(options, state_dict, learning):
        check_ranker(state_dict, options, label_count, learning)
    load_combination(state_dict, learning)
    check_scales(state_dict, options, learning)


def _has_ranker(options: Options, state_dict: StateDict, learning: bool) -> bool:
    """Whether a model has one, and it was read."""
    parts = [name for name in state_dict.arrays if name.startswith(FOR_RANKING)]
    return has_ranker(options) and (learning or bool(parts))
