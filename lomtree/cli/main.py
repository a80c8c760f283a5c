"""The command line: options in, the library's work, results out. Nothing else happens here."""

from importlib import import_module

import click

from lomtree import __version__

COMMANDS = ("train", "predict", "test", "inspect", "compact", "convert", "vw")


class _Group(click.Group):
    """Only the command that is asked for is imported."""

    def list_commands(self, _ctx):
        return list(COMMANDS)

    def get_command(self, _ctx, name):
        return getattr(import_module(f"lomtree.cli.{name}"), name) if name in COMMANDS else None

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


@click.group(
    cls=_Group,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "token_normalize_func": lambda name: name.replace("_", "-"),  # --learning_rate, as in VW
    },
)
@click.version_option(__version__, prog_name="lomtree")
@click.option("--debug", is_flag=True, help="Show where in the program an error was found.")
@click.pass_obj
def cli(settings: dict, debug: bool) -> None:
    """Learn and predict one of very many classes, in a stream, by trees of logarithmic depth.

    DATA is any number of files in VW, libsvm or fastText's text, JSON lines, CSV, TSV or Parquet,
    plain or .gz/.bz2/.xz; '-' or nothing is standard input. Results go to stdout, everything for
    people to stderr.
    """
    settings["debug"] = debug
