"""What several commands share: how they show their help, and the options they have in common.

numba takes a third of a second to import, and numpy half of that, so commands import the library
when they run: --help and usage errors answer at once.
"""

import functools
import os
import sys

import click

from lomtree.errors import LomtreeError
from lomtree.stopwatch import watch


class Example(click.Command):
    """A command whose epilog is shown as it is written."""

    def format_epilog(self, ctx, formatter) -> None:
        if self.epilog:
            formatter.write("\nExample:\n\n" + self.epilog.rstrip() + "\n")


def command(**settings):
    return click.command(cls=Example, **settings)


def input_options(command):
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
        click.option("--timings", is_flag=True, help="Tell on stderr where the time went."),
        click.option("--quiet", is_flag=True, help="Print nothing on stderr but errors."),
    ):
        command = decorate(command)

    @functools.wraps(command)
    def with_sources(data, timings, **arguments):
        command(sources=list(data) or ["-"], **arguments)
        if timings:
            click.echo(watch.report(), err=True, nl=False)

    return with_sources


threads_option = click.option(
    "--threads",
    type=click.IntRange(1),
    help="Cores to use; the result is the same with any number.  [default: all]",
)


def model_options(command):
    """What every command that asks a model takes."""
    for decorate in (
        threads_option,
        click.option(
            "-i", "--initial-model", "model_path", required=True, metavar="MODEL", help="The model."
        ),
    ):
        command = decorate(command)
    return command


DEFAULT_BEAM = 16


beam_option = click.option(
    "--beam",
    type=click.IntRange(1, 1024),
    metavar="B",
    help="Search the best B leaves of a tree, not the one where a walk ends: fewer errors for "
    f"up to B times the work.  [default: 1; {DEFAULT_BEAM} with --top or --probabilities]",
)


def read_model_to_answer(path: str, threads: int | None, quiet: bool, ranked: bool = False):
    from lomtree.model_file import ModelBeingRead

    reading = ModelBeingRead(path, learning=False, ranked=ranked)
    say_compiling(quiet)
    model = reading.model()
    model.learner.threads = threads or os.cpu_count() or 1
    return model


def require_stdout() -> None:
    if sys.stdout is None:  # started without one: `>&-`
        raise LomtreeError("standard output is closed")


def say_compiling(quiet: bool) -> None:
    from lomtree.compiled import announce_compilation

    if not quiet:
        announce_compilation()
