"""The commands: what goes in, what comes out on stdout and stderr, and the exit status."""

import bz2
import gzip
import json
import lzma
import os
import random
import re
import subprocess
import sys

import click
import pytest

from lomtree.cli.main import cli

COMMANDS = ["train", "predict", "test"]
TRAIN = ("train", "-b", 18, "--quiet")


def write(folder, name: str, text: bytes) -> str:
    (folder / name).write_bytes(text)
    return str(folder / name)


def content(path) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def assert_one_sentence(result, status: int = 1) -> None:
    """Nothing on stdout, one line on stderr, no traceback."""
    assert (result.status, result.out) == (status, b"")
    assert re.fullmatch(r"lomtree: [^\n]+\n", result.err)
    assert "Traceback" not in result.err


# -- help and usage


@pytest.mark.parametrize("command", COMMANDS)
def test_help_mentions_every_option_and_gives_an_example(lomtree, command):
    result = lomtree(command, "--help")
    text = result.out.decode()
    assert (result.status, result.err) == (0, "")
    for parameter in cli.get_command(None, command).params:
        if isinstance(parameter, click.Option):
            assert all(option in text for option in parameter.opts)
    assert re.search(rf"Example:\n\n.*lomtree {command} ", text)


def test_help_and_version_of_the_program(lomtree):
    text = lomtree("--help").out.decode()
    assert all(command in text for command in COMMANDS)
    assert re.fullmatch(rb"lomtree, version [\d.a-z]+\n", lomtree("--version").out)


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["train", "--help"], ["train"], ["predict", "--hlep"], ["train", "--bits", "99"]],
    ids=" ".join,
)
def test_help_and_usage_errors_do_without_numba(arguments):
    script = (
        "import sys; from lomtree.__main__ import _run; sys.argv = ['lomtree', *sys.argv[1:]]\n"
        "status = _run(); print(status, 'numba' in sys.modules)"
    )
    arguments = [*arguments, *(["-f", "model"] if "--bits" in arguments else [])]
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True)
    status = b"0" if "--help" in arguments else b"2"
    assert done.stdout.splitlines()[-1] == status + b" False"


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["train"],
        ["predict"],
        ["test", "--passes", "2"],
        ["train", "-f", "model", "--passes", "0"],
        ["train", "-f", "model", "--loss", "hinge"],
        ["train", "-f", "model", "-b", "many"],
        ["train", "-f", "model", "-b", "9"],
        ["train", "-f", "model", "-T", "0"],
        ["train", "-f", "model", "-T", "5", "--nodes-per-class", "2"],
        ["train", "-f", "model", "--holdout", "1"],
        ["train", "-f", "model", "-l", "nan"],
        ["train", "-f", "model", "-P", "1.0"],
        ["train", "-f", "model", "-P", "1.e999"],
        ["train", "-f", "model", "-P", "often"],
    ],
    ids=" ".join,
)
def test_usage_errors_have_status_2_and_change_nothing(lomtree, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    result = lomtree(*arguments, stdin=b"1 |f a\n")
    assert (result.status, result.out) == (2, b"")
    assert "Traceback" not in result.err
    assert os.listdir(tmp_path) == []


# -- train and predict


def test_what_was_learned_is_predicted(lomtree, model, data, lines):
    result = lomtree("predict", "-i", model, data)
    assert (result.status, result.err) == (0, "")
    truth = [line.split()[0] for line in lines]
    predictions = result.out.splitlines()
    assert len(predictions) == len(truth)
    assert sum(a == b for a, b in zip(predictions, truth, strict=True)) > 0.6 * len(truth)


def test_the_label_is_written_as_in_training_and_the_tag_behind_it(lomtree, tmp_path):
    text = b"007 |f a\n\xff\xfe |f b\n+1.0 |f c\n" * 30
    path = write(tmp_path, "data.vw", text)
    lomtree(*TRAIN, path, "--passes", 5, "-f", tmp_path / "m")
    questions = b"'one|f a\n|f b\n1 two| c\n x'y|f c\n5 2 'z\xff|f a"
    out = lomtree("predict", "-i", tmp_path / "m", stdin=questions).out
    assert [line.partition(b" ")[2] for line in out.split(b"\n")] == [
        b"one", b"", b"two", b"x'y", b"z\xff", b"",
    ]  # fmt: skip
    assert {line.partition(b" ")[0] for line in out.splitlines()} <= {b"007", b"\xff\xfe", b"+1.0"}
    assert lomtree("predict", "-i", tmp_path / "m", path).out.splitlines()[:3] == [
        b"007", b"\xff\xfe", b"+1.0",
    ]  # fmt: skip


def test_predictions_may_go_to_a_file(lomtree, model, data, tmp_path):
    expected = lomtree("predict", "-i", model, data).out
    assert lomtree("predict", "-i", model, data, "-p", tmp_path / "out") == (0, b"", "")
    assert content(tmp_path / "out") == expected


def test_no_data_no_lines(lomtree, model):
    assert lomtree("predict", "-i", model) == (0, b"", "")


def test_data_from_files_and_standard_input_in_the_given_order(lomtree, model, lines, tmp_path):
    paths = [
        write(tmp_path, "a", b"".join(lines[:50])),
        write(tmp_path, "b.gz", gzip.compress(b"".join(lines[50:100]))),
        write(tmp_path, "c.bz2", bz2.compress(b"".join(lines[100:150]))),
        write(tmp_path, "d.xz", lzma.compress(b"".join(lines[200:]))),
    ]
    expected = lomtree("predict", "-i", model, stdin=b"".join(lines)).out
    arguments = [*paths[:3], "-", paths[3]]
    result = lomtree("predict", "-i", model, *arguments, stdin=b"".join(lines[150:200]))
    assert result == (0, expected, "")


FORMS = {
    "Windows line ends": lambda text: text.replace(b"\n", b"\r\n"),
    "tabs": lambda text: text.replace(b" ", b"\t"),
    "no last newline": lambda text: text[:-1],
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "empty lines": lambda text: text.replace(b"\n", b"\n\n"),
    "an importance of 1": lambda text: text.replace(b" |", b" 1 |"),
    "values of 1": lambda text: re.sub(rb"( \w+)(?=[ \n])", rb"\1:1", text),
    "tags": lambda text: text.replace(b" |", b" 'tag|"),
}


@pytest.mark.parametrize("change", FORMS.values(), ids=FORMS.keys())
def test_the_same_examples_in_another_form_give_the_same_model(lomtree, model, lines, change):
    text = change(b"".join(lines))
    assert text != b"".join(lines)
    assert lomtree(*TRAIN, "-f", model + "2", stdin=text).status == 0
    assert content(model + "2") == content(model)


def test_importance_counts(lomtree, tmp_path):
    result = lomtree("train", "-b", 18, "-f", tmp_path / "m", stdin=b"a 1 |f x\na 3 |f x\n")
    assert "progressive error  0.2500" in result.err  # the first of two, which counts 1 of 4
    lomtree(*TRAIN, "-f", tmp_path / "plain", stdin=b"a |f x\na |f x\n")
    assert content(tmp_path / "m") != content(tmp_path / "plain")


def test_empty_examples_are_examples(lomtree, tmp_path):
    assert lomtree(*TRAIN, "-f", tmp_path / "m", stdin=b"a |\nb |f x\na |\na |f\n").status == 0
    assert lomtree("predict", "-i", tmp_path / "m", stdin=b"|\n|f\n").out == b"a\na\n"


def test_libsvm(lomtree, tmp_path):
    text = b"3 7:1 2:0.5 # comment\n-1 9:2\n" * 40
    assert lomtree(*TRAIN, "--passes", 4, "-f", tmp_path / "m", stdin=text).status == 0
    out = lomtree("predict", "-i", tmp_path / "m", stdin=b"0 2:0.5 7:1\n0 9:2 # x\n").out
    assert out == b"3\n-1\n"
    forced = lomtree("predict", "-i", tmp_path / "m", "--format", "libsvm", stdin=b"0 |f x\n")
    assert_one_sentence(forced)


@pytest.mark.parametrize("update", ["sgd", "adaptive"])
def test_huge_and_tiny_numbers_make_a_model_that_can_be_read(lomtree, tmp_path, update):
    rng = random.Random(3)
    values = [
        "1e-45",
        "1e-38",
        "1e-20",
        "0",
        "1",
        "-1",
        "1e10",
        "1e20",
        "-1e19",
        "3.4e38",
        "-3.4e38",
    ]
    importances = ["", "1e-45", "1e-30", "2", "1e30", "3.4e38"]
    text = ""
    for _ in range(200):
        words = [f"w{rng.randrange(6)}:{rng.choice(values)}" for _ in range(rng.randrange(5))]
        text += f"c{rng.randrange(8)} {rng.choice(importances)} |f {' '.join(words)}\n"
    train = (*TRAIN, "--update", update, "--passes", 2, "-R", 1, "-f", tmp_path / "m")
    assert lomtree(*train, stdin=text.encode()) == (0, b"", "")
    result = lomtree("predict", "-i", tmp_path / "m", stdin=text.encode())
    assert (result.status, result.err) == (0, "")
    assert re.fullmatch(rb"(c\d\n){200}", result.out)
    assert lomtree(*train, "-i", tmp_path / "m", stdin=text.encode()) == (0, b"", "")


# -- errors


def test_a_bad_line_stops_the_run_at_its_place(lomtree, model, data, lines, tmp_path):
    bad = write(tmp_path, "bad.vw", b"".join(lines[:3]) + b"a |f x:nan\n" + lines[4])
    result = lomtree(*TRAIN, bad, "-f", tmp_path / "new")
    assert_one_sentence(result)
    assert f"{bad}:4:8: expected a number after ':', found 'nan'" in result.err
    assert not os.path.exists(tmp_path / "new")
    assert lomtree(*TRAIN, bad, "-i", model, "-f", model).status == 1
    predicted = lomtree("predict", "-i", model, bad)
    assert (predicted.status, predicted.out.count(b"\n")) == (1, 3)
    assert_one_sentence(lomtree("test", "-i", model, bad))


def test_a_skipped_line_is_not_learned_and_yields_an_empty_line(lomtree, model, lines, tmp_path):
    bad = b"".join(lines[:9]) + b"new |f x:nan\n" + b"".join(lines[9:]) + b"new |f x:y"
    skip = ("--on-error", "skip")
    result = lomtree("train", "-b", 18, *skip, "-f", tmp_path / "m", stdin=bad)
    assert "skipped            2 bad lines" in result.err
    assert content(tmp_path / "m") == content(model)
    out = lomtree("predict", "-i", model, *skip, stdin=bad)
    assert out.err == "skipped 2 bad lines\n"
    expected = lomtree("predict", "-i", model, stdin=b"".join(lines)).out.split(b"\n")
    assert out.out.split(b"\n") == [*expected[:9], b"", *expected[9:-1], b"", b""]
    score = json.loads(lomtree("test", "-i", model, *skip, "--json", stdin=bad).out)
    assert (score["examples"], score["skipped"]) == (len(lines), 2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "none.vw", "-f", "m"], "none.vw: no such file"),
        (["train", ".", "-f", "m"], ".: is a directory, not a file"),
        (["train", "-f", "none/m"], "none/m: its folder does not exist"),
        (["train", "-f", "."], ".: is a directory, not a file"),
        (["train", "-f", "m", "-i", "none.lom"], "none.lom: no such file"),
        (["predict", "-i", "none.lom"], "none.lom: no such file"),
        (["test", "-i", "text"], "text: not a usable model: it does not begin like one"),
        (["train", "empty", "-f", "m"], "empty: there are no examples to learn from"),
        (["train", "unweighted", "-f", "m"], "unweighted: there are no examples to learn from"),
        (["train", "empty", "-f", "m", "--cache", "text"], "text: exists, but is not a cache"),
        (["train", "nolabel", "-f", "m"], "nolabel:1:1: expected a label"),
        (["train", "broken.gz", "-f", "m"], "broken.gz: the compressed data ends too early"),
    ],
)
def test_errors_are_one_sentence(lomtree, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "text", b"1 |f a\n")
    write(tmp_path, "empty", b"\n")
    write(tmp_path, "unweighted", b"1 0 |f a\n")
    write(tmp_path, "nolabel", b"|f a\n")
    write(tmp_path, "broken.gz", gzip.compress(b"1 |f a\n")[:-9])
    files = sorted(os.listdir(tmp_path))
    result = lomtree(*arguments, *(["--quiet"] if arguments[0] == "train" else []))
    assert_one_sentence(result)
    assert result.err.startswith(f"lomtree: {sentence}")
    assert sorted(os.listdir(tmp_path)) == files
    assert content(tmp_path / "text") == b"1 |f a\n"


# -- test


@pytest.mark.parametrize("how", [[], ["--walk"]])
def test_the_score_is_that_of_the_predictions(lomtree, model, lines, how):
    questions = b"".join(lines[:200]) + b"never-seen |words w1\n"
    truth = [line.split()[0] for line in questions.splitlines()]
    predictions = lomtree("predict", "-i", model, *how, stdin=questions).out.splitlines()
    wrong = sum(a != b for a, b in zip(predictions, truth, strict=True))
    score = json.loads(lomtree("test", "-i", model, *how, "--json", stdin=questions).out)
    search = {"mean_asked", "most_asked", "top", "error_at_top", "log_loss", "calibration_error"}
    assert set(score) == {
        "algorithm", "examples", "errors", "error", "interval", "examples_per_second", "skipped",
        "unknown_labels", *({"mean_depth", "largest_depth"} if how else {"reliability", *search}),
    }  # fmt: skip
    assert score["unknown_labels"] == 1
    assert (score["examples"], score["errors"], score["skipped"]) == (201, wrong, 0)
    error = wrong / 201
    assert score["error"] == pytest.approx(error)
    assert score["interval"] == pytest.approx(1.96 * (error * (1 - error) / 201) ** 0.5)
    mean, most = ("mean_depth", "largest_depth") if how else ("mean_asked", "most_asked")
    assert 0 < score[mean] <= score[most] < (60 if how else 16 * 60)


def test_the_score_for_people(lomtree, model, data):
    walk = json.loads(lomtree("test", "-i", model, "--walk", "--json", data).out)
    text = lomtree("test", "-i", model, "--walk", data).out.decode()
    assert f"largest {walk['largest_depth']}\n" in text
    score = json.loads(lomtree("test", "-i", model, "--json", data).out)
    text = lomtree("test", "-i", model, data).out.decode()
    assert "examples             300\n" in text
    assert f"errors               {score['errors']}\n" in text
    assert f"error rate           {score['error']:.2%} +- {score['interval']:.2%} (95%)\n" in text
    assert f", most {score['most_asked']}\n" in text


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_nothing_to_test_is_an_error(lomtree, model, options):
    assert_one_sentence(lomtree("test", "-i", model, *options))


def test_quiet_training_says_nothing_and_is_that_of_the_functions(
    lomtree, data, model_bytes, tmp_path
):
    path = tmp_path / "model.lom"
    assert lomtree("train", data, "-b", 18, "--quiet", "-f", path) == (0, b"", "")
    assert path.read_bytes() == model_bytes
