"""lomtree inspect."""

import json
import os

import click

from lomtree.cli_options import command, require_stdout, say_compiling
from lomtree.tree_plot import MOST_LEVELS, check_picture, draw_tree


@command(
    epilog="  lomtree inspect model.lom\n"
    "  lomtree inspect model.lom --tree --levels 3\n"
    "  lomtree inspect model.lom --path '|words what is my balance'\n"
    "  lomtree inspect model.lom --data test.vw.gz --plot tree.svg"
)
@click.argument("model_path", metavar="MODEL")
@click.option(
    "--data", multiple=True, metavar="FILE", help="Count these examples, not the model's."
)
@click.option("--tree", is_flag=True, help="The top of the tree, a line for each node.")
@click.option(
    "--levels",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="How much of it is shown; a picture folds what would not be legible.",
)
@click.option("--depths", is_flag=True, help="How many leaves and examples are how deep.")
@click.option("--label", metavar="LABEL", help="Where a label lives, and what it is confused with.")
@click.option("--path", "line", metavar="LINE", help="The way of one example, by its features.")
@click.option("--plot", metavar="FILE", help="Draw the top of the tree: .svg or .png.")
@click.option(
    "--top",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="How many leaves, labels or features are named.",
)
@click.option(
    "--nth",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Of several trees, show this one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for scripts.")
@click.option("--quiet", is_flag=True, help="Print nothing on stderr but errors.")
def inspect(
    model_path, data, tree, levels, depths, label, line, plot, top, nth, as_json, quiet
) -> None:
    """Show what is in MODEL: its size, its tree, and how well the tree splits.

    J, alpha, beta and G are the paper's: the objective of a split (at most 1), its impurity, the
    share that goes right, and the entropy of the labels in the leaves.
    """
    require_stdout()
    if plot is not None:
        check_picture(plot)
    say_compiling(quiet)
    from lomtree.inspection import Inspection, one_tree
    from lomtree.model_file import read_model
    from lomtree.reader import Reader

    reader = Reader(list(data), labels_required=True) if data else None
    model = one_tree(read_model(model_path, learning=False, counted=True), nth)
    inspection = Inspection(model_path, model, reader)
    found: dict[str, object] = {}
    if tree:
        found["tree"] = inspection.view.top(levels)
    if depths:
        found["depths"] = inspection.view.depths()
    if label is not None:
        found["label"] = inspection.view.label(os.fsencode(label), top)
    if line is not None:
        found["path"] = inspection.view.path(os.fsencode(line), top)
    if plot is not None:
        draw_tree(inspection.view.top(min(levels, MOST_LEVELS)), plot, inspection.title)
    elif not found:
        found["summary"] = inspection.summary(top)
    if found:
        _print_inspection(found, as_json)


def _print_inspection(found: dict, as_json: bool) -> None:
    from lomtree import inspection_text as text

    if as_json:
        click.echo(json.dumps(found, allow_nan=False))
        return
    for name, part in found.items():
        click.echo(getattr(text, f"{name}_text")(part), nl=False)
