"""lomtree test."""

import json

import click

from lomtree.cli.options import (
    check_standard_input,
    check_walk,
    command,
    input_options,
    model_options,
    read_model_to_predict,
    require_stdout,
    say,
    search_options,
    warnings_about,
)
from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.errors import LomtreeError, OptionError
from lomtree.core.printable import printable
from lomtree.system.atomic_file import STANDARD
from lomtree.system.overwriting import refuse_overwriting
from lomtree.system.progress_bar import progress_bar
from lomtree.system.timing import Clock


@command(
    epilog="  lomtree test -i model.lom test.vw.gz\n"
    "  lomtree test -i model.lom test.vw.gz --top 5 --recall\n"
    "  lomtree test -i model.lom test.vw.gz --walk\n"
    "  lomtree test -i model.lom test.vw.gz --by-label --confusion --rows 50"
)
@model_options
@search_options
@click.option(
    "--top",
    type=click.IntRange(1, 1000),
    metavar="K",
    help="Show the error at K, too: the share of examples whose label is not among the K best.",
)
@click.option(
    "--recall",
    is_flag=True,
    help="Show how often the label is among the best 10 and 20 that the search of the trees finds, "
    "that the lists of labels by feature vote for, and that are ranked. Not for oaa.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for scripts.")
@click.option("--by-label", is_flag=True, help="Show the labels with the most errors.")
@click.option("--confusion", is_flag=True, help="Show the most frequent confusions.")
@click.option(
    "--rows",
    type=click.IntRange(0),
    help="Largest number of rows of --by-label and --confusion; 0 shows all.  [default: 20]",
)
@input_options
@click.pass_context
def test(
    ctx, model_path, threads, sources, walk, beam, top, recall, as_json, by_label, confusion, rows,
    format, on_error, quiet, reading,
) -> None:  # fmt: skip
    """Print how well a model predicts the labels of DATA.

    That is the error, the log loss of the probabilities, their expected calibration error, and how
    often predictions of a given probability are right. With --walk, the paper's prediction, there
    are no probabilities: the error and the depth of the leaves are shown.
    """
    if rows is not None and not (by_label or confusion):
        raise OptionError("--rows has no meaning without --by-label or --confusion")
    require_stdout()
    inputs = [("the model", model_path), *(("the data", path) for path in sources)]
    refuse_overwriting([("standard output", STANDARD)], inputs)
    check_standard_input(model_path, sources)
    if walk:
        check_walk(ctx, "top", "recall")
    model = read_model_to_predict(model_path, threads, quiet, ranked=not walk)
    has_tree = ALGORITHMS[model.options.algorithm].has_tree
    if recall and not has_tree:
        raise OptionError(f"--recall has no meaning for {model.options.algorithm}: it has no tree")
    from lomtree.evaluation.confusion import Confusions, make_tables, table_lines
    from lomtree.evaluation.predict import Search
    from lomtree.evaluation.recall import Recall, recall_lines
    from lomtree.evaluation.score import score_examples
    from lomtree.formats.reader import Reader

    cores = model.learner.execution.threads
    reader = Reader(
        sources,
        format,
        on_error,
        labels_required=True,
        threads=cores,
        reading=model.reading.changed(reading),
        trained=model.format,
        derived=model.options.derived,
    )
    confusions = Confusions(model.labels) if by_label or confusion else None
    search = None if walk else Search(beam, top or 1)
    found = Recall(model, beam) if recall else None
    clock = Clock()
    with progress_bar(reader.size, shown=not quiet) as bar:
        score = score_examples(
            model, reader, confusions, search, lambda: bar.move_to(reader.bytes_read), found
        )
    seconds = clock.seconds
    if not score.examples:
        raise LomtreeError("there were no examples to test the model with")
    say(warnings_about(model, reader) + _unknown(score), quiet)
    tables = {}
    if confusions is not None:
        tables = make_tables(confusions, by_label, confusion, 20 if rows is None else rows)
    result = {
        "algorithm": model.options.algorithm,
        "examples": score.examples,
        "errors": score.errors,
        "error": score.error,
        "interval": score.interval,
        "unknown_labels": score.unknown,
        **_effort(score, has_tree),
        "examples_per_second": score.examples / seconds,
        "skipped": reader.skipped,
        **_trust(score.reliability),
        **({} if found is None else {"recall": found.table()}),
        **tables,
    }
    if as_json:
        click.echo(json.dumps(result))
        return
    _print_score(result)
    if found is not None:
        click.echo("\n" + recall_lines(result["recall"]), nl=False)
    for name, rows in tables.items():
        click.echo(b"\n" + table_lines(name, rows), nl=False)


def _unknown(score) -> list[str]:
    """The sentence about labels that the model cannot predict."""
    if not score.unknown:
        return []
    word = printable(score.unknown_label.decode("utf-8", "backslashreplace"), 40)
    return [
        f"warning: {score.unknown:,} of {score.examples:,} examples have labels that the model "
        f"never saw, such as '{word}'"
    ]


def _effort(score, has_tree: bool) -> dict:
    """How far the examples went: down to a leaf, or with a search, by the regressors asked."""
    if score.reliability is not None:
        return {"mean_asked": score.mean_effort, "most_asked": score.largest_effort}
    return {
        "mean_depth": score.mean_effort if has_tree else None,
        "largest_depth": score.largest_effort if has_tree else None,
    }


def _trust(reliability) -> dict:
    """What there is to say about probabilities, if a search gave some."""
    if reliability is None:
        return {}
    return {
        "top": reliability.top,
        "error_at_top": reliability.error_at_top,
        "log_loss": reliability.log_loss,
        "calibration_error": reliability.calibration_error,
        "reliability": reliability.table(),
    }


def _print_score(result: dict) -> None:
    click.echo(f"algorithm            {result['algorithm']}")
    click.echo(f"examples             {result['examples']:,}")
    click.echo(f"errors               {result['errors']:,}")
    click.echo(f"error rate           {result['error']:.2%} +- {result['interval']:.2%} (95%)")
    if result.get("top", 1) > 1:
        click.echo(f"{'error at ' + str(result['top']):20} {result['error_at_top']:.2%}")
    if "log_loss" in result:
        click.echo(f"log loss             {result['log_loss']:.4f}")
        click.echo(f"calibration error    {result['calibration_error']:.2%}")
        mean, most = result["mean_asked"], result["most_asked"]
        click.echo(f"regressors asked     mean {mean:.1f}, most {most:,}")
    elif result["largest_depth"] is not None:
        mean, largest = result["mean_depth"], result["largest_depth"]
        click.echo(f"depth                mean {mean:.2f} of these examples, largest {largest}")
    click.echo(f"examples per second  {result['examples_per_second']:,.0f}")
    if result["skipped"]:
        click.echo(f"skipped              {result['skipped']:,}")
    if "reliability" in result:
        click.echo("\nprobability  examples    mean   right")
        for row in result["reliability"]:
            click.echo(
                f"  {row['from']:.1f} - {row['to']:.1f} {row['examples']:10,} "
                f"{row['probability']:7.1%} {row['right']:7.1%}"
            )
