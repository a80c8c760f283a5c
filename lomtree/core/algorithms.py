"""The algorithms there are, and what each of them has: the one place that compares their names.

Nothing is imported to know this; lomtree.learners.registry imports the learner that is asked for.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class AlgorithmSpec:
    """What the rest of the program may want to know of an algorithm without loading it."""

    name: str
    learner: str  # module:class of its Learner, below lomtree.learners
    own_options: tuple[str, ...] = ()  # training options that only this algorithm has
    has_tree: bool = True
    ensembles: bool = True  # whether --trees may be more than 1
    shards: bool = False  # whether its tree may be trained in shards
    has_ranker: bool = True  # whether a ranker chooses among the labels that it finds
    fixed_seed: bool = False  # whether the seed decides which tree it is, and so cannot change
    filtered: bool = False  # of trees over the labels: whether lost matches stop an example
    gradient_threshold: float = 0.05  # gradients up to this change nothing
    learning_rate: float = 4.0  # where none is given
    clip: float = 0.5  # where none is given


_LOMTREE_OPTIONS = (
    "max_nodes",
    "nodes_per_class",
    "swap_resistance",
    "min_impurity",
    "max_statistics",
)

ALGORITHMS = {
    spec.name: spec
    for spec in (
        AlgorithmSpec(
            "lomtree", "lom.learner:LomLearner", own_options=_LOMTREE_OPTIONS, shards=True
        ),
        AlgorithmSpec("rtree", "label_tree.learner:LabelTreeLearner", fixed_seed=True),
        AlgorithmSpec(
            "filter", "label_tree.learner:LabelTreeLearner", fixed_seed=True, filtered=True
        ),
        # Scores that are compared with each other need more precision than the side of a node.
        # Rate and clip were measured: those of the trees cost up to 8 points where labels are rare.
        AlgorithmSpec(
            "oaa",
            "oaa.learner:OaaLearner",
            has_tree=False,
            ensembles=False,
            has_ranker=False,
            gradient_threshold=0.001,
            learning_rate=2.0,
            clip=4.0,
        ),
    )
}


def options_of_others(algorithm: str) -> tuple[str, ...]:
    """The training options that have no meaning for an algorithm; none for an unknown one."""
    if algorithm not in ALGORITHMS:
        return ()
    own = ALGORITHMS[algorithm].own_options
    return tuple(
        option for spec in ALGORITHMS.values() for option in spec.own_options if option not in own
    )
