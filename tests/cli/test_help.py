"""Help that reads well: whole sentences, no column cut off, examples that are valid commands."""

import re
import shlex

import click
import pytest

from lomtree.cli.main import COMMANDS, cli


@pytest.fixture(params=COMMANDS)
def command(request) -> click.Command:
    found = cli.get_command(click.Context(cli), request.param)
    assert found is not None
    return found


def test_every_option_has_a_whole_sentence(command):
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            text = re.sub(r"  \[default: .*\]$", "", option.help)
            assert re.fullmatch(r"[A-Z].*[.)]", text, re.DOTALL), option.name


def test_the_examples_can_be_typed(command):
    """Each is parsed by the command that it names; nothing is run."""
    for line in command.epilog.splitlines():
        words = shlex.split(line.split("|lomtree")[-1].split(" | ")[-1].split(" > ")[0])
        assert words[:2] == ["lomtree", command.name]
        with command.make_context(command.name, words[2:]):
            pass


def test_what_is_new_is_explained(lomtree):
    text = {name: lomtree(name, "--help").out.decode() for name in COMMANDS}
    for name, options in {
        "train": ("--ranker / --no-ranker", "--paper"),
        "predict": ("--walk", "--beam B"),
        "test": ("--walk", "--beam B", "--recall"),
        "inspect": ("--path LINE", "--nth"),
    }.items():
        for option in options:
            assert option in text[name]
