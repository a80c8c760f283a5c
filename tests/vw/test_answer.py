"""One sentence for VW's options where this program has others."""

import pytest

from lomtree.vw.answer import answer_to


@pytest.mark.parametrize(
    ("option", "command", "sentence"),
    [
        ("-d", "train", "VW's -d FILE: name the file itself; '-' or nothing is standard input"),
        ("--loss-function", "train", "VW's --loss_function LOSS is --loss LOSS here: "),
        ("--random_seed", "train", "VW's --random_seed N is --seed N here"),
        (
            "--random_seed",
            "test",
            "VW's --random_seed N is lomtree train's --seed N, which the model keeps",
        ),
        ("--csoaa_ldf", "train", "VW's --csoaa_ldf ARG: labels have no costs"),
        ("-t", "predict", "VW's -t: lomtree test -i MODEL shows the error"),
        ("--l2", "train", "VW's --l2 X: there is no regularisation"),
    ],
)
def test_the_sentence(option, command, sentence):
    assert (answer_to(option, command) or "").startswith(sentence)


def test_nothing_is_said_about_what_vw_has_not():
    assert answer_to("--nosuch", "train") is None
