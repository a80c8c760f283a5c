"""lomtree predict."""

from contextlib import AbstractContextManager
from typing import Any

import click

from lomtree.cli_options import (
    DEFAULT_BEAM,
    beam_option,
    command,
    input_options,
    model_options,
    read_model_to_answer,
    require_stdout,
)
from lomtree.errors import LomtreeError
from lomtree.whole_file import open_to_replace


@command(
    epilog="  zcat test.vw.gz | lomtree predict -i model.lom > labels.txt\n"
    "  lomtree predict -i model.lom test.vw.gz --top 3"
)
@model_options
@beam_option
@click.option(
    "--top",
    type=click.IntRange(1, 1000),
    metavar="K",
    help="Print the K best labels, best first, each with its probability: label:0.98.",
)
@click.option("--probabilities", is_flag=True, help="Print the best label so; as --top 1.")
@click.option("-p", "--predictions", metavar="OUT", help="Write here instead of to stdout.")
@input_options
def predict(
    model_path, threads, sources, beam, top, probabilities, predictions, format, on_error, quiet
) -> None:
    """Print the label of every example in DATA, one line each, followed by its tag."""
    if not predictions:
        require_stdout()
    ranked = bool(top or probabilities or (beam or 1) > 1)
    model = read_model_to_answer(model_path, threads, quiet, ranked)
    from lomtree.answers import Search, predict_lines, ranking_lines
    from lomtree.reader import Reader

    reader = Reader(sources, format, on_error, threads=model.learner.threads)
    if top or probabilities:
        answers = ranking_lines(model, reader, Search(beam or DEFAULT_BEAM, top or 1))
    else:
        answers = predict_lines(model, reader, Search(beam, 1) if ranked else None)
    try:
        with _open_output(predictions) as out:
            for lines in answers:
                out.write(lines)
                out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise LomtreeError(
            f"standard output: cannot be written ({error.strerror or error})"
        ) from None
    if reader.skipped and not quiet:
        click.echo(f"skipped {reader.skipped} bad lines", err=True)


def _open_output(path: str | None) -> AbstractContextManager[Any]:
    """A file has all answers or is as it was; stdout gets them one by one."""
    return open_to_replace(path) if path and path != "-" else click.open_file("-", "wb")
