"""An inspection for a person: the plain values of inspection and tree_view as text."""

from collections.abc import Iterable, Iterator
from math import log2
from typing import Any

import click

from lomtree.core.algorithms import ALGORITHMS, options_of_others
from lomtree.core.derivations import DERIVATIONS
from lomtree.core.options import derivation_words
from lomtree.core.printable import printable

_BAR = 40  # characters
_SHOWN = 40  # of a label or a feature's name
_BY_FEATURE = {
    "cosine": "cosine",
    "roots": "cosine of roots",
    "coverage": "coverage",
    "regressor": "regressor",
    "closeness": "closeness",
}
_SIGNS = {"log_mass": "log mass", **_BY_FEATURE}

Row = dict[str, Any]


def _cut(text: str) -> str:
    return printable(text, _SHOWN)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _columns(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Lines of right-aligned columns; the last one, of text, is aligned left."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings) - 1)]
    for line in lines:
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=False)]
        yield "  ".join([*cells, line[-1]]).rstrip() + "\n"


def summary_text(found: Row) -> str:
    options = found["options"]
    lines = {
        "model": found["model"]
        + ("" if found["bytes"] is None else f", {found['bytes']:,} bytes")
        + (", for prediction only" if found["predict_only"] else ""),
        "algorithm": found["algorithm"],
        "options": ", ".join(f"{name} {value}" for name, value in _told(options)),
        "examples": f"{found['read']:,} read, {found['examples']:,} learned, passes counted",
        "labels": f"{found['labels']:,}",
        "weights": _weights(found["weights"]),
    }
    if words := derivation_words(options):
        lines["derived"] = words
    if found["checkpoint_after"]:
        after = f"{found['checkpoint_after']:,}"
        lines["unfinished"] = f"a checkpoint, after {after} examples of its run, passes counted"
    if "tree" in found:
        swaps = "swap_resistance" in ALGORITHMS[found["algorithm"]].own_options
        lines |= _tree_lines(found["tree"], swaps)
    if "quality" in found:
        lines |= _quality_lines(found["quality"])
    text = "".join(f"{name:12} {value}\n" for name, value in lines.items())
    for title in ("largest leaves", "most impure leaves"):
        leaves = found.get(title.replace(" ", "_"))
        if leaves:
            text += f"\n{title}\n" + "".join(_leaves(leaves))
    return text


def _told(options: Row) -> Iterator[tuple[str, Any]]:
    """The options that shape this algorithm's model."""
    others = options_of_others(options["algorithm"])
    for name, value in options.items():
        unset = name in ("max_nodes", "classes", "holdout") and not value
        if name not in ("algorithm", *DERIVATIONS, *others) and not unset:
            yield name.replace("_", "-"), value


def _weights(found: Row) -> str:
    if "features" in found:
        full = "; new features share rows" if found["full"] else ""
        return f"{found['features']:,} features times {found['labels']:,} labels{full}"
    return (
        f"2^{log2(found['cells']):.0f} weights, {found['load']:.1%} in use, "
        f"of these about {found['sharing']:.1%} by several features"
    )


def _tree_lines(tree: Row, swaps: bool) -> dict[str, str]:
    empty = "" if tree["empty_leaves"] is None else f" ({tree['empty_leaves']:,} empty)"
    return {
        "tree": f"{tree['nodes']:,} nodes: {tree['internal']:,} internal, "
        f"{tree['leaves']:,} leaves{empty}" + (f", {tree['swaps']:,} swaps" if swaps else ""),
        "depth": f"mean {tree['mean_depth']:.2f} over the {tree['mean_over']}, "
        f"largest {tree['largest_depth']}, log2(labels) {tree['log2_labels']:.2f}",
    }


def _quality_lines(quality: Row) -> dict[str, str]:
    lines = {
        "counted": f"{quality['examples']:,.0f} examples in the leaves, by {quality['source']}",
        "entropy": f"{quality['entropy_of_labels']:.4f} of the labels, "
        f"G = {quality['G']:.4f} in the leaves",
    }
    if quality["mean_J"] is not None:
        means = (f"{name} {quality[f'mean_{name}']:.4f}" for name in ("J", "alpha", "beta"))
        lines["splits"] = "mean " + ", ".join(means)
    return lines


def _leaves(leaves: list[Row]) -> Iterator[str]:
    headings = ("node", "depth", "examples", "labels", "entropy", "share", "label")
    yield from _columns(
        headings,
        (
            (
                str(leaf["node"]), str(leaf["depth"]), f"{leaf['examples']:,.0f}",
                f"{leaf['labels']:,}", f"{leaf['entropy']:.3f}", _share(leaf["label_share"]),
                _cut(leaf["label"]),
            )
            for leaf in leaves
        ),
    )  # fmt: skip


def tree_text(rows: list[Row]) -> str:
    return "".join(map(_tree_line, rows))


def _tree_line(row: Row) -> str:
    """One node: indented by its depth, coloured by its J."""
    name = {"root": "root", "left": "L", "right": "R"}[row["side"]]
    parts = [f"{'  ' * row['depth']}{name} {row['node']}"]
    if row["examples"]:
        parts.append(f"{row['examples']:,.0f} examples")
    if row["J"] is not None:
        measures = f"J {row['J']:.2f} alpha {row['alpha']:.2f} beta {row['beta']:.2f}"
        parts.append(click.style(measures, fg=_colour(row["J"])))
    if row["labels"] > 1:
        parts.append(f"{row['labels']:,} labels")
    if row["label"]:
        share = f" {row['label_share']:.0%}" if row["label_share"] is not None else ""
        parts.append(click.style(_cut(row["label"]), bold=True) + share)
    if row["folded"]:
        parts.append(f"({row['below']:,} nodes below)")
    return "  ".join(parts) + "\n"


def _colour(objective: float) -> str:
    return "green" if objective >= 0.5 else "yellow" if objective >= 0.2 else "red"


def depths_text(rows: list[Row]) -> str:
    """A histogram of the examples or, where nobody counted, of the leaves."""
    counted = all(row["examples"] is not None for row in rows)
    sizes = [row["examples"] if counted else row["leaves"] for row in rows]
    bars = ["#" * round(_BAR * size / (max(sizes) or 1)) for size in sizes]
    cells = (
        (
            str(row["depth"]),
            f"{row['leaves']:,}",
            f"{row['examples']:,.0f}" if counted else "",
            bar,
        )
        for row, bar in zip(rows, bars, strict=True)
    )
    return "".join(_columns(("depth", "leaves", "examples", ""), cells))


def label_text(found: Row) -> str:
    where = "one leaf" if found["leaf_count"] == 1 else f"{found['leaf_count']:,} leaves"
    text = f"{_cut(found['label'])}: {found['examples']:,.0f} examples in {where}\n\n"
    headings = ("node", "depth", "examples", "of the label", "prediction")
    text += "".join(
        _columns(
            headings,
            (
                (
                    str(leaf["node"]), str(leaf["depth"]), f"{leaf['examples']:,.0f}",
                    f"{leaf['of_label']:,.0f}", _cut(leaf["label"]),
                )
                for leaf in found["leaves"]
            ),
        )
    )  # fmt: skip
    for key, title in (
        ("predicted_as", "its examples are predicted as"),
        ("predicted_for", "it is predicted for examples of"),
    ):
        if found[key]:
            text += f"\n{title}\n" + _ranking(found[key])
    return text


def _ranking(rows: list[Row]) -> str:
    return "".join(f"{row['examples']:>10,.0f}  {_cut(row['label'])}\n" for row in rows)


def path_text(found: Row) -> str:
    text = ""
    for depth, step in enumerate(found["steps"]):
        measured = "" if step["J"] is None else f", J {step['J']:.2f}"
        text += f"{depth:3} node {step['node']}: score {step['score']:+.4f}, goes {step['side']}"
        text += f"{measured}\n" + _products(step["features"])
    text += f"{len(found['steps']):3} leaf {found['leaf']}: predicts {_cut(found['prediction'])}\n"
    return text + _ranking(found["leaf_labels"])


def _products(features: list[Row]) -> str:
    return "".join(
        f"      {row['product']:+9.4f} = {row['weight']:+.4f} * {row['value']:.4g}  "
        f"{_cut(row['feature'])}\n"
        for row in features
    )


def scores_text(found: list[Row]) -> str:
    return "".join(
        f"{row['probability']:.2%} {_cut(row['label'])}\n" + _products(row["features"])
        for row in found
    )


def ranking_text(found: Row) -> str:
    weights = found["weights"]
    told = ", ".join(f"{weights[sign]:.3g} times the {name}" for sign, name in _SIGNS.items())
    text = f"\n{found['count']} candidates; a logit is {told}\n"
    headings = ("probability", "logit", *_SIGNS.values(), "from", "label")
    rows = [
        (
            f"{row['probability']:.2%}", f"{row['logit']:+.4f}",
            *(f"{row[sign]:+.4f}" for sign in _SIGNS), row["from"], _cut(row["label"]),
        )
        for row in found["candidates"]
    ]  # fmt: skip
    blank = ("",) * (len(_SIGNS) + 1)
    none = (f"{found['none']:.2%}", f"{weights['none']:+.4f}", *blank, "none of these")
    text += "".join(_columns(headings, [*rows, none]))
    return text + ("" if found["decided"] is None else _decided(found["decided"]))


def _decided(found: Row) -> str:
    parts = ", ".join(f"{name} {found[sign]:+.4f}" for sign, name in _SIGNS.items())
    first, second = _cut(found["first"]), _cut(found["second"])
    text = f"\n{first} is before {second} by {found['margin']:.4f}: {parts}\n"
    headings = ("sum", *_BY_FEATURE.values(), "feature")
    rows = (
        (f"{row['sum']:+.4f}", *(f"{row[sign]:+.4f}" for sign in _BY_FEATURE), _cut(row["feature"]))
        for row in found["features"]
    )
    return text + "".join(_columns(headings, rows))
