"""What VW's command lines are here."""

import shlex

import pytest

from lomtree.core.errors import OptionError
from lomtree.vw.translation import translate
from tests.vw.command_lines import FOLDER, CommandLine, command_lines

LINES = command_lines()


def commands(line: str) -> list[str]:
    return translate(shlex.split(line), FOLDER).lines


def test_there_are_sixty_lines_and_all_differ():
    assert len({line.text for line in LINES}) == len(LINES) >= 60
    assert all(bool(line.commands) != bool(line.refused) for line in LINES)


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.text)
def test_real_command_lines(line: CommandLine):
    if line.refused:
        with pytest.raises(OptionError) as error:
            translate(line.words, FOLDER)
        assert str(error.value) == line.refused
        return
    found = translate(line.words, FOLDER)
    assert (found.lines, found.notes) == (line.commands, line.notes)


def test_the_line_of_the_help():
    assert commands(
        "--log_multi 1000 -d train.vw.gz -b 24 --passes 5 -c -k --loss_function logistic -l 0.5 "
        "-q ab --ngram 2 -f m.vw --quiet"
    ) == [
        "lomtree train train.vw.gz -k 1000 -b 24 --loss logistic -l 0.5 -q ab --ngram 2 "
        "--holdout 0.1 --passes 5 -f m.vw --quiet"
    ]


@pytest.mark.parametrize("stdout", ["/dev/stdout", "-"])
def test_predictions_go_to_stdout_by_themselves(stdout):
    assert commands(f"-t -i m -d x -p {stdout}") == ["lomtree predict -i m x"]
    assert commands(f"--oaa 3 -d x -p {stdout}") == [
        "lomtree train x --algorithm oaa -k 3 -f /dev/null -p -"
    ]


@pytest.mark.parametrize("stdin", ["", "-d -", "-d /dev/stdin", "-"])
def test_data_on_stdin(stdin):
    assert commands(f"--oaa 3 {stdin} -f m") == ["lomtree train --algorithm oaa -k 3 -f m"]


def test_stdin_that_is_read_twice_becomes_a_file():
    assert commands("-t -i m -p p -r r") == [
        "mkdir FOLDER",
        "cat > FOLDER/stdin",
        "lomtree predict -i m FOLDER/stdin -p p",
        "lomtree predict -i m FOLDER/stdin --top 10 -p r",
    ]
    assert commands("--oaa 3 --readable_model r -f m") == [
        "lomtree train --algorithm oaa -k 3 -f m",
        "lomtree inspect m --weights r",
    ]


def test_a_model_after_each_pass():
    assert commands("--oaa 3 x --passes 3 --save_per_pass -f m --holdout_off") == [
        "lomtree train x --algorithm oaa -k 3 -f m.1",
        "lomtree train x --algorithm oaa -k 3 -i m.1 -f m.2",
        "lomtree train x --algorithm oaa -k 3 -i m.2 -f m",
    ]
    assert commands(
        "--oaa 3 x --passes 2 --save_per_pass -f m --holdout_off --predict_only_model"
    ) == [
        "lomtree train x --algorithm oaa -k 3 -f m.1",
        "lomtree train x --algorithm oaa -k 3 --predict-only -i m.1 -f m",
    ]
    assert commands("--oaa 3 x --passes 3 --save_per_pass --holdout_off") == [
        "lomtree train x --algorithm oaa -k 3 --passes 3 -f /dev/null"
    ]


def test_held_out_examples():
    """A tenth of them, if there are several passes, as in VW."""
    assert "--holdout" not in commands("--oaa 3 x -f m")[0]
    assert "--holdout 0.1 " in commands("--oaa 3 x -f m --passes 2")[0]
    assert "--holdout 0.2 " in commands("--oaa 3 x -f m --passes 2 --holdout_period 5")[0]
    assert "--holdout" not in commands("--oaa 3 x -f m --passes 2 --holdout_off")[0]


def test_predictions_in_training_are_of_all_examples_of_the_first_pass():
    line = "--oaa 3 x -f m --passes 2 -c -p p"
    assert commands(line) == ["lomtree train x --algorithm oaa -k 3 --passes 2 -f m -p p"]
    [note] = translate(line.split(), FOLDER).notes
    assert note.startswith("with -p nothing is held out")
    assert commands(f"{line} --save_per_pass --cache_file c") == [
        "lomtree train x --algorithm oaa -k 3 -f m.1 -p p",
        "lomtree train x --algorithm oaa -k 3 -i m.1 -f m",
    ]


def test_a_cache_is_kept_for_those_who_will_use_it_again():
    assert "--cache x.lomcache" in commands("--oaa 3 x -f m -c")[0]
    assert "--cache" not in commands("--oaa 3 x -f m -c -k")[0]
    assert "--cache" not in commands("--oaa 3 -f m -c")[0]
    assert "--cache c" in commands("--oaa 3 x -f m --cache_file c -k")[0]


def test_names_that_a_shell_would_take_apart():
    [line] = commands("--oaa 3 'my data.vw' -f \"it's\"")
    assert shlex.split(line)[2] == "my data.vw"
    assert shlex.split(line)[-1] == "it's"


def test_what_asks_for_nothing_is_not_worth_a_note():
    line = "--oaa 3 x --l2 0 --hash strings --hash_seed 0 --link identity --decay_learning_rate 1"
    assert translate(line.split(), FOLDER).notes == []


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("-t -d x", "VW's -t: a test needs a model, -i MODEL"),
        ("--oaa 3 --no_stdin", "there is no data: --no_stdin is given, and no file is named"),
        ("-i a -i b x", "a and b: one model at a time can be given"),
        ("--oaa 3 x --passes none", "VW's --passes must be a whole number from 1 on, not none"),
        ("--oaa 3 x --loss_function poisson", "VW's --loss_function poisson: train --loss knows"),
    ],
)
def test_lines_that_make_no_sense(line, sentence):
    with pytest.raises(OptionError) as error:
        translate(line.split(), FOLDER)
    assert str(error.value).startswith(sentence)
