"""lomtree inspect."""

import json
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from lomtree.cli.options import FILE, command, model_option, require_stdout, say_compiling
from lomtree.core.algorithms import ALGORITHMS
from lomtree.inspection.tree_layout import FEATURES, LEGIBLE_LEVELS
from lomtree.inspection.tree_plot import check_picture, draw_tree
from lomtree.storage.purposes import Purpose
from lomtree.system.atomic_file import STANDARD, check_writable, open_to_replace
from lomtree.system.overwriting import refuse_overwriting

if TYPE_CHECKING:
    from lomtree.inspection.summary import Inspection
    from lomtree.model.model import Model


@command(
    epilog="  lomtree inspect model.lom\n"
    "  lomtree inspect model.lom --tree --levels 3\n"
    "  lomtree inspect model.lom --path '|words what is my balance'\n"
    "  lomtree inspect model.lom --data test.vw.gz --plot tree.svg\n"
    "  lomtree inspect model.lom --weights weights.txt --data train.vw.gz"
)
@click.argument("model", type=FILE, metavar="[MODEL]", required=False)
@model_option(required=False)
@click.option(
    "--data",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="Count the examples of this file instead of the model's own.",
)
@click.option("--tree", is_flag=True, help="Show the top of the tree, a line for each node.")
@click.option(
    "--levels",
    type=click.IntRange(0),
    help="Number of levels to show below the root.  [default: 5, in a picture as many of them as "
    "are legible]",
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
@click.option(
    "--paths",
    type=FILE,
    metavar="FILE",
    help="Explain the prediction for every line of this file; '-' is standard input.",
)
@click.option(
    "--weights",
    type=FILE,
    metavar="FILE",
    help="Write all that was learned as text to this file, '-' is stdout; with --data, features "
    "have names.",
)
@click.option(
    "--plot",
    type=FILE,
    metavar="FILE",
    help="Draw the top of the tree: .svg or .png. With --data, features that decide are named.",
)
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
    model, model_path, data, tree, levels, depths, label, line, paths, weights, plot, top, nth,
    as_json, quiet,
) -> None:  # fmt: skip
    """Show what is in MODEL: its size, its tree, and how well the tree splits.

    J, alpha, beta and G are the paper's: the objective of a split (at most 1), its impurity, the
    share that goes right, and the entropy of the labels in the leaves.
    """
    require_stdout()
    if (model is None) == (model_path is None):
        raise click.UsageError("Name the model once: lomtree inspect MODEL, or -i MODEL.")
    path = model or model_path
    inputs = [("the model", path), *(("the data", file) for file in (*data, paths) if file)]
    outputs = [("standard output", STANDARD), ("--plot", plot)]
    refuse_overwriting([*outputs, ("--weights", weights if weights != STANDARD else None)], inputs)
    if plot is not None:
        check_picture(plot)
    if weights is not None:
        check_writable(weights)
    say_compiling(quiet)
    from lomtree.formats.reader import Reader
    from lomtree.inspection.summary import Inspection, one_tree
    from lomtree.inspection.text_lines import text_lines
    from lomtree.inspection.weights import weight_lines
    from lomtree.model.model_file import read_model

    whole = read_model(path, Purpose.COUNT)
    if weights is not None:
        _write_lines(weights, weight_lines(whole, text_lines(data) if data else None))
        data = ()  # it was read for the names
    reader = None
    if data:
        reader = Reader(
            list(data),
            labels_required=True,
            reading=whole.reading,
            trained=whole.format,
            derived=whole.options.derived,
        )
    inspection = Inspection(path, one_tree(whole, nth), reader)
    found: dict[str, object] = {}
    if tree:
        found["tree"] = inspection.view.top(LEGIBLE_LEVELS if levels is None else levels)
    if depths:
        found["depths"] = inspection.view.depths()
    if label is not None:
        found["label"] = inspection.view.label(os.fsencode(label), top)
    if line is not None:
        found |= _explained(whole, inspection, os.fsencode(line), top)
    if plot is not None:
        _draw(inspection, plot, levels, data)
    elif not (found or paths or weights):
        found["summary"] = inspection.summary(top)
    if found:
        _print_inspection(found, as_json)
    for text in text_lines([paths] if paths else []):
        with text.blamed():
            explained = _explained(whole, inspection, text.text, top)
        if not as_json:
            click.echo(text.text)
        _print_inspection(explained, as_json)


def _draw(inspection: "Inspection", path: str, levels: int | None, data: tuple[str, ...]) -> None:
    """With the names of features where there is text to find them in."""
    from lomtree.formats.registry import FORMATS
    from lomtree.inspection.deciding_features import deciding_features
    from lomtree.inspection.text_lines import text_lines

    rows = inspection.view.top(LEGIBLE_LEVELS if levels is None else levels)
    model = inspection.model
    is_text = model.format in FORMATS and not FORMATS[model.format].is_table
    if data and is_text and STANDARD not in data:  # a pipe has been read already
        nodes = [row["node"] for row in rows if row["below"]]
        named = deciding_features(model, text_lines(list(data)), nodes, FEATURES)
        rows = [row | {"features": named.get(row["node"])} for row in rows]
    draw_tree(rows, path, inspection.title, all_levels=levels is not None)


def _explained(model: "Model", inspection: "Inspection", line: bytes, top: int) -> dict:
    """Why an example is predicted as it is: by the walk and the ranking, or by scores."""
    from lomtree.inspection.ranking_explanation import explain_line
    from lomtree.inspection.score_explanation import explain_scores

    if not ALGORITHMS[model.options.algorithm].has_tree:
        return {"scores": explain_scores(model, line, top)}
    ranking = explain_line(model, line, top)
    return {
        "path": inspection.view.path(line, top),
        **({} if ranking is None else {"ranking": ranking}),
    }


def _write_lines(path: str, lines: Iterable[str]) -> None:
    with open_to_replace(path) as file:
        for line in lines:
            file.write(line.encode() + b"\n")


def _print_inspection(found: dict, as_json: bool) -> None:
    from lomtree.inspection import text

    if as_json:
        click.echo(json.dumps(found, allow_nan=False))
        return
    for name, part in found.items():
        click.echo(getattr(text, f"{name}_text")(part), nl=False)
