"""The table knows VW's options, all of them, and what each takes."""

import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec

import click
import pytest

from lomtree.cli.main import cli
from lomtree.vw.row import Outcome
from lomtree.vw.table import SECTIONS, TABLE, find_row

_OPTION = re.compile(r"    (?:(-\w), )?(--\w+)( args?(?:\.\.\.)?)?(?:\s|$)")


@pytest.fixture(scope="module")
def options_of_vw() -> dict[str, bool]:
    """The options that the real VW tells of, and whether each takes an argument."""
    if find_spec("vowpalwabbit") is None:
        pytest.skip("VW is not installed")
    command = [sys.executable, "-m", "vowpalwabbit", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for short, long, argument in map(
        re.Match.groups, filter(None, map(_OPTION.match, text.splitlines()))
    ):
        found[long] = argument is not None
        if short:
            found[short] = argument is not None
    assert len(found) > 400
    return found


def test_all_options_of_vw_are_known(options_of_vw):
    known = {"-h", "--help"}
    assert [name for name in options_of_vw if name not in known and find_row(name) is None] == []


def test_options_take_what_they_take_in_vw(options_of_vw):
    rows = {name: find_row(name) for name in options_of_vw}
    assert [
        name for name, takes in options_of_vw.items() if rows[name] and takes == rows[name].is_flag
    ] == []


def test_a_name_is_in_one_row():
    names = Counter(name for row in TABLE for name in row.names)
    assert [name for name, times in names.items() if times > 1] == []
    assert sum(len(rows) for _, rows in SECTIONS) == len(TABLE)


def test_dashes_and_underscores_are_the_same():
    assert find_row("--bit-precision") is find_row("--bit_precision") is find_row("-b")
    assert find_row("--nosuch") is None


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_a_row_says_what_to_do(row):
    assert row.train or row.sentence
    assert not row.sentence.endswith((".", ":", " "))
    assert not row.sentence[:1].isupper()
    if row.outcome is Outcome.OPTION:
        assert ("{}" in row.train) == bool(row.argument) or row.choices or not row.train
    else:
        assert row.sentence


def test_what_options_become_is_there():
    """Each option that the table names is one of train's."""
    train = cli.get_command(click.Context(cli), "train")
    known = {name for option in train.params for name in option.opts}
    words = {
        word
        for row in TABLE
        for text in (row.train, *(one for one, _ in row.choices.values()))
        for word in text.split()
    }
    assert {word for word in words if word.startswith("-")} <= known
