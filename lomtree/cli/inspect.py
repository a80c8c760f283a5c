"""lomtree inspect."""

import json
import os

import click

from lomtree.cli.options import command, model_option, require_stdout, say_compiling
from lomtree.inspection.tree_plot import MOST_LEVELS, check_picture, draw_tree
from lomtree.storage.purposes import Purpose
from lomtree.system.atomic_file import STANDARD
from lomtree.system.overwriting import refuse_overwriting


@command(
    epilog="  lomtree inspect model.lom\n"
    "  lomtree inspect model.lom --tree --levels 3\n"
    "  lomtree inspect model.lom --path '|words what is my balance'\n"
    "  lomtree inspect model.lom --data test.vw.gz --plot tree.svg"
)
@click.argument("model", metavar="[MODEL]", required=False)
@model_option(required=False)
@click.option(
    "--data",
    multiple=True,
    metavar="FILE",
    help="Count the examples of this file instead of the model's own.",
)
@click.option("--tree", is_flag=True, help="Show the top of the tree, a line for each node.")
@click.option(
    "--levels",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Number of levels to show; a picture folds what would not be legible.",
)
@click.option(
    "--depths", is_flag=True, help="Show how many leaves and examples there are at each depth."
)
@click.option(
    "--label", metavar="LABEL", help="Show the leaves of a label, and what it is confused with."
)
@click.option(
    "--path",
    "line",
    metavar="LINE",
    help="Explain the prediction for one example: its walk, and how its labels are ranked.",
)
@click.option("--plot", metavar="FILE", help="Draw the top of the tree: .svg or .png.")
@click.option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of leaves, labels, candidates or features to name.",
)
@click.option(
    "--nth",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Number of the tree to show, from 0; labels are ranked by all of them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for scripts.")
@click.option("--quiet", is_flag=True, help="Print nothing on stderr but errors.")
def inspect(
    model, model_path, data, tree, levels, depths, label, line, plot, top, nth, as_json, quiet
) -> None:
    """Show what is in MODEL: its size, its tree, and how well the tree splits.

    J, alpha, beta and G are the paper's: the objective of a split (at most 1), its impurity, the
    share that goes right, and the entropy of the labels in the leaves.
    """
    require_stdout()
    if (model is None) == (model_path is None):
        raise click.UsageError("Name the model once: lomtree inspect MODEL, or -i MODEL.")
    path = model or model_path
    inputs = [("the model", path), *(("the data", file) for file in data)]
    refuse_overwriting([("standard output", STANDARD), ("--plot", plot)], inputs)
    if plot is not None:
        check_picture(plot)
    say_compiling(quiet)
    from lomtree.formats.reader import Reader
    from lomtree.inspection.ranking_explanation import explain_line
    from lomtree.inspection.summary import Inspection, one_tree
    from lomtree.model.model_file import read_model

    reader = Reader(list(data), labels_required=True) if data else None
    whole = read_model(path, Purpose.COUNT)
    shown = one_tree(whole, nth)
    inspection = Inspection(path, shown, reader)
    found: dict[str, object] = {}
    if tree:
        found["tree"] = inspection.view.top(levels)
    if depths:
        found["depths"] = inspection.view.depths()
    if label is not None:
        found["label"] = inspection.view.label(os.fsencode(label), top)
    if line is not None:
        found["path"] = inspection.view.path(os.fsencode(line), top)
        ranking = explain_line(whole, os.fsencode(line), top)
        found |= {} if ranking is None else {"ranking": ranking}
    if plot is not None:
        draw_tree(inspection.view.top(min(levels, MOST_LEVELS)), plot, inspection.title)
    elif not found:
        found["summary"] = inspection.summary(top)
    if found:
        _print_inspection(found, as_json)


def _print_inspection(found: dict, as_json: bool) -> None:
    from lomtree.inspection import text

    if as_json:
        click.echo(json.dumps(found, allow_nan=False))
        return
    for name, part in found.items():
        click.echo(getattr(text, f"{name}_text")(part), nl=False)
