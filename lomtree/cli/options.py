"""What several commands share: the options they have in common, and what is done about them.

numba takes a third of a second to import, and numpy half of that, so commands import the library
when they run: --help and usage errors answer at once.
"""

import functools
import sys
from typing import TYPE_CHECKING

import click

from lomtree.cli.command import Command
from lomtree.core.constants import BEAM
from lomtree.core.errors import LomtreeError, OptionError
from lomtree.core.execution import Execution, threads_for
from lomtree.core.reading import PLAIN
from lomtree.formats.registry import AUTO, FORMATS, format_warning, same_features
from lomtree.storage.purposes import Purpose
from lomtree.system.timing import watch

if TYPE_CHECKING:
    from lomtree.formats.reader import Reader
    from lomtree.model.model import Model


FILE = click.Path(readable=False)  # a shell completes its name; commands say what is wrong with it


def command(**settings):
    return click.command(cls=Command, **settings)


def _column(*names: str, **settings):
    return click.option(*names, metavar="COLUMN", **settings)


# What tells how tables are read; a model remembers it.
_TABLE_OPTIONS = (
    _column("--label", help="Column of the labels, of CSV, TSV or Parquet."),
    _column("--text", multiple=True, help="Column of text that is cut into words."),
    _column("--categorical", multiple=True, help="Column whose numbers are names."),
    _column("--tag", help="Column that is printed behind predictions, and is no feature."),
    _column("--importance", help="Column of importances."),
    _column("--drop", multiple=True, help="Column that is left out."),
    click.option(
        "--no-header", is_flag=True, help="CSV or TSV without a header: a COLUMN is its number."
    ),
    click.option(
        "--label-column",
        type=click.IntRange(1),
        metavar="N",
        help="Same as --no-header --label N.",
    ),
    click.option(
        "--text-column",
        type=click.IntRange(1),
        metavar="N",
        multiple=True,
        help="Same as --no-header --text N.",
    ),
    click.option(
        "--delimiter",
        metavar="C",
        help="What stands between the fields of CSV, if not a comma.",
    ),
    click.option("--no-quotes", is_flag=True, help="Quotes in CSV and TSV have no meaning."),
    click.option(
        "--first-label",
        is_flag=True,
        help="Take the first of several labels on a line of fastText's text.",
    ),
)


def _given_reading(arguments: dict, format: str) -> dict:
    """What of a Reading is given, taken out of the arguments; OptionError if it makes no sense."""
    given = {name: arguments.pop(name) for name in ("label", "tag", "importance", "first_label")}
    given |= {name: arguments.pop(name) for name in ("text", "categorical", "drop")}
    label, texts = arguments.pop("label_column"), arguments.pop("text_column")
    if (label and given["label"]) or (texts and given["text"]):
        raise OptionError("--label-column and --text-column exclude --label and --text")
    given["label"] = str(label) if label else given["label"]
    given["text"] = tuple(map(str, texts)) or given["text"]
    without_header = arguments.pop("no_header")
    given["header"] = not (label or texts or without_header)
    given["quotes"] = not arguments.pop("no_quotes")
    delimiter = arguments.pop("delimiter")
    given["delimiter"] = "\t" if delimiter == "\\t" else delimiter
    known = FORMATS.get(format)
    if PLAIN.changed(given).is_of_table and known and not known.is_table:
        raise OptionError(f"columns have no meaning for --format {format}")
    return given


def input_options(command):
    """What every command that reads examples takes."""
    for decorate in (
        *reversed(_TABLE_OPTIONS),
        click.argument("data", nargs=-1, type=FILE),
        click.option(
            "--format",
            type=click.Choice([AUTO, *FORMATS]),
            default=AUTO,
            show_default=True,
            help="Format of the data; auto looks at the first example.",
        ),
        click.option(
            "--on-error",
            type=click.Choice(["stop", "skip"]),
            default="stop",
            show_default=True,
            help="What to do at a bad line: stop the run, or skip and count it.",
        ),
        click.option("--timings", is_flag=True, help="Print on stderr where the time went."),
        click.option("--quiet", is_flag=True, help="Print nothing on stderr but errors."),
    ):
        command = decorate(command)

    @functools.wraps(command)
    def with_sources(data, timings, **arguments):
        reading = _given_reading(arguments, arguments["format"])
        command(sources=list(data) or ["-"], reading=reading, **arguments)
        if timings:
            click.echo(watch.report(), err=True, nl=False)

    return with_sources


threads_option = click.option(
    "--threads",
    type=click.IntRange(1),
    help="Number of cores to use; it does not change the result.  [default: all]",
)


def cluster_options(command):
    """Who does the work, if not this process alone."""
    for decorate in (
        click.option(
            "--scheduler-file",
            type=FILE,
            metavar="FILE",
            help="Work on the Dask cluster whose scheduler has written this file.",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="Work on the Dask cluster of this scheduler, such as tcp://10.0.0.1:8786.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(1),
            metavar="N",
            help="Work in N processes on this machine (a LocalCluster of Dask).",
        ),
    ):
        command = decorate(command)
    return command


def clustered(arguments: dict) -> bool:
    """Whether workers are to do it."""
    names = ("workers", "scheduler", "scheduler_file")
    return any(arguments[name] is not None for name in names)


def model_option(required: bool):
    return click.option(
        "-i",
        "--initial-model",
        "model_path",
        type=FILE,
        required=required,
        metavar="MODEL",
        help="The model; '-' is standard input.",
    )


def model_options(command):
    """What every command that asks a model takes."""
    for decorate in (threads_option, model_option(required=True)):
        command = decorate(command)
    return command


def search_options(command):
    """How the labels of an example are found."""
    for decorate in (
        click.option(
            "--walk",
            is_flag=True,
            help="Predict as the paper does, by one walk down to one leaf (of each tree): faster, "
            "with more errors.",
        ),
        click.option(
            "--beam",
            type=click.IntRange(1, 1024),
            metavar="B",
            default=BEAM,
            show_default=True,
            help="Search the B most probable leaves of each tree: more find more, and take longer.",
        ),
    ):
        command = decorate(command)
    return command


def check_walk(ctx: click.Context, *others: str) -> None:
    """OptionError if --walk was given together with what a walk cannot do."""
    for name in ("beam", *others):
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise OptionError(f"--walk and --{name} exclude each other")


def read_model_to_predict(path: str, threads: int | None, quiet: bool, ranked: bool) -> "Model":
    from lomtree.model.model_file import ModelBeingRead

    purpose = Purpose.RANK if ranked else Purpose.PREDICT
    reading = ModelBeingRead(path, purpose, Execution(threads_for(threads)))
    say_compiling(quiet)
    return reading.model()


def check_standard_input(model_path: str, sources: list[str]) -> None:
    if model_path == "-" and "-" in sources:
        raise OptionError("standard input cannot be both the model (-i -) and the data")


def require_stdout() -> None:
    if sys.stdout is None:  # started without one: `>&-`
        raise LomtreeError("standard output is closed")


def say_compiling(quiet: bool) -> None:
    from lomtree.jit.kernel import announce_compilation

    if not quiet:
        announce_compilation()


def warnings_about(model: "Model", reader: "Reader") -> list[str]:
    """What a person should know after a model was asked about the examples of a reader."""
    found = []
    trained = model.format or reader.format
    if reader.format != AUTO and not same_features(trained, reader.format):
        found.append(format_warning(trained, reader.format))
    if reader.examples and not reader.has_features:
        found.append(
            f"warning: none of the {reader.examples:,} examples has a feature: "
            f"is this {FORMATS[reader.format].title}?"
        )
    return found


def say(sentences: list[str], quiet: bool) -> None:
    for sentence in sentences:
        if not quiet:
            click.echo(sentence, err=True)
