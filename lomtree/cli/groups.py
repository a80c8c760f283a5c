"""Which group of a command's help an option is in.

Options of training choose theirs where they are defined, in lomtree.core.options; those that only
the command line has are listed here, by the names of their parameters, and of their command where
that matters.
"""

from dataclasses import fields

from lomtree.core.options import (
    CLUSTER,
    FEATURES,
    HOW_LONG,
    MEMORY,
    REGRESSORS,
    TREE,
    WHAT,
    Options,
)

MODEL, INPUT, SEARCH, SHOWN, OUTPUT = "Model", "Input", "Search", "What is shown", "Output"
COLUMNS, OTHER = "Columns of tables", "Other"

# The order of the groups in a help page; what is in none of them, --help, comes last.
GROUPS = (
    MODEL, WHAT, HOW_LONG, TREE, REGRESSORS, FEATURES, SEARCH, SHOWN, INPUT, COLUMNS, MEMORY,
    CLUSTER, OUTPUT, OTHER,
)  # fmt: skip

# Of a command with many options, those that most people need.
FIRST = {
    "train": (
        "final_model", "initial_model", "passes", "trees", "holdout", "quadratic", "ngram",
        "algorithm", "bits", "quiet",
    ),
}  # fmt: skip

_OF_COMMANDS = {
    MODEL: ("model_path", "initial_model", "final_model"),
    HOW_LONG: ("passes", "save_every", "resume"),
    SEARCH: ("walk", "beam"),
    SHOWN: (
        "top", "probabilities", "recall", "by_label", "confusion", "rows", "tree", "levels",
        "depths", "inspect.label", "line", "paths", "nth",
    ),
    INPUT: ("data", "format", "on_error", "first_label"),
    COLUMNS: (
        "label", "text", "categorical", "tag", "importance", "drop", "no_header", "label_column",
        "text_column", "delimiter", "no_quotes",
    ),
    MEMORY: ("cache", "threads"),
    CLUSTER: ("workers", "scheduler", "scheduler_file", "sample", "scratch", "into"),
    OUTPUT: (
        "predictions", "predict_only", "progress", "plot", "weights", "as_json", "as_tsv",
        "target", "timings", "quiet",
    ),
}  # fmt: skip

GROUP_OF = {field.name: field.metadata["group"] for field in fields(Options)}
GROUP_OF |= {name: group for group, names in _OF_COMMANDS.items() for name in names}


def group_of(command: str, parameter: str) -> str:
    return GROUP_OF.get(f"{command}.{parameter}") or GROUP_OF.get(parameter) or OTHER
