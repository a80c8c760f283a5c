"""lomtree vw: real command lines of VW, run on small data of the right kind."""

import gzip
import json
import os
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lomtree.model.model_file import read_model
from tests.vw.command_lines import FOLDER, CommandLine, command_lines

EXAMPLES = 40
SPACES = "abcdefstMFT"
WRITTEN = ("-f", "-p", "--cache", "--weights")  # options whose arguments are files to write
INPUT = b"3 |f a b c |e x y z\n2 |f a y c |e x\n"  # that of VW's tests 92 and 177


def labels_of(name: str) -> list[str]:
    """What kind of labels a file of this name has in VW's tests and demos."""
    if "named" in name:
        return ["det", "noun", "verb"]
    if re.search(r"0001|0002|rcv1|toy", name):
        return ["1", "-1"]
    return [str(number + 1) for number in range(10 if "multiclass" in name else 4)]


def example(label: str, rng: random.Random) -> str:
    spaces = (f"|{space} {space}{label} {space}x{rng.randrange(5)}:0.5" for space in SPACES)
    return f"{label} 'tag{rng.randrange(9)}" + " ".join(spaces) + "\n"


def json_example(label: str, rng: random.Random) -> str:
    spaces = {space: {f"{space}{label}": 1, f"x{rng.randrange(5)}": 0.5} for space in SPACES}
    return json.dumps({"_label": label, **spaces}) + "\n"


def make_data(path: Path) -> None:
    rng, labels = random.Random(str(path.name)), labels_of(path.name)
    make = json_example if path.suffix == ".json" else example
    text = "".join(make(rng.choice(labels), rng) for _ in range(EXAMPLES)).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def prepare(line: CommandLine, lomtree) -> None:
    """The files that a line reads, and the folders it writes to."""
    for command in map(shlex.split, line.commands):
        if command[0] != "lomtree":
            continue
        model, data = option(command, "-i"), data_of(command)
        for path in map(Path, data):
            if not path.exists():
                make_data(path)
        for name in (*WRITTEN, "-i"):
            Path(option(command, name) or "x").parent.mkdir(parents=True, exist_ok=True)
        if model and not Path(model).exists() and not model.startswith(FOLDER):
            train = data or ["train-sets/multiclass"]
            make_data(Path(train[0]))
            assert lomtree("train", *train, "-b", 18, "--quiet", "-f", model).status == 0


def option(words: list[str], name: str) -> str | None:
    return words[words.index(name) + 1] if name in words else None


def data_of(words: list[str]) -> list[str]:
    """The files that a command reads, if these lines name them: arguments of no option."""
    taken = {option(words, name) for name in (*WRITTEN, "-i")}
    known = (
        r"train-sets/.*|data/.*|odp.*|training.*|enwik.*|oaa\.dat|train|test|.*\.vw(\.gz)?|toy.*"
    )
    return [word for word in words[2:] if word not in taken and re.fullmatch(known, word)]


@pytest.mark.parametrize("line", command_lines(), ids=lambda line: line.text)
def test_real_command_lines(lomtree, tmp_path, monkeypatch, line: CommandLine):
    monkeypatch.chdir(tmp_path)
    prepare(line, lomtree)
    before = sorted(tmp_path.rglob("*"))
    done = lomtree("vw", *line.words, stdin=INPUT)
    if line.refused:
        assert (done.status, done.out, done.err) == (2, b"", f"lomtree: {line.refused}\n")
        assert sorted(tmp_path.rglob("*")) == before
        return
    assert done.status == 0, done.err
    assert_shown(line, done.err)
    for command in map(shlex.split, line.commands):
        if command[0] == "lomtree":
            assert_done(command, done.out)


def assert_shown(line: CommandLine, err: str) -> None:
    """On stderr are the commands, in their order, and the notes; nothing with --quiet."""
    if "--quiet" in line.words:
        assert err == ""
        return
    shown = re.sub(r"\S*/lomtree-vw-[0-9a-f]{8}", FOLDER, err).splitlines()
    assert [told for told in shown if told.startswith(("lomtree ", "mkdir ", "cat "))][
        : len(line.commands)
    ] == line.commands
    assert [told for told in shown if told.startswith("note: ")] == [
        f"note: {note}" for note in line.notes
    ]


def assert_done(command: list[str], out: bytes) -> None:
    """What a command was to write is there."""
    count = 2 if command[1] == "predict" and not data_of(command) else EXAMPLES
    model, predictions, weights = (option(command, name) for name in ("-f", "-p", "--weights"))
    if model and not model.startswith(("/dev/", FOLDER)):
        assert read_model(model).learner.members
    if predictions:
        lines = Path(predictions).read_bytes().splitlines()
        assert len(lines) == count
        assert all(lines)
        assert (b":" in lines[0]) == ("--top" in command)
    if weights:
        text = Path(weights).read_text()
        assert text.startswith("lomtree ")
        assert re.search(r"^\w\^\w+\[-?\w+\]:\d+:", text, re.MULTILINE)
    if command[1] == "test":
        assert re.search(rb"^error rate +\d", out, re.MULTILINE)
    if "--paths" in command:
        shown = re.findall(
            rb"^\S.* ?\|\w .*$", out, re.MULTILINE
        )  # each example before its reasons
        assert len(shown) == (count if data_of(command) else 2)


def test_the_folder_between_the_commands_is_gone(lomtree, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    done = lomtree("vw", "--oaa", 3, "--audit", "-b", 18, "--quiet", stdin=INPUT)
    assert done.status == 0
    assert done.out.startswith(b"3 |f a b c |e x y z\n")
    assert list(tmp_path.iterdir()) == []
    broken = lomtree("vw", "--oaa", 3, "--audit", stdin=b"1 |f a:b\n")
    assert broken.status == 1
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_each_pass(lomtree, data, tmp_path):
    target = tmp_path / "m"
    vw = ("vw", "--log_multi", 20, data, "-b", 18, "--quiet", "--holdout_off")
    assert lomtree(*vw, "--passes", 2, "--save_per_pass", "-f", target).status == 0
    by_hand = tmp_path / "by-hand"
    train = ("train", data, "-k", 20, "-b", 18, "--quiet")
    assert lomtree(*train, "-f", by_hand).status == 0
    assert by_hand.read_bytes() == (tmp_path / "m.1").read_bytes()
    assert lomtree(*train, "-i", by_hand, "-f", by_hand).status == 0
    assert by_hand.read_bytes() == target.read_bytes()


def test_the_shown_command_gives_the_same_model(lomtree, data, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    vw = ("vw", "--recall_tree", 20, "-d", data, "-b", 18, "--passes", 2)
    shown = lomtree(*vw, "-f", one).err.splitlines()[0]
    words = shlex.split(shown)[1:]
    assert words[-1] == str(one)
    assert lomtree(*words[:-1], other, "--quiet").status == 0
    assert one.read_bytes() == other.read_bytes()


def test_bad_data_and_bad_models_are_told_as_everywhere(lomtree, data, tmp_path):
    (tmp_path / "bad.vw").write_text("1 |f a:b\n")
    done = lomtree("vw", "--oaa", 3, tmp_path / "bad.vw", "--quiet")
    assert (done.status, done.out) == (1, b"")
    assert done.err.startswith(f"lomtree: {tmp_path}/bad.vw:1:")
    done = lomtree("vw", "-t", "-i", data, "-d", data, "--quiet")
    assert (done.status, done.err.count("\n")) == (1, 1)
    done = lomtree("vw", "--oaa", "many", data)
    assert done.status == 2
    assert "'many' is not a whole number" in done.err


def test_dry_run_is_a_script(lomtree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = lomtree("vw", "--dry_run", "--oaa", 3, "a b.vw", "-l", 1)
    assert done == (0, b"lomtree train 'a b.vw' --algorithm oaa -k 3 -l 1 -f /dev/null\n", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["--oaa", "3", "--help"]])
def test_help(lomtree, arguments):
    done = lomtree("vw", *arguments)
    assert (done.status, done.err) == (0, "")
    assert b"Vowpal Wabbit" in done.out
    assert lomtree("vw", "--version").out == lomtree("--version").out


@pytest.mark.parametrize(
    "arguments",
    [
        ["vw", "--help"],
        ["vw", "--ect", "3"],
        ["vw", "-t"],
        ["vw", "--dry_run", "--oaa", "3", "-q", "ab", "x", "-f", "m"],
        ["train", "-d", "x"],
        ["predict", "--loss_function", "logistic"],
        ["train", "--learning_rate", "no"],
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported_to_know_the_options(arguments):
    script = (
        "import sys; from lomtree.__main__ import _run; sys.argv = ['lomtree', *sys.argv[1:]]\n"
        "_run(); print({'numpy', 'numba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True)
    assert done.stdout.splitlines()[-1] == b"set()"


# -- VW's habits in other commands


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "-d", "x", "-f", "m"], "VW's -d FILE: name the file itself"),
        (["train", "x", "-c", "-k"], "VW's -c: train --cache"),
        (["train", "--loss_function", "squared"], "VW's --loss_function LOSS is --loss LOSS here"),
        (["train", "-k", "--passes", "3", "-f", "m"], "'--passes' is not a whole number. (VW's -k"),
        (["predict", "-i", "m", "-t"], "VW's -t: lomtree test -i MODEL shows the error"),
        (["test", "-i", "m", "-r", "x"], "VW's -r FILE: lomtree predict --top 10"),
        (["test", "-i", "m", "--audit"], "VW's --audit: lomtree inspect MODEL --paths"),
    ],
    ids=lambda part: part if isinstance(part, str) else " ".join(part),
)
def test_other_commands_answer_to_vws_options(lomtree, arguments, sentence):
    done = lomtree(*arguments)
    assert (done.status, done.out) == (2, b"")
    assert sentence in done.err
    assert "Did you mean" not in done.err


def test_what_nobody_knows_is_told_as_before(lomtree):
    assert "No such option" in lomtree("train", "--pases", 3).err


def test_underscores_are_dashes(lomtree, data, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    lomtree("train", data, "-b", 18, "--learning-rate", 2, "--power-t", 0.4, "--quiet", "-f", one)
    same = ("--learning_rate=2", "--power_t", 0.4, "--final_model", other)
    assert lomtree("train", data, "-b", 18, *same, "--quiet").status == 0
    assert one.read_bytes() == other.read_bytes()
    done = lomtree("test", data, "--initial_model", one, "--by_label", "--json", "--quiet")
    assert "labels" in "".join(json.loads(done.out))


# -- completion


def completed(words: str, position: int) -> list[str]:
    settings = {
        "_LOMTREE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(position),
    }
    done = subprocess.run(
        [sys.executable, "-m", "lomtree"],
        env=os.environ | settings, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()


@pytest.mark.parametrize(
    "words",
    [
        "lomtree train da",
        "lomtree train -f da",
        "lomtree train --cache da",
        "lomtree predict -i da",
        "lomtree predict -p da",
        "lomtree test da",
        "lomtree inspect da",
        "lomtree inspect --plot da",
        "lomtree vw -d da",
    ],
)
def test_files_are_completed(words):
    assert completed(words, len(words.split()) - 1) == ["file,da"]


def test_options_are_completed():
    assert "plain,--learning-rate" in completed("lomtree train --lea", 2)
    assert completed("lomtree vw --log_m", 2) == ["plain,--log_multi"]
    assert set(completed("lomtree v", 1)) == {"plain,vw"}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("-d data.vw -f x --readable_model data.vw", "--readable_model data.vw would overwrite"),
        ("-d data.vw -f x --invert_hash data.vw", "--invert_hash data.vw would overwrite"),
        ("-d data.vw -i model.lom -f x --readable_model model.lom", "--readable_model model.lom"),
        ("-d data.vw --readable_model w --invert_hash w", "are the same file"),
        ("-d data.vw -f x --readable_model x", "-f x and --readable_model x are the same file"),
        ("-t -i model.lom -d data.vw -p p -r p", "-p p and -r p are the same file"),
        ("-d data.vw -f x --cache_file data.vw -p p", "--cache_file data.vw would overwrite"),
    ],
)
def test_no_command_of_a_line_writes_what_another_reads(
    lomtree, data, model, tmp_path, monkeypatch, line, sentence
):
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    done = lomtree("vw", *line.split())
    assert done.status == 2
    assert sentence in done.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_training_goes_on_in_place(lomtree, data, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = Path(model).read_bytes()
    done = lomtree("vw", "-d", "data.vw", "-i", "model.lom", "-f", "model.lom", "--quiet")
    assert done.status == 0
    assert Path(model).read_bytes() != before
