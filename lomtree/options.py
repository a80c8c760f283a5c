"""What a model is trained with; checked once, before any work starts."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from lomtree.errors import OptionError

ALGORITHMS = ("lomtree", "rtree", "filter", "oaa")
LOSSES = ("squared", "absolute", "logistic")
UPDATES = ("sgd", "adaptive")
LARGEST_BITS = 31

# A model keeps what it was begun with; the rest may change when its training goes on.
FIXED_BY_MODEL = ("algorithm", "bits", "loss", "update")

# These shape a tree that grows where the examples go; the other algorithms have no such thing.
LOMTREE_ONLY = ("max_nodes", "nodes_per_class", "swap_resistance")


@dataclass(frozen=True)
class Options:
    algorithm: str = "lomtree"
    bits: int = 27  # the weight table grows up to 2^bits slots
    loss: str = "logistic"
    update: str = "adaptive"
    learning_rate: float = 4.0
    power_t: float = 0.5
    clip: float = 0.5  # the most that one example moves a score
    max_nodes: int = 0  # T; 0: nodes_per_class times the labels seen so far, minus 1
    nodes_per_class: float = 4.0
    classes: int = 0  # how many labels to prepare for; there may come more
    swap_resistance: float = 4.0
    holdout: float = 0.0
    seed: int = 0

    def check(self) -> None:
        """Raise OptionError with the reason, in words, if these options make no sense."""
        for name, bad, wanted in (
            ("algorithm", self.algorithm not in ALGORITHMS, "one of " + ", ".join(ALGORITHMS)),
            ("bits", not 10 <= self.bits <= LARGEST_BITS, f"from 10 to {LARGEST_BITS}"),
            ("loss", self.loss not in LOSSES, "one of " + ", ".join(LOSSES)),
            ("update", self.update not in UPDATES, "one of " + ", ".join(UPDATES)),
            ("learning_rate", not 0 < self.learning_rate <= 1e6, "above 0 and at most 1e6"),
            ("power_t", not 0 <= self.power_t <= 1, "from 0 to 1"),
            ("clip", not 0 < self.clip <= 1e6, "above 0 and at most 1e6"),
            ("max_nodes", not 0 <= self.max_nodes < 2**30, "from 0 to 2^30"),
            ("nodes_per_class", not 0 < self.nodes_per_class <= 1000, "above 0, at most 1000"),
            ("classes", not 0 <= self.classes < 2**30, "from 0 to 2^30"),
            ("swap_resistance", not 0 <= self.swap_resistance <= 1e9, "from 0 to 1e9"),
            ("holdout", not 0 <= self.holdout < 1, "at least 0 and below 1"),
            ("seed", not 0 <= self.seed < 2**63, "from 0 to 2^63 - 1"),
        ):
            if bad:
                option = "--" + name.replace("_", "-")
                raise OptionError(f"{option} must be {wanted}, not {getattr(self, name)}")


OPTION_NAMES = tuple(field.name for field in fields(Options))


def check_meaning(algorithm: str, given: Iterable[str]) -> None:
    """Raise OptionError if one of the options that were given has no meaning for an algorithm."""
    for name in given:
        if algorithm != "lomtree" and name in LOMTREE_ONLY:
            option = "--" + name.replace("_", "-")
            raise OptionError(f"{option} has no meaning for --algorithm {algorithm}")
