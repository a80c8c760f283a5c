"""The command line: options in, the library's work, results out. Nothing else happens here.

numba takes a third of a second to import, so the library is imported inside the commands: --help
and usage errors answer at once.
"""

import functools
import json
import os
import sys
import time
from math import inf

import click

from lomtree import __version__
from lomtree.errors import LomtreeError
from lomtree.options import (
    ALGORITHMS,
    LOSSES,
    OPTION_NAMES,
    UPDATES,
    Options,
    check_meaning,
)

_DEFAULTS = Options()


class _Example(click.Command):
    """A command whose epilog is shown as it is written."""

    def format_epilog(self, ctx, formatter) -> None:
        if self.epilog:
            formatter.write("\nExample:\n\n" + self.epilog.rstrip() + "\n")


class _Group(click.Group):
    command_class = _Example

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # click would turn it into status 1; main() knows what it means.
            raise click.exceptions.Exit(141) from None

    def make_context(self, *arguments, **more):
        try:
            return super().make_context(*arguments, **more)
        except BrokenPipeError:  # --help
            raise click.exceptions.Exit(141) from None


class _Progress(click.ParamType):
    """Like VW's -P: a whole number is a distance, a number with a point is a factor."""

    name = "number"

    def convert(self, value, param, ctx):
        try:
            number = float(value) if "." in str(value) else int(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)
        if number < 1 or (isinstance(number, float) and not 1 < number < inf):
            self.fail("must be a whole number, or a factor above 1 such as 2.0", param, ctx)
        return number


def _input_options(command):
    """What every command that reads examples takes."""
    for decorate in (
        click.argument("data", nargs=-1, type=click.Path()),
        click.option(
            "--format",
            type=click.Choice(["auto", "vw", "libsvm"]),
            default="auto",
            show_default=True,
            help="Format of the data; auto looks at the first example.",
        ),
        click.option(
            "--on-error",
            type=click.Choice(["stop", "skip"]),
            default="stop",
            show_default=True,
            help="What a bad line does: stop the run, or be skipped and counted.",
        ),
        click.option("--quiet", is_flag=True, help="Print nothing on stderr but errors."),
    ):
        command = decorate(command)

    @functools.wraps(command)
    def with_sources(data, **arguments):
        return command(sources=list(data) or ["-"], **arguments)

    return with_sources


def _model_options(command):
    """What every command that asks a model takes."""
    for decorate in (
        click.option(
            "--threads",
            type=click.IntRange(1),
            help="Cores to use; the output is the same with any number.  [default: all]",
        ),
        click.option(
            "-i", "--initial-model", "model_path", required=True, metavar="MODEL", help="The model."
        ),
    ):
        command = decorate(command)
    return command


def _read_model(path: str, threads: int | None, quiet: bool):
    from lomtree.model_file import ModelBeingRead

    reading = ModelBeingRead(path, learning=False)
    _say_compiling(quiet)
    model = reading.model()
    model.learner.threads = threads or os.cpu_count() or 1
    return model


def _require_stdout() -> None:
    if sys.stdout is None:  # started without one: `>&-`
        raise LomtreeError("standard output is closed")


def _say_compiling(quiet: bool) -> None:
    from lomtree.compiled import announce_compilation

    if not quiet:
        announce_compilation()


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="lomtree")
def cli() -> None:
    """Learn and predict one of very many classes in logarithmic time, in a stream.

    DATA is any number of files in VW or libsvm text, plain or .gz/.bz2/.xz; '-' or nothing is
    standard input. Results go to stdout, everything for people to stderr.
    """


@cli.command(
    epilog="  zcat train.vw.gz | lomtree train -f model.lom\n"
    "  lomtree train train.svm --passes 20 --holdout 0.1 -f model.lom\n"
    "  lomtree train more.vw -i model.lom -f model.lom"
)
@click.option("-f", "--final-model", required=True, metavar="MODEL", help="Where the model goes.")
@click.option("-i", "--initial-model", metavar="MODEL", help="Go on training this model.")
@click.option(
    "--algorithm",
    type=click.Choice(ALGORITHMS),
    default=_DEFAULTS.algorithm,
    show_default=True,
    help="The LOMtree, or a rival of the paper's: a random tree over the labels, the Filter tree, "
    "one-against-all (time linear in the labels).",
)
@click.option(
    "--passes",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="How often to go through the data; it is parsed once.",
)
@click.option(
    "-b",
    "--bits",
    type=int,
    default=_DEFAULTS.bits,
    show_default=True,
    help="The weight table grows up to 2^BITS slots, as far as it is needed.",
)
@click.option(
    "-l",
    "--learning-rate",
    type=float,
    default=_DEFAULTS.learning_rate,
    show_default=True,
    help="Step size.",
)
@click.option(
    "-T", "--max-nodes", type=click.IntRange(1), help="Internal nodes at most (the paper's T)."
)
@click.option(
    "--nodes-per-class",
    type=float,
    default=_DEFAULTS.nodes_per_class,
    show_default=True,
    help="Without -T: T follows the labels seen so far, times this.",
)
@click.option(
    "-k",
    "--classes",
    type=click.IntRange(1),
    help="Prepare for so many labels; there may come more, or fewer.",
)
@click.option(
    "-R",
    "--swap-resistance",
    type=float,
    default=_DEFAULTS.swap_resistance,
    show_default=True,
    help="How much fuller a leaf must be than the emptiest one to take its place.",
)
@click.option(
    "--loss",
    type=click.Choice(LOSSES),
    default=_DEFAULTS.loss,
    show_default=True,
    help="What the regressors minimise.",
)
@click.option(
    "--update",
    type=click.Choice(UPDATES),
    default=_DEFAULTS.update,
    show_default=True,
    help="adaptive: a step size a weight, blind to the scale of features; sgd: one for all.",
)
@click.option(
    "--power-t",
    type=float,
    default=_DEFAULTS.power_t,
    show_default=True,
    help="How fast steps shrink: the power of the squared gradients (adaptive) or of time (sgd).",
)
@click.option(
    "--clip",
    type=float,
    default=_DEFAULTS.clip,
    show_default=True,
    help="The most that one example moves a score.",
)
@click.option(
    "--holdout",
    type=float,
    default=_DEFAULTS.holdout,
    show_default=True,
    help="Share of the examples kept for validation; the error on them is shown.",
)
@click.option(
    "--seed",
    type=int,
    default=_DEFAULTS.seed,
    show_default=True,
    help="Decides which examples are held out, and the order of the tree of rtree and filter.",
)
@click.option("--cache", metavar="FILE", help="Keep the parsed examples here for further runs.")
@click.option("--predict-only", is_flag=True, help="Write a smaller model that cannot learn.")
@click.option(
    "-P",
    "--progress",
    type=_Progress(),
    default="2.0",
    show_default=True,
    help="Print a row every so many examples, or with a point, at each multiple.",
)
@_input_options
@click.pass_context
def train(ctx, **arguments) -> None:
    """Train a model on DATA and write it to MODEL."""
    given = {
        name: arguments[name]
        for name in arguments
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
    }
    Options(
        **{name: arguments[name] for name in OPTION_NAMES if arguments[name] is not None}
    ).check()
    if not arguments["initial_model"]:
        check_meaning(arguments["algorithm"], given)
    from lomtree.training_run import Run

    _say_compiling(arguments["quiet"])
    Run(given, arguments).run()


@cli.command(epilog="  zcat test.vw.gz | lomtree predict -i model.lom > labels.txt")
@_model_options
@click.option("-p", "--predictions", metavar="OUT", help="Write here instead of to stdout.")
@_input_options
def predict(model_path, threads, sources, predictions, format, on_error, quiet) -> None:
    """Print the label of every example in DATA, one line each, followed by its tag."""
    if not predictions:
        _require_stdout()
    model = _read_model(model_path, threads, quiet)
    from lomtree.answers import predict_lines
    from lomtree.reader import Reader

    reader = Reader(sources, format, on_error)
    try:
        with click.open_file(predictions or "-", "wb") as out:
            for lines in predict_lines(model, reader):
                out.write(lines)
                out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise LomtreeError(
            f"{predictions or 'standard output'}: cannot be written ({error.strerror or error})"
        ) from None
    if reader.skipped and not quiet:
        click.echo(f"skipped {reader.skipped} bad lines", err=True)


@cli.command(epilog="  lomtree test -i model.lom test.vw.gz")
@_model_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, for scripts.")
@_input_options
def test(model_path, threads, sources, as_json, format, on_error, quiet) -> None:
    """Print how well a model predicts the labels of DATA."""
    _require_stdout()
    model = _read_model(model_path, threads, quiet)
    from lomtree.answers import score_examples
    from lomtree.reader import Reader

    reader = Reader(sources, format, on_error, labels_required=True)
    begun = time.perf_counter()
    score = score_examples(model, reader)
    seconds = time.perf_counter() - begun
    if not score.examples:
        raise LomtreeError("there were no examples to test the model with")
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
    }
    if as_json:
        click.echo(json.dumps(result))
        return
    click.echo(f"algorithm            {model.options.algorithm}")
    click.echo(f"examples             {score.examples:,}")
    click.echo(f"errors               {score.errors:,}")
    click.echo(f"error rate           {score.error:.2%} +- {score.interval:.2%} (95%)")
    if has_depth:
        click.echo(
            f"depth                mean {score.mean_depth:.1f}, largest {score.largest_depth}"
        )
    click.echo(f"examples per second  {score.examples / seconds:,.0f}")
    if reader.skipped:
        click.echo(f"skipped              {reader.skipped:,}")
