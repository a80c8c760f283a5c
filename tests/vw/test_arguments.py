"""VW's command line, read as VW reads it."""

import pytest

from lomtree.core.errors import OptionError
from lomtree.vw.arguments import read_arguments


def values(*line: str) -> list[tuple[str, str]]:
    return [(given.row.name, given.value) for given in read_arguments(line).options]


@pytest.mark.parametrize(
    "line",
    [
        ["-b", "20"],
        ["-b20"],
        ["--bit_precision", "20"],
        ["--bit_precision=20"],
        ["--bit-precision", "20"],
    ],
    ids=" ".join,
)
def test_an_argument_may_be_written_in_many_ways(line):
    assert values(*line) == [("--bit_precision", "20")]


def test_words_that_belong_to_no_option_are_data():
    found = read_arguments(["--oaa", "3", "train.vw", "-k", "-", "--", "-d"])
    assert found.words == ["train.vw", "-", "-d"]


def test_lists_of_arguments():
    """As VW: but a word that can be none of them is a file."""
    assert values("--ignore", "a", "b", "-k") == [
        ("--ignore", "a"),
        ("--ignore", "b"),
        ("--kill_cache", ""),
    ]
    assert values("-q", "ab", "::", r"\x88b") == [
        ("--quadratic", "ab"),
        ("--quadratic", "::"),
        ("--quadratic", r"\x88b"),
    ]
    found = read_arguments(["-q", "ab", "train.vw", "--ngram", "2", "f3", "more.vw"])
    assert found.words == ["train.vw", "more.vw"]
    assert [given.value for given in found.options] == ["ab", "2", "f3"]


def test_a_model_is_one_word():
    """VW 9 takes what follows -i for further models; people mean data."""
    found = read_arguments(["-t", "-i", "model", "test.vw"])
    assert found.words == ["test.vw"]


def test_negative_numbers_are_arguments():
    assert values("--min_prediction", "-5") == [("--min_prediction", "-5")]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (["--nosuch"], "--nosuch is no option of VW that is known here"),
        (["-z5"], "-z is no option of VW that is known here"),
        (["-b"], "VW's -b needs an argument"),
        (["--quiet=1"], "VW's --quiet takes no argument, and --quiet=1 gives it one"),
        (["-ck"], "VW's -c takes no argument, and -ck gives it one"),
        (["--csoaa", "3"], "VW's --csoaa: labels have no costs of their own here"),
        (["--nn=5"], "VW's --nn: there is no neural network"),
    ],
    ids=lambda part: part if isinstance(part, str) else " ".join(part),
)
def test_what_is_wrong_is_told(line, sentence):
    with pytest.raises(OptionError) as error:
        read_arguments(line)
    assert str(error.value).startswith(sentence)
