"""lomtree vw."""

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

import click
from click.shell_completion import CompletionItem

from lomtree import __version__
from lomtree.cli.command import Command
from lomtree.core.errors import LomtreeError
from lomtree.system.overwriting import refuse_overwriting
from lomtree.vw.table import TABLE
from lomtree.vw.translation import INITIAL, Translation, translate


class _Verbatim(Command):
    """A command whose words are read by VW's rules; only -h and --help are its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> Any:
        if not args or set(args) & {"-h", "--help"}:
            return super().parse_args(ctx, ["--help"])
        ctx.params["words"] = tuple(args)
        return []

    def collect_usage_pieces(self, _ctx: click.Context) -> list[str]:
        return ["[OPTIONS OF VW]... [DATA]..."]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        if not incomplete.startswith("-"):
            return [CompletionItem(incomplete, type="file")]
        names = sorted(name for row in TABLE for name in row.names)
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command(
    cls=_Verbatim,
    epilog="  lomtree vw --log_multi 1000 -d train.vw.gz -b 24 --passes 5 -c -k -f model.lom\n"
    "  lomtree vw -t -i model.lom -d test.vw.gz -p /dev/stdout\n"
    "  lomtree vw --oaa 26 train.vw --holdout_off --invert_hash weights.txt\n"
    "  lomtree vw --dry_run --recall_tree 1000 -d train.vw -q ab --ngram 2 -f model.lom",
)
@click.pass_context
def vw(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Run a command line of Vowpal Wabbit.

    It is translated into commands of this program, which are shown on stderr, with notes about
    what is done in another way, and then run. --log_multi K and --recall_tree K are the default
    learner, --oaa K is one-against-all, and what is not here is refused with a sentence.

    --dry_run prints the commands on stdout, and runs none. Models are this program's own: it reads
    none of VW's. docs/vw.md has a table of all options.
    """
    if "--version" in words:
        click.echo(f"lomtree, version {__version__}")
        return
    name = f"lomtree-vw-{os.urandom(4).hex()}"
    translation = translate(words, os.path.join(tempfile.gettempdir(), name))
    if translation.only_shown:
        click.echo("\n".join(translation.lines))
        return
    _refuse_overwriting(translation)
    if not translation.quiet:
        for note in translation.notes:
            click.echo(f"note: {note}", err=True)
    with _folder(translation.folder):
        _run(ctx, translation)


def _refuse_overwriting(translation: Translation) -> None:
    """Before the first command: what one writes may be what another reads. Training may go on in
    place."""
    data = [one for one in translation.read if one[0] != INITIAL]
    initial = [one for one in translation.read if one[0] == INITIAL]
    refuse_overwriting(translation.written, data)
    refuse_overwriting([one for one in translation.written if one[0] != "-f"], initial)


@contextlib.contextmanager
def _folder(path: str) -> Iterator[None]:
    """The folder is there as long as it is needed; '' is none."""
    if not path:
        yield
        return
    os.mkdir(path, 0o700)
    try:
        yield
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _run(ctx: click.Context, translation: Translation) -> None:
    """Show each command just before it runs."""
    shown = list(translation.lines)
    before = len(shown) - len(translation.commands)
    _say(shown[:before], translation.quiet)
    if translation.spooled:
        _spool(translation.spooled)
    assert ctx.parent is not None
    for line, words in zip(shown[before:], translation.commands, strict=True):
        _say([line], translation.quiet)
        command = ctx.parent.command.get_command(ctx.parent, words[0])  # type: ignore[attr-defined]
        with command.make_context(words[0], words[1:], parent=ctx.parent) as own:
            command.invoke(own)


def _say(lines: list[str], quiet: bool) -> None:
    for line in lines:
        if not quiet:
            click.echo(line, err=True)


def _spool(path: str) -> None:
    """Copy standard input to a file."""
    if sys.stdin is None:
        raise LomtreeError("standard input is closed")
    with open(path, "wb") as file, open(os.dup(0), "rb") as source:
        shutil.copyfileobj(source, file, 1 << 20)
