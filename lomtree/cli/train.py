"""lomtree train."""

import json
from dataclasses import Field, fields
from math import inf
from typing import Any

import click

from lomtree.cli.options import (
    FILE,
    cluster_options,
    clustered,
    command,
    input_options,
    require_stdout,
    say_compiling,
    threads_option,
)
from lomtree.core.errors import OptionError
from lomtree.core.options import Options, choose_options


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


def _option_for(field: Field) -> Any:
    """The click option for one of the Options."""
    names = [*field.metadata["short"], "--" + field.name.replace("_", "-")]
    help, shown = field.metadata["help"], field.metadata["shown"]
    if field.default == ():
        return click.option(*names, field.name, multiple=True, metavar=shown, help=help)
    if field.name in ("max_nodes", "classes"):  # 0 stands for not given
        return click.option(*names, type=click.IntRange(1), help=help)
    if field.name == "shards":  # 1 stands for not given
        return click.option(*names, type=click.IntRange(2), help=help)
    if field.default is False:
        return click.option(*names, is_flag=True, help=help)
    if field.default is True:
        name = names[0].removeprefix("--")
        return click.option(f"--{name}/--no-{name}", default=True, show_default=True, help=help)
    choices = field.metadata["choices"]
    kind: Any = click.Choice(choices) if choices else field.type
    default = field.default
    return click.option(
        *names, type=kind, default=default, show_default=True, metavar=shown, help=help
    )


def _training_options(command):
    for field in reversed(fields(Options)):
        command = _option_for(field)(command)
    return command


@command(
    epilog="  zcat train.vw.gz | lomtree train -f model.lom\n"
    "  lomtree train train.svm --passes 20 --holdout 0.1 -f model.lom\n"
    "  lomtree train train.vw --trees 3 -f model.lom\n"
    "  lomtree train train.svm -q :: --passes 20 -f model.lom\n"
    "  lomtree train text.vw --ngram 2 --skips 1 -f model.lom\n"
    "  lomtree train train.vw --paper -l 0.25 -T 99 -R 4 -f paper.lom\n"
    "  lomtree train more.vw -i model.lom -f model.lom\n"
    "  lomtree train table.csv --label kind --text title --tag id -f model.lom\n"
    "  lomtree train text.tsv --label-column 1 --text-column 2 -f model.lom\n"
    "  lomtree train huge.vw --save-every 1000000 --resume -f model.lom\n"
    "  lomtree train 's3://bucket/part-*.gz' --scheduler tcp://10.0.0.1:8786 -f model.lom"
)
@click.option(
    "-f",
    "--final-model",
    type=FILE,
    required=True,
    metavar="MODEL",
    help="Write the model to this file; '-' is stdout.",
)
@click.option(
    "-i",
    "--initial-model",
    type=FILE,
    metavar="MODEL",
    help="Go on training this model; '-' is standard input.",
)
@click.option(
    "--passes",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Number of passes over the data; it is parsed once.",
)
@_training_options
@click.option(
    "--cache",
    type=FILE,
    metavar="FILE",
    help="Keep the parsed examples in this file for later runs.",
)
@click.option(
    "--save-every",
    type=click.IntRange(1),
    metavar="N",
    help="Write a checkpoint to MODEL after every N examples, passes counted.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="If MODEL is a checkpoint of this very run, go on from it; the result is that of a run "
    "without interruption.",
)
@threads_option
@click.option(
    "--predict-only", is_flag=True, help="Write a smaller model that cannot be trained further."
)
@click.option(
    "-p",
    "--predictions",
    type=FILE,
    metavar="FILE",
    help="Write what is predicted for each example of the first pass, before it is learned, and "
    "its tag; '-' is stdout.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the summary as one JSON object, for scripts."
)
@click.option(
    "-P",
    "--progress",
    metavar="N",
    type=_Progress(),
    default="2.0",
    show_default=True,
    help="Print a row every N examples; with a decimal point, at every multiple by that factor.",
)
@cluster_options
@click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="N",
    help="Number of examples that the top of a tree in shards is trained on.  [default: 131072]",
)
@click.option(
    "--scratch",
    type=FILE,
    metavar="DIR",
    help="Keep finished shards in this folder, which all workers can write to; a second run goes "
    "on from them.",
)
@input_options
@click.pass_context
def train(ctx, **arguments) -> None:
    """Train a model on DATA and write it to MODEL."""
    given = {
        name: arguments[name]
        for name in arguments
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
    }
    if clustered(arguments):
        _train_on_workers(given, arguments)
        return
    for name in ("shards", "sample", "scratch"):
        if name in given:
            raise OptionError(f"--{name} needs workers: --workers N, or --scheduler ADDRESS")
    fresh = not (arguments["initial_model"] or arguments["resume"])
    options = choose_options(given) if fresh else None  # else a model's own count, too
    _check_outputs(arguments)
    from lomtree.cli import warmup
    from lomtree.jit import kernel
    from lomtree.training.session import Session

    say_compiling(arguments["quiet"])
    ranker = options.ranker if options else True
    kernel.compile_beside(lambda: warmup.start(arguments["algorithm"], ranker))
    session = Session(given, arguments, options)
    session.run()
    if arguments["as_json"]:
        click.echo(json.dumps(session.summary))


def _train_on_workers(given: dict, arguments: dict) -> None:
    """The model is written by this process; workers do the rest."""
    _check_outputs(arguments)
    from lomtree.cluster.training import ClusterSession

    say_compiling(arguments["quiet"])
    session = ClusterSession(given, arguments)
    session.run()
    if arguments["as_json"]:
        click.echo(json.dumps(session.summary))


def _check_outputs(arguments: dict) -> None:
    """OptionError if two things would go to one place, or predictions would not be those of all
    examples with their tags."""
    if arguments["as_json"]:
        require_stdout()
    to_stdout = [
        name
        for name, chosen in (
            ("-f -", arguments["final_model"] == "-"),
            ("-p -", arguments["predictions"] == "-"),
            ("--json", arguments["as_json"]),
        )
        if chosen
    ]
    if len(to_stdout) > 1:
        raise OptionError(f"{' and '.join(to_stdout)} exclude each other: both are for stdout")
    for name, why in (
        ("holdout", "what is held out is not predicted before it is learned"),
        ("cache", "a cache has no tags"),
        ("resume", "what was learned before is not predicted again"),
    ):
        if arguments["predictions"] and arguments[name]:
            raise OptionError(f"-p and --{name} exclude each other: {why}")
