"""What a model is trained with; there are no Options that make no sense."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from lomtree.core.algorithms import ALGORITHMS, AlgorithmSpec, options_of_others
from lomtree.core.constants import MOST_INTERNAL_NODES
from lomtree.core.derivations import DERIVATIONS, Derivations, read_derivations
from lomtree.core.errors import OptionError

LOSSES = ("squared", "absolute", "logistic")
UPDATES = ("sgd", "adaptive")
SCALES = ("none", "max", "rms", "l2", "auto")
LARGEST_BITS = 31
MOST_TREES = 64
MOST_SHARDS = 1024

# A model keeps what it was begun with; the rest may change when its training goes on.
FIXED_BY_MODEL = (
    *("algorithm", "trees", "shards", "bits", "loss", "update", "scale", "ranker", "paper"),
    *DERIVATIONS,
)


# What --paper sets where nothing else is asked for. The paper does not name its loss: its program,
# VW's --log_multi, has the quantile loss at 0.5, which is half the absolute loss, and
# one-against-all has VW's default, the squared loss. As in VW no step goes beyond the target: with
# the paper's step sizes nothing is learned otherwise. A clip this large is none, but keeps numbers
# finite.
LARGEST_CLIP = 1e6
PAPER: Mapping[str, Any] = {
    "loss": "absolute",
    "update": "sgd",
    "power_t": 0.0,
    "learning_rate": 0.5,
    "scale": "none",
    "clip": LARGEST_CLIP,
    "min_impurity": 0.0,
    "ranker": False,
}


# The groups that options are in where people read of them.
WHAT, HOW_LONG, TREE, REGRESSORS, FEATURES, MEMORY, CLUSTER = (
    "What to learn", "How long", "Tree", "Regressors", "Features", "Memory", "Many machines",
)  # fmt: skip


def _option(
    default: Any,
    help: str,
    *short: str,
    group: str,
    choices: tuple[str, ...] = (),
    shown: str | None = None,
) -> Any:
    """`short` are other names; `shown` is what stands for a value in the help."""
    described = {"help": help, "short": short, "choices": choices, "group": group, "shown": shown}
    return field(default=default, metadata=described)


def _list_option(shown: str, help: str, *short: str) -> Any:
    """One that may be given several times."""
    return _option((), help, *short, group=FEATURES, shown=shown)


def _own_option(name: str, help: str, *short: str, group: str) -> Any:
    """One whose default is the algorithm's own."""
    usual = getattr(AlgorithmSpec, name)
    values = {spec.name: getattr(spec, name) for spec in ALGORITHMS.values()}
    others = [f"{value:g} for {of}" for of, value in values.items() if value != usual]
    told = f"{help}  [default: {'; '.join([f'{usual:g}', *others])}]"
    return _option(None, told, *short, group=group)


def _may(algorithm: str, what: str) -> bool:
    return algorithm in ALGORITHMS and getattr(ALGORITHMS[algorithm], what)


@dataclass(frozen=True)
class Options:
    """The help of each is what the command line shows."""

    algorithm: str = _option(
        "lomtree",
        "The learner: lomtree; rtree, a random tree over the labels; filter, the Filter tree; or "
        "oaa, one-against-all, whose time is linear in the number of labels.",
        choices=tuple(ALGORITHMS),
        group=WHAT,
    )
    trees: int = _option(
        1, "Number of trees; their predictions are summed. Not for oaa.", "-M", group=WHAT
    )
    shards: int = _option(
        1,
        "Number of subtrees that workers train apart, below a top that is trained on a sample; "
        "with --workers or --scheduler.  [default: from the sample]",
        group=CLUSTER,
    )
    bits: int = _option(
        26, "Size of the weight table: it grows up to 2^BITS weights.", "-b", group=MEMORY
    )
    loss: str = _option(
        "logistic", "Loss that the regressors minimise.", choices=LOSSES, group=REGRESSORS
    )
    update: str = _option(
        "adaptive",
        "Update rule: adaptive has a step size for each weight, sgd one for all.",
        choices=UPDATES,
        group=REGRESSORS,
    )
    scale: str = _option(
        "auto",
        "Scaling of the values: none; max, by the largest value of the feature so far; rms, by the "
        "root mean square of the feature so far; l2, by rms and then by the example's length; "
        "auto, as l2 for features of every example, as tf-idf for words.",
        choices=SCALES,
        group=FEATURES,
    )
    ranker: bool = _option(
        True,
        "Also learn to find labels by their features, and to rank all labels found: centroids, "
        "lists of labels by feature, and a regressor for each label. Without it models are smaller "
        "and faster, with more errors. oaa has none.",
        group=WHAT,
    )
    paper: bool = _option(
        False,
        "Algorithm 1 of the paper and nothing else, trained by gradient descent with a constant "
        "step. Sets --loss absolute (oaa: squared), --update sgd, --power-t 0, --scale none, "
        "--min-impurity 0, --no-ranker, no clip and -l 0.5, unless you choose otherwise; -T and -R "
        "are yours.",
        group=WHAT,
    )
    quadratic: tuple[str, ...] = _list_option(
        "AB",
        "Add the products of each feature of the namespaces that begin with A with each of those "
        "that begin with B. ':' is any namespace, so -q :: adds all pairs.",
        "-q",
    )
    cubic: tuple[str, ...] = _list_option(
        "ABC", "Add the products of the features of three namespaces."
    )
    interactions: tuple[str, ...] = _list_option(
        "ABCD", "Add the products of the features of any number of namespaces, from 2 to 8."
    )
    ngram: tuple[str, ...] = _list_option(
        "[A]N",
        "Add word n-grams of 2 to N words, in all namespaces or in those that begin with A.",
        "--word-ngrams",
    )
    skips: tuple[str, ...] = _list_option(
        "[A]N", "Let the words of an n-gram have up to N others between them."
    )
    char_ngrams: tuple[str, ...] = _list_option(
        "MIN-MAX[A]",
        "Add the n-grams of MIN to MAX characters of each word, whose ends are marked; in all "
        "namespaces or in those that begin with A.",
    )
    char_marks: str = _option(
        "^$",
        "Marks of the beginning and the end of a word for --char-ngrams; '' is none, '<>' is "
        "fastText's.",
        group=FEATURES,
        shown="MARKS",
    )
    chars_only: bool = _option(
        False,
        "Leave out the words themselves where --char-ngrams takes their characters.",
        group=FEATURES,
    )
    keep: tuple[str, ...] = _list_option(
        "ABC", "Leave out all namespaces but those that begin with one of these letters."
    )
    ignore: tuple[str, ...] = _list_option(
        "ABC",
        "Leave out the namespaces that begin with one of these letters; --keep counts instead if "
        "both are given.",
    )
    ignore_linear: tuple[str, ...] = _list_option(
        "ABC",
        "Use the features of namespaces that begin with one of these letters in interactions only.",
    )
    noconstant: bool = _option(
        False, "Leave out the constant feature that every example has.", group=FEATURES
    )
    learning_rate: float = _own_option("learning_rate", "Step size.", "-l", group=REGRESSORS)
    power_t: float = _option(
        0.5,
        "Power by which steps shrink: of the sum of squared gradients (adaptive) or of time (sgd).",
        group=REGRESSORS,
    )
    clip: float = _own_option("clip", "Largest change of a score by one example.", group=REGRESSORS)
    max_nodes: int = _option(
        0, "Maximum number of internal nodes (the paper's T).", "-T", group=TREE
    )
    nodes_per_class: float = _option(
        4.0,
        "Without -T, T is this number times the labels seen so far, minus 1.",
        group=TREE,
    )
    classes: int = _option(
        0, "Expected number of labels; there may be more or fewer.", "-k", group=WHAT
    )
    swap_resistance: float = _option(
        4.0,
        "How much fuller than the smallest leaf a leaf must be to recycle it (the paper's R_S).",
        "-R",
        group=TREE,
    )
    min_impurity: float = _option(
        0.1,
        "Minimum impurity to split: the share of a leaf's examples that do not have its most "
        "frequent label. 0 is the paper's rule.",
        group=TREE,
    )
    max_statistics: int = _option(
        2**26,
        "Maximum number of (node, label) statistics, 53 bytes each; beyond it the least useful are "
        "evicted.",
        group=MEMORY,
    )
    max_labels: int = _option(
        2**22,
        "Maximum number of labels; a stream with more stops the run with an error.",
        group=MEMORY,
    )
    holdout: float = _option(
        0.0,
        "Share of the examples that are held out: their error is shown, and probabilities are "
        "calibrated on them.",
        group=HOW_LONG,
    )
    seed: int = _option(
        0,
        "Random seed: of the held-out examples, of the trees of rtree and filter, and of the "
        "differences between several trees.",
        group=WHAT,
    )

    def __post_init__(self) -> None:
        """OptionError with the reason, in words, if these options make no sense."""
        for name in ("learning_rate", "clip"):
            if getattr(self, name) is None:
                own = getattr(ALGORITHMS.get(self.algorithm, AlgorithmSpec), name)
                object.__setattr__(self, name, own)
        for name, bad, wanted in (
            ("algorithm", self.algorithm not in ALGORITHMS, "one of " + ", ".join(ALGORITHMS)),
            ("trees", not 1 <= self.trees <= MOST_TREES, f"from 1 to {MOST_TREES}"),
            (
                "trees",
                self.trees > 1 and not _may(self.algorithm, "ensembles"),
                "1 with this algorithm",
            ),
            ("trees", self.trees > 1 and self.paper, "1 with --paper, which draws no differences"),
            ("shards", not 1 <= self.shards <= MOST_SHARDS, f"from 1 to {MOST_SHARDS}"),
            (
                "shards",
                self.shards > 1 and not _may(self.algorithm, "shards"),
                "1 with this algorithm",
            ),
            ("bits", not 10 <= self.bits <= LARGEST_BITS, f"from 10 to {LARGEST_BITS}"),
            ("loss", self.loss not in LOSSES, "one of " + ", ".join(LOSSES)),
            ("update", self.update not in UPDATES, "one of " + ", ".join(UPDATES)),
            ("scale", self.scale not in SCALES, "one of " + ", ".join(SCALES)),
            ("learning_rate", not 0 < self.learning_rate <= 1e6, "above 0 and at most 1e6"),
            ("power_t", not 0 <= self.power_t <= 1, "from 0 to 1"),
            ("clip", not 0 < self.clip <= LARGEST_CLIP, "above 0 and at most 1e6"),
            ("max_nodes", not 0 <= self.max_nodes <= MOST_INTERNAL_NODES, "from 1 to 2^28 - 1"),
            ("nodes_per_class", not 0 < self.nodes_per_class <= 1000, "above 0, at most 1000"),
            ("classes", not 0 <= self.classes <= MOST_INTERNAL_NODES, "from 1 to 2^28 - 1"),
            ("swap_resistance", not 0 <= self.swap_resistance <= 1e9, "from 0 to 1e9"),
            ("min_impurity", not 0 <= self.min_impurity < 1, "from 0 to below 1"),
            ("max_statistics", not 1 <= self.max_statistics <= 2**30, "from 1 to 2^30"),
            ("max_labels", not 1 <= self.max_labels <= MOST_INTERNAL_NODES, "from 1 to 2^28 - 1"),
            ("holdout", not 0 <= self.holdout < 1, "at least 0 and below 1"),
            ("seed", not 0 <= self.seed < 2**63, "from 0 to 2^63 - 1"),
        ):
            if bad:
                value = getattr(self, name)
                raise OptionError(f"{option_name(name)} must be {wanted}, not {value}")
        if self.paper and self.ranker:
            raise OptionError("--paper and --ranker exclude each other")
        _ = self.derived

    @property
    def derivations(self) -> dict[str, Any]:
        """The options that say what is derived from the features of examples."""
        return {name: getattr(self, name) for name in DERIVATIONS}

    @cached_property
    def derived(self) -> Derivations:
        """What they come to; OptionError if that makes no sense."""
        return read_derivations(**self.derivations)


OPTION_NAMES = tuple(field.name for field in fields(Options))


def option_name(name: str) -> str:
    """As it is typed: max_nodes is --max-nodes."""
    return "--" + name.replace("_", "-")


def derivation_words(options: Mapping[str, Any]) -> str:
    """What is derived, as it is typed; empty if nothing is."""
    words: list[str] = []
    for name in DERIVATIONS:
        value, typed = options[name], option_name(name)
        if isinstance(value, tuple | list):
            words += [f"{typed} {one}" for one in value]
        elif value != getattr(Options, name):
            words.append(typed if value is True else f"{typed} '{value}'")
    return " ".join(words)


def paper_defaults(algorithm: str) -> dict[str, Any]:
    """What --paper sets for an algorithm where nothing else is given."""
    has_tree = algorithm in ALGORITHMS and ALGORITHMS[algorithm].has_tree
    others = options_of_others(algorithm)
    chosen = {name: value for name, value in PAPER.items() if name not in others}
    return chosen | ({} if has_tree else {"loss": "squared"})


def choose_options(given: Mapping[str, Any], before: Options | None = None) -> Options:
    """The options of a run: those given, else those of the model it goes on from, else the
    defaults. Raises OptionError."""
    chosen = {name: given[name] for name in OPTION_NAMES if given.get(name) is not None}
    if "nodes_per_class" in chosen:
        if "max_nodes" in chosen:
            raise OptionError("-T and --nodes-per-class exclude each other")
        chosen["max_nodes"] = 0
    algorithm = chosen.get("algorithm", before.algorithm if before else Options.algorithm)
    for name in options_of_others(algorithm):
        if given.get(name) is not None:
            raise OptionError(f"{option_name(name)} has no meaning for --algorithm {algorithm}")
    if before is None:
        return Options(**(paper_defaults(algorithm) if chosen.get("paper") else {}) | chosen)
    seed = ("seed",) if ALGORITHMS[before.algorithm].fixed_seed else ()
    for name in FIXED_BY_MODEL + seed:
        fixed = getattr(before, name)
        if chosen.get(name, fixed) != fixed:
            shown = fixed if type(fixed) is not tuple else " ".join(fixed) or "not given"
            raise OptionError(f"{option_name(name)} is {shown} in this model and cannot change")
    if "classes" in chosen:  # what was prepared stays
        chosen["classes"] = max(chosen["classes"], before.classes)
    return replace(before, **chosen)
