"""Help that people can read: groups, plain words, the options that matter first."""

import re
from dataclasses import fields

import click
import pytest

from lomtree.cli.groups import FIRST, GROUP_OF, GROUPS, OTHER, group_of
from lomtree.cli.main import COMMANDS, cli
from lomtree.cli.page import MOST_USED, sections, usage
from lomtree.cli.whole import Whole
from lomtree.core.options import Options


@pytest.fixture(params=COMMANDS)
def command(request) -> click.Command:
    found = cli.get_command(click.Context(cli), request.param)
    assert found is not None
    return found


@pytest.mark.parametrize("field", fields(Options), ids=lambda field: field.name)
def test_every_option_of_training_has_chosen_a_group(field):
    assert field.metadata["group"] in GROUPS


def test_every_option_of_a_command_is_in_one_group(command):
    ctx = click.Context(command)
    shown = [option for _, options in sections(command, ctx) for option in options]
    own = [option for option in command.get_params(ctx) if isinstance(option, click.Option)]
    assert sorted(option.name for option in shown) == sorted(option.name for option in own)
    others = [option for option in own if group_of(command.name, option.name) == OTHER]
    assert [option.opts[-1] for option in others] == ["--help"]
    assert set(GROUP_OF.values()) <= set(GROUPS)


def test_the_ten_that_matter_come_first(lomtree):
    assert all(len(names) <= 10 for names in FIRST.values())
    text = lomtree("train", "--help").out.decode()
    titles = re.findall(r"^([A-Z][a-z ]+):$", text, re.MULTILINE)
    assert titles[0] == MOST_USED
    assert titles.index("What to learn") < titles.index("Tree") < titles.index("Output")


def test_there_is_no_noise(lomtree, command):
    text = lomtree(command.name, "--help").out.decode()
    assert not re.search(r"INTEGER|FLOAT|RANGE|TEXT|x>=", text)
    assert max(map(len, text.split("Example:")[0].splitlines())) <= 80


def test_how_an_option_is_typed():
    train = cli.get_command(click.Context(cli), "train")
    ctx = click.Context(train)
    shown = {option.name: usage(option, ctx) for option in train.params if option.name != "data"}
    assert shown["bits"] == "-b, --bits N"
    assert shown["learning_rate"] == "-l, --learning-rate X"
    assert shown["ranker"] == "--ranker / --no-ranker"
    assert shown["quiet"] == "--quiet"
    assert shown["update"] == "--update sgd|adaptive"


@pytest.mark.parametrize(
    ("bounds", "value", "sentence"),
    [
        ((1, None), "0", "must be at least 1, not 0."),
        ((1, 8), "9", "must be from 1 to 8, not 9."),
        ((None, 8), "9", "must be at most 8, not 9."),
        ((1, None), "1.5", "'1.5' is not a whole number."),
    ],
)
def test_bounds_are_told_in_words(bounds, value, sentence):
    with pytest.raises(click.BadParameter) as error:
        Whole(*bounds).convert(value, None, None)
    assert error.value.message == sentence
    assert Whole(*bounds).convert("8", None, None) == 8


def test_files_can_be_completed(command):
    """What is shown as a file completes as one."""
    for option in command.params:
        if option.metavar in ("FILE", "MODEL", "[MODEL]") or option.name == "data":
            assert isinstance(option.type, click.Path), option.name
