"""lomtree predict."""

import sys
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import click

from lomtree.cli.options import (
    FILE,
    check_standard_input,
    check_walk,
    cluster_options,
    clustered,
    command,
    input_options,
    model_options,
    read_model_to_predict,
    require_stdout,
    say,
    say_compiling,
    search_options,
    warnings_about,
)
from lomtree.core.errors import LomtreeError, OptionError
from lomtree.system.atomic_file import STANDARD, check_writable, open_to_replace
from lomtree.system.overwriting import refuse_overwriting
from lomtree.system.progress_bar import progress_bar
from lomtree.system.timing import watch


@command(
    epilog="  zcat test.vw.gz | lomtree predict -i model.lom > labels.txt\n"
    "  lomtree predict -i model.lom test.vw.gz --top 3\n"
    "  lomtree predict -i model.lom test.csv --top 3 --json\n"
    "  lomtree predict -i model.lom test.vw.gz --walk -p labels.txt\n"
    "  lomtree predict -i model.lom 'part-*.vw.gz' --workers 8 --into predictions"
)
@model_options
@search_options
@click.option(
    "--top",
    type=click.IntRange(1, 1000),
    metavar="K",
    help="Print the K best labels, best first, each with its probability: label:0.98.",
)
@click.option(
    "--probabilities", is_flag=True, help="Print the best label with its probability; as --top 1."
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print a JSON object an example: its line, label, probability and tag; --top adds a list.",
)
@click.option(
    "--tsv",
    "as_tsv",
    is_flag=True,
    help="Print label, probability (K of both with --top) and tag with tabs between them.",
)
@click.option(
    "-p",
    "--predictions",
    type=FILE,
    metavar="FILE",
    help="Write to this file instead of stdout.",
)
@click.option(
    "--into",
    type=FILE,
    metavar="DIR",
    help="Write the predictions of each file to a file of its own in this folder. Those that are "
    "there already are not made again.",
)
@cluster_options
@input_options
@click.pass_context
def predict(
    ctx, model_path, threads, sources, walk, beam, top, probabilities, as_json, as_tsv, predictions,
    format, on_error, quiet, reading, into, workers, scheduler, scheduler_file,
) -> None:  # fmt: skip
    """Print the predicted label of every example in DATA.

    Trees are searched, other labels are found by the example's features, and the best of all are
    ranked. --walk is the paper's prediction.

    The label is followed by the example's tag. There is one line for every line of DATA; it is
    empty for a blank line, a comment of libsvm text, and a bad line that was skipped. For every row
    of a table, and with --json or --tsv for every example, there is one line.
    """
    if as_json and as_tsv:
        raise OptionError("--json and --tsv exclude each other")
    if walk:
        check_walk(ctx, "top", "probabilities")
    lines_of: Any = _lines_of(top, probabilities, as_json, as_tsv)
    with_probabilities = bool(top or probabilities or as_json or as_tsv)
    search = None if walk else (beam, top or 1, with_probabilities)
    if into or clustered(ctx.params):
        ending = ".jsonl" if as_json else ".tsv" if as_tsv else ".txt"
        place = (workers, scheduler, scheduler_file)
        if predictions or not into:
            raise OptionError("workers write files: --into DIR, and no -p")
        wanted = (model_path, search, lines_of, format, on_error, reading)
        _predict_files(sources, into, ending, place, wanted, quiet)
        return
    to_stdout = not predictions or predictions == STANDARD
    inputs = [("the model", model_path), *(("the data", path) for path in sources)]
    if to_stdout:
        require_stdout()
        refuse_overwriting([("standard output", STANDARD)], inputs)
    else:
        refuse_overwriting([("-p", predictions)], inputs)
        check_writable(predictions)
    check_standard_input(model_path, sources)
    model = read_model_to_predict(model_path, threads, quiet, ranked=not walk)
    from lomtree.evaluation.predict import Search, predict_all
    from lomtree.formats.reader import Reader

    reader = Reader(
        sources,
        format,
        on_error,
        threads=model.learner.execution.threads,
        reading=model.reading.changed(reading),
        trained=model.format,
        derived=model.options.derived,
    )
    searched = search and Search(*search)
    lines = lines_of()
    seen = not quiet and not (to_stdout and sys.stdout.isatty())
    with _open_output(predictions) as out, progress_bar(reader.size, shown=seen) as bar:
        for predicted in predict_all(model, reader, searched):
            with watch.stage("write", examples=predicted.examples.count):
                text = lines(model.labels, predicted)
            _write(out, text)
            bar.move_to(reader.bytes_read)
    say(warnings_about(model, reader), quiet)
    if reader.skipped:
        say([f"skipped {reader.skipped:,} bad lines"], quiet)


def _lines_of(top: int | None, probabilities: bool, as_json: bool, as_tsv: bool) -> Any:
    """What gives the function that writes predictions; imported when it is wanted."""

    def lines_of() -> Any:
        from lomtree.evaluation.output import label_lines, ranking_lines
        from lomtree.evaluation.structured_output import json_lines, tsv_lines

        if as_json or as_tsv:
            return partial(json_lines if as_json else tsv_lines, top=top)
        return ranking_lines if top or probabilities else label_lines

    return lines_of


def _predict_files(
    sources: list[str], into: str, ending: str, place: tuple, wanted: tuple, quiet: bool
) -> None:
    """A file for each file, on workers or one after the other."""
    from lomtree.cluster.prediction import run_prediction

    model, search, lines_of, *others = wanted
    say_compiling(quiet)
    told = run_prediction(sources, into, ending, place, (model, search, lines_of(), *others))
    say([told], quiet)


def _write(out: Any, lines: bytes) -> None:
    try:
        out.write(lines)
        out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise LomtreeError(
            f"standard output: cannot be written ({error.strerror or error})"
        ) from None


def _open_output(path: str | None) -> AbstractContextManager[Any]:
    """A file has all predictions or is as it was; stdout gets them one by one."""
    return open_to_replace(path) if path and path != STANDARD else click.open_file("-", "wb")
