"""No command writes onto what it reads, under any of its names; nothing is touched."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def files(data, model, monkeypatch) -> dict[str, str]:
    folder = Path(data).parent
    monkeypatch.chdir(folder)
    os.symlink("data.vw", "link.vw")
    os.link("model.lom", "hard.lom")
    return {"data": "data.vw", "link": "link.vw", "model": "model.lom", "hard": "hard.lom"}


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("train {data} -f {data}", "-f data.vw would overwrite the data data.vw"),
        ("train {data} -f {link}", "-f link.vw would overwrite the data data.vw"),
        ("train {data} -f ./{data}", "-f ./data.vw would overwrite the data data.vw"),
        ("train {data} -f new --cache {data}", "--cache data.vw would overwrite the data data.vw"),
        (
            "train {data} -i {model} -f new --cache {hard}",
            "--cache hard.lom would overwrite the initial model model.lom",
        ),
        ("train {data} -f new --cache new", "-f new and --cache new are the same file"),
        ("predict {data} -i {model} -p {data}", "-p data.vw would overwrite the data data.vw"),
        ("predict {data} -i {model} -p {hard}", "-p hard.lom would overwrite the model model.lom"),
    ],
)
def test_one_sentence_status_2_and_nothing_touched(lomtree, files, command, sentence):
    before = {name: Path(name).read_bytes() for name in files.values()}
    done = lomtree(*command.format(**files).split())
    assert (done.status, done.out, done.err) == (2, b"", f"lomtree: {sentence}\n")
    assert {name: Path(name).read_bytes() for name in files.values()} == before
    assert not Path("new").exists()


def test_a_picture_does_not_replace_the_model(lomtree, files):
    os.rename("model.lom", "model.svg")
    before = Path("model.svg").read_bytes()
    done = lomtree("inspect", "model.svg", "--plot", "./model.svg")
    assert done.status == 2
    assert "--plot ./model.svg would overwrite the model model.svg" in done.err
    assert Path("model.svg").read_bytes() == before


def test_output_appended_to_the_data_is_refused(process, files):
    with open("data.vw", "ab") as out:
        ran = process("predict", "data.vw", "-i", "model.lom", stdout=out)
        _, err = ran.communicate()
    assert ran.returncode == 2
    assert err == b"lomtree: standard output would overwrite the data data.vw\n"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("train -f data.vw", "-f data.vw would overwrite the data"),
        ("train -f new --cache link.vw", "--cache link.vw would overwrite the data"),
        ("predict -i model.lom -p data.vw", "-p data.vw would overwrite the data"),
    ],
)
def test_data_on_standard_input_is_a_file_too(process, files, command, sentence):
    before = Path("data.vw").read_bytes()
    with open("data.vw", "rb") as data:
        ran = process(*command.split(), stdin=data)
        _, err = ran.communicate()
    assert (ran.returncode, err.decode()) == (2, f"lomtree: {sentence}\n")
    assert Path("data.vw").read_bytes() == before


@pytest.mark.parametrize("command", ["train data.vw -f -", "test data.vw -i model.lom"])
def test_no_output_is_appended_to_the_data(process, files, command):
    before = Path("data.vw").read_bytes()
    with open("data.vw", "ab") as out:
        ran = process(*command.split(), stdout=out)
        _, err = ran.communicate()
    assert ran.returncode == 2
    assert b"would overwrite the data data.vw" in err
    assert Path("data.vw").read_bytes() == before


def test_a_model_may_take_the_place_of_the_one_it_goes_on_from(lomtree, files):
    assert lomtree("train", "data.vw", "-i", "model.lom", "-f", "model.lom", "--quiet").status == 0


def test_a_model_goes_through_pipes(process, files):
    trained = process("train", "data.vw", "-b", 18, "--quiet", "-f", "-")
    written, err = trained.communicate()
    assert (trained.returncode, err) == (0, b"")
    assert written == Path("model.lom").read_bytes()
    predicted = process("predict", "data.vw", "-i", "-", "--quiet")
    lines, err = predicted.communicate(written)
    assert (predicted.returncode, err, len(lines.splitlines())) == (0, b"", 300)


def test_standard_input_is_the_model_or_the_data(lomtree):
    done = lomtree("predict", "-i", "-")
    assert done.status == 2
    assert done.err == "lomtree: standard input cannot be both the model (-i -) and the data\n"
