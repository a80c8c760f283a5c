"""lomtree test."""

import json

import click

from lomtree.cli_options import (
    command,
    input_options,
    model_options,
    read_model_to_answer,
    require_stdout,
)
from lomtree.errors import LomtreeError, OptionError
from lomtree.stopwatch import Clock


@command(
    epilog="  lomtree test -i model.lom test.vw.gz\n"
    "  lomtree test -i model.lom test.vw.gz --by-label --confusion --top 50"
)
@model_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for scripts.")
@click.option("--by-label", is_flag=True, help="Show the labels with most errors, too.")
@click.option("--confusion", is_flag=True, help="Show the most frequent wrong answers, too.")
@click.option(
    "--top",
    type=click.IntRange(0),
    help="Rows of --by-label and --confusion at most; 0 shows all.  [default: 20]",
)
@input_options
def test(
    model_path, threads, sources, as_json, by_label, confusion, top, format, on_error, quiet
) -> None:
    """Print how well a model predicts the labels of DATA."""
    if top is not None and not (by_label or confusion):
        raise OptionError("--top has no meaning without --by-label or --confusion")
    require_stdout()
    model = read_model_to_answer(model_path, threads, quiet)
    from lomtree.answers import score_examples
    from lomtree.confusion import Confusions, make_tables, table_lines
    from lomtree.reader import Reader

    reader = Reader(sources, format, on_error, labels_required=True)
    confusions = Confusions(model.labels) if by_label or confusion else None
    clock = Clock()
    score = score_examples(model, reader, confusions)
    seconds = clock.seconds
    if not score.examples:
        raise LomtreeError("there were no examples to test the model with")
    tables = {}
    if confusions is not None:
        tables = make_tables(confusions, by_label, confusion, 20 if top is None else top)
    has_depth = model.learner.largest_depth is not None
    result = {
        "algorithm": model.options.algorithm,
        "examples": score.examples,
        "errors": score.errors,
        "error": score.error,
        "interval": score.interval,
        "mean_depth": score.mean_depth if has_depth else None,
        "largest_depth": score.largest_depth if has_depth else None,
        "examples_per_second": score.examples / seconds,
        "skipped": reader.skipped,
        **tables,
    }
    if as_json:
        click.echo(json.dumps(result))
        return
    _print_score(result)
    for name, rows in tables.items():
        click.echo(b"\n" + table_lines(name, rows), nl=False)


def _print_score(result: dict) -> None:
    click.echo(f"algorithm            {result['algorithm']}")
    click.echo(f"examples             {result['examples']:,}")
    click.echo(f"errors               {result['errors']:,}")
    click.echo(f"error rate           {result['error']:.2%} +- {result['interval']:.2%} (95%)")
    if result["largest_depth"] is not None:
        mean, largest = result["mean_depth"], result["largest_depth"]
        click.echo(f"depth                mean {mean:.1f}, largest {largest}")
    click.echo(f"examples per second  {result['examples_per_second']:,.0f}")
    if result["skipped"]:
        click.echo(f"skipped              {result['skipped']:,}")
