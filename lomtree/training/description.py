"""The options of a run in words, for the person who started it."""

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.options import LARGEST_CLIP, Options, option_name, paper_defaults


def describe_clip(options: Options) -> str:
    return f"clip {options.clip:g}" if options.clip < LARGEST_CLIP else "no clip"


def describe_paper(options: Options) -> str:
    """What --paper has set, and what else of it the model keeps."""
    chosen = paper_defaults(options.algorithm)
    names = (name for name, value in chosen.items() if getattr(options, name) == value)
    sets = {"ranker": "--no-ranker", "clip": "no clip"}
    words = [
        sets.get(name, f"{option_name(name)} {str(chosen[name]).removesuffix('.0')}")
        for name in names
    ]
    words.append("no gradient is too small to count")
    if "min_impurity" in ALGORITHMS[options.algorithm].own_options:
        words.append("the score after the update in m, whatever its size")
    walk = "; predict and test with --walk" if ALGORITHMS[options.algorithm].has_tree else ""
    return f"--paper: {', '.join(words)}{walk}\n"


def describe_trees(options: Options) -> str:
    """The algorithm, and what shapes its trees."""
    words = [f"{options.trees} trees"] if options.trees > 1 else []
    words.append(options.algorithm)
    if "max_nodes" in ALGORITHMS[options.algorithm].own_options:
        words.append(
            f"{options.max_nodes} internal nodes at most"
            if options.max_nodes
            else f"{options.nodes_per_class:g} nodes a class"
        )
        words.append(f"swap resistance {options.swap_resistance:g}")
        words.append(f"minimum impurity {options.min_impurity:g}")
    return ", ".join(words)


def describe_settings(options: Options, passes: int) -> str:
    """What is learned, and how."""
    many = f"{passes} {'pass' if passes == 1 else 'passes'}"
    holdout = f", {options.holdout:g} held out (seed {options.seed})" if options.holdout else ""
    return (
        f"{describe_trees(options)}, up to 2^{options.bits} weights\n"
        f"{options.loss} loss, {options.update} update, scale {options.scale}, "
        f"learning rate {options.learning_rate:g}, "
        f"power {options.power_t:g}, {describe_clip(options)}, {many}{holdout}\n"
    )
