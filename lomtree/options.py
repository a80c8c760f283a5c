"""What a model is trained with; checked once, before any work starts."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from lomtree.errors import OptionError

ALGORITHMS = ("lomtree", "rtree", "filter", "oaa")
LOSSES = ("squared", "absolute", "logistic")
UPDATES = ("sgd", "adaptive")
SCALES = ("none", "max", "rms", "l2")
LARGEST_BITS = 31
LARGEST_FOREST = 64

# A model keeps what it was begun with; the rest may change when its training goes on.
FIXED_BY_MODEL = ("algorithm", "trees", "bits", "loss", "update", "scale", "tf_idf", "profiles")

# These shape a tree that grows where the examples go; the other algorithms have no such thing.
LOMTREE_ONLY = ("max_nodes", "nodes_per_class", "swap_resistance", "minority", "max_statistics")


def _option(default: Any, help: str, *short: str, choices: tuple[str, ...] = ()) -> Any:
    return field(default=default, metadata={"help": help, "short": short, "choices": choices})


@dataclass(frozen=True)
class Options:
    """The help of each is what the command line shows."""

    algorithm: str = _option(
        "lomtree",
        "The LOMtree, or a rival of the paper's: a random tree over the labels, the Filter tree, "
        "one-against-all (time linear in the labels).",
        choices=ALGORITHMS,
    )
    trees: int = _option(
        1, "So many trees, whose answers are summed; trained side by side. Not for oaa.", "-M"
    )
    bits: int = _option(26, "At most 2^BITS weights; the table grows as far as needed.", "-b")
    loss: str = _option("logistic", "What the regressors minimise.", choices=LOSSES)
    update: str = _option(
        "adaptive",
        "adaptive: a step size a weight; sgd: one for all.",
        choices=UPDATES,
    )
    scale: str = _option(
        "l2",
        "What values are divided by: nothing, the largest of their feature so far, the root mean "
        "square of their feature so far; l2: that, and then the length of their example.",
        choices=SCALES,
    )
    tf_idf: bool = _option(
        False, "Multiply values by the rarity of their feature: 1 + ln(examples / those with it)."
    )
    profiles: bool = _option(
        True,
        "Learn what the examples of each label look like, too: --beam errs less by it where labels "
        "have few examples. Not for oaa.",
    )
    learning_rate: float = _option(4.0, "Step size.", "-l")
    power_t: float = _option(
        0.5,
        "How fast steps shrink: the power of the squared gradients (adaptive) or of time (sgd).",
    )
    clip: float = _option(0.5, "The most that one example moves a score.")
    max_nodes: int = _option(0, "Internal nodes at most (the paper's T).", "-T")
    nodes_per_class: float = _option(
        4.0, "Without -T: T follows the labels seen so far, times this, minus 1."
    )
    classes: int = _option(0, "Prepare for so many labels; there may come more, or fewer.", "-k")
    swap_resistance: float = _option(
        4.0, "How much fuller a leaf must be than the emptiest one to take its place.", "-R"
    )
    minority: float = _option(
        0.1,
        "A leaf splits once labels other than its most frequent one have this share of it; with 0, "
        "the paper's rule, as soon as there is a second label.",
    )
    max_statistics: int = _option(
        2**26,
        "At most so many (node, label) statistics, 53 bytes each; where there would be more, "
        "those that matter least are forgotten.",
    )
    max_labels: int = _option(
        2**22, "A stream with more labels than this is taken for a mistake and stops the run."
    )
    holdout: float = _option(
        0.0,
        "Share of the examples kept for validation: the error on them is shown, and probabilities "
        "are fitted to them.",
    )
    seed: int = _option(
        0,
        "Decides which examples are held out, the order of the tree of rtree and filter, and how "
        "several trees differ.",
    )

    def check(self) -> None:
        """Raise OptionError with the reason, in words, if these options make no sense."""
        for name, bad, wanted in (
            ("algorithm", self.algorithm not in ALGORITHMS, "one of " + ", ".join(ALGORITHMS)),
            ("trees", not 1 <= self.trees <= LARGEST_FOREST, f"from 1 to {LARGEST_FOREST}"),
            ("trees", self.trees > 1 and self.algorithm == "oaa", "1 with --algorithm oaa"),
            ("bits", not 10 <= self.bits <= LARGEST_BITS, f"from 10 to {LARGEST_BITS}"),
            ("loss", self.loss not in LOSSES, "one of " + ", ".join(LOSSES)),
            ("update", self.update not in UPDATES, "one of " + ", ".join(UPDATES)),
            ("scale", self.scale not in SCALES, "one of " + ", ".join(SCALES)),
            ("learning_rate", not 0 < self.learning_rate <= 1e6, "above 0 and at most 1e6"),
            ("power_t", not 0 <= self.power_t <= 1, "from 0 to 1"),
            ("clip", not 0 < self.clip <= 1e6, "above 0 and at most 1e6"),
            ("max_nodes", not 0 <= self.max_nodes < 2**30, "from 0 to 2^30"),
            ("nodes_per_class", not 0 < self.nodes_per_class <= 1000, "above 0, at most 1000"),
            ("classes", not 0 <= self.classes < 2**30, "from 0 to 2^30"),
            ("swap_resistance", not 0 <= self.swap_resistance <= 1e9, "from 0 to 1e9"),
            ("minority", not 0 <= self.minority < 1, "from 0 to below 1"),
            ("max_statistics", not 100 <= self.max_statistics <= 2**30, "from 100 to 2^30"),
            ("max_labels", not 1 <= self.max_labels <= 2**30, "from 1 to 2^30"),
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
