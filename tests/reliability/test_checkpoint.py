"""A run that was cut off goes on from its last checkpoint, and ends as if nothing had happened."""

import json
import os

import pytest

from lomtree.core.algorithms import ALGORITHMS
from lomtree.formats import source
from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose


@pytest.fixture
def train(lomtree, tmp_path):
    """Train with these arguments; the model's bytes."""

    def run(*arguments, stdin=b"", model="m.lom") -> bytes:
        path = tmp_path / model
        result = lomtree("train", "-b", 18, "--quiet", *arguments, "-f", path, stdin=stdin)
        assert result == (0, b"", "")
        return path.read_bytes()

    return run


@pytest.fixture
def cut_off(train, tmp_path, monkeypatch):
    """Train, but end without a sign after so many checkpoints; the last checkpoint's bytes."""
    from lomtree.training import session

    class CutOff(BaseException):
        pass

    def run(checkpoints: int, *arguments, **more) -> bytes:
        written = []

        def write(model, path, *rest):
            if len(written) == checkpoints:
                raise CutOff
            written.append(model.unfinished.done)
            return before(model, path, *rest)

        before = session.write_model
        with monkeypatch.context() as patch:
            patch.setattr(session, "write_model", write)
            with pytest.raises(CutOff):
                train(*arguments, **more)
        return (tmp_path / more.get("model", "m.lom")).read_bytes()

    return run


RUNS = {
    "one pass": ("--save-every", 70),
    "passes": ("--save-every", 130, "--passes", 3),
    "a checkpoint at the end of each pass": ("--save-every", 300, "--passes", 3),
    "held-out examples": ("--save-every", 90, "--passes", 2, "--holdout", 0.3),
    "recycled nodes": ("--save-every", 80, "-T", 9, "-R", 1),
    "evicted statistics": ("--save-every", 80, "--max-statistics", 300, "--passes", 2),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("checkpoints", [1, 2, 3])
def test_resuming_gives_the_file_of_a_run_in_one_go(train, cut_off, data, name, checkpoints):
    arguments = RUNS[name]
    expected = train(data, *arguments[2:], model="whole.lom")  # without --save-every
    assert train(data, *arguments, model="saved.lom") == expected
    assert cut_off(checkpoints, data, *arguments) != expected
    assert train(data, *arguments, "--resume") == expected


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_can_be_resumed(train, cut_off, data, algorithm):
    arguments = (data, "--algorithm", algorithm, "--passes", 2, "--save-every", 101)
    expected = train(*arguments)
    for checkpoints in (1, 4):
        cut_off(checkpoints, *arguments)
        assert train(*arguments, "--resume") == expected


def test_resuming_again_and_again(train, cut_off, data, tmp_path):
    arguments = (data, "--passes", 2, "--save-every", 50)
    expected = train(*arguments)
    (tmp_path / "m.lom").unlink()
    for _ in range(11):
        cut_off(1, *arguments, "--resume")
    assert train(*arguments, "--resume") == expected


def test_a_checkpoint_falls_after_exactly_so_many_examples(train, cut_off, data, monkeypatch):
    """Wherever the blocks of the text end: it knows no label that it has not seen."""
    found = {}
    for block in (1 << 20, 1000, 7):
        monkeypatch.setattr(source, "BLOCK_BYTES", block)
        found[block] = cut_off(1, data, "--save-every", 41)
    assert len(set(found.values())) == 1


def test_the_rest_of_the_stream_is_enough_too(train, cut_off, data, lines, lomtree, tmp_path):
    """-i takes what comes for new: so a stream that cannot be had again goes on as well."""
    expected = train(data, model="whole.lom")
    cut_off(2, data, "--save-every", 60)
    found = json.loads(lomtree("inspect", tmp_path / "m.lom", "--json").out)["summary"]
    assert (found["read"], found["checkpoint_after"]) == (120, 120)
    text = lomtree("inspect", tmp_path / "m.lom").out.decode()
    assert "unfinished   a checkpoint, after 120 examples of its run" in text
    rest = b"".join(lines[found["read"] :])
    assert train("-i", tmp_path / "m.lom", stdin=rest) == expected


def test_going_on_from_a_model_with_checkpoints(train, cut_off, model, data):
    expected = train(data, "-i", model, model="whole.lom")
    arguments = (data, "-i", model, "--save-every", 100)
    cut_off(2, *arguments)
    assert train(*arguments, "--resume") == expected


def test_where_nothing_was_saved_yet_a_run_begins(train, data, model):
    with open(model, "rb") as file:
        assert train(data, "--resume", "--save-every", 100) == file.read()


def test_what_is_finished_is_not_begun_again(lomtree, data, model):
    result = lomtree("train", data, "-f", model, "--resume")
    assert result == (0, b"", f"{model}: nothing to resume, its training has ended\n")


@pytest.mark.parametrize("option", [("--save-every", 100), ("--resume",)])
def test_what_is_no_file_holds_no_checkpoints(lomtree, data, option):
    result = lomtree("train", data, "-f", os.devnull, *option)
    assert result == (2, b"", "lomtree: -f /dev/null is not a file, so it holds no checkpoints\n")


def test_other_data_is_refused(lomtree, cut_off, data, lines, tmp_path):
    saved = cut_off(2, data, "--save-every", 100)
    for stdin, reason in (
        (b"other |words w1\n" * 300, "it lacks labels"),
        (b"".join(lines[:150]), "has seen 200 examples, but there are only 150"),
    ):
        result = lomtree("train", "-f", tmp_path / "m.lom", "--resume", "--quiet", stdin=stdin)
        assert (result.status, result.out, result.err.count("\n")) == (1, b"", 1)
        assert reason in result.err
        assert (tmp_path / "m.lom").read_bytes() == saved


def test_other_examples_are_refused_wherever_they_differ(lomtree, cut_off, data, lines, tmp_path):
    """Also where there are as many, with the same labels."""
    others = {
        "another order": lines[1:2] + lines[:1] + lines[2:],
        "another value": [lines[0].replace(b"\n", b" new:2\n"), *lines[1:]],
        "another importance": [lines[0].replace(b" |", b" 2 |"), *lines[1:]],
    }
    for passes in ((), ("--passes", 2)):
        saved = cut_off(2, data, "--save-every", 150 if passes else 100, *passes)
        for stdin in others.values():
            result = lomtree("train", "-f", tmp_path / "m.lom", "--resume", stdin=b"".join(stdin))
            assert (result.status, result.out) == (1, b"")
            assert "the checkpoint was not trained on this data" in result.err
            assert (tmp_path / "m.lom").read_bytes() == saved


OTHERS = {
    "--learning-rate was 4.0": ("-l", 2),
    "--seed was 0": ("--seed", 7),
    "--holdout was 0.0": ("--holdout", 0.5),
    "--swap-resistance was 4.0": ("-R", 1),
    "--passes was 2": ("--passes", 3),
    "it had no -i": ("-i", "other.lom"),
}


@pytest.mark.parametrize("reason", OTHERS)
def test_another_run_is_not_resumed(lomtree, train, cut_off, data, tmp_path, reason, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train(data, model="other.lom")
    saved = cut_off(2, data, "--passes", 2, "--save-every", 100)
    result = lomtree("train", data, "-f", tmp_path / "m.lom", "--resume", *OTHERS[reason])
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith(f"lomtree: {tmp_path / 'm.lom'} is a checkpoint of another run, ")
    assert result.err.endswith(f": {reason}\n")
    assert (tmp_path / "m.lom").read_bytes() == saved


def test_another_model_to_go_on_from_is_noticed(lomtree, train, cut_off, model, data, tmp_path):
    train(data, "-i", model, model="other.lom")
    saved = cut_off(2, data, "-i", model, "--save-every", 100)
    path = tmp_path / "m.lom"
    result = lomtree("train", data, "-i", tmp_path / "other.lom", "-f", path, "--resume")
    assert "it did not go on from this -i" in result.err
    assert (result.status, path.read_bytes()) == (2, saved)


def test_what_is_not_said_again_is_as_it_was(train, cut_off, data, model, tmp_path):
    arguments = (data, "--passes", 3, "-l", 2, "--save-every", 200)
    expected = train(*arguments)
    cut_off(2, *arguments)
    assert train(data, "--resume") == expected
    expected = train(data, "-i", model, model="whole.lom")
    cut_off(2, data, "-i", model, "--save-every", 100)
    assert train(data, "--resume") == expected


def test_a_person_is_told_where_a_run_goes_on(lomtree, cut_off, data, tmp_path):
    cut_off(2, data, "--save-every", 100)
    path = tmp_path / "m.lom"
    said = lomtree("train", data, "-f", path, "--save-every", 100, "--resume").err
    assert said.startswith(f"reading {data}, going on from {path} after 200 examples\n")
    assert "examples           100," in said


def test_a_checkpoint_predicts_and_the_cache_is_whole(lomtree, train, cut_off, data, tmp_path):
    cache = ("--cache", tmp_path / "cache")
    expected = train(data, "--save-every", 100)
    cut_off(1, data, "--save-every", 100, *cache)
    assert lomtree("predict", "-i", tmp_path / "m.lom", data).out.count(b"\n") == 300
    assert not os.path.exists(tmp_path / "cache")
    assert train(data, "--save-every", 100, *cache, "--resume") == expected
    cut_off(2, data, "--save-every", 100, *cache)
    assert train(data, "--save-every", 100, *cache, "--resume") == expected


def test_a_checkpoint_of_a_run_for_prediction_only_can_learn(train, cut_off, data, tmp_path):
    arguments = (data, "--predict-only", "--save-every", 120)
    expected = train(*arguments)
    cut_off(1, *arguments)
    assert not read_model(str(tmp_path / "m.lom"), Purpose.LEARN).predict_only
    assert train(*arguments, "--resume") == expected


def test_a_checkpoint_before_anything_was_learned(train, cut_off, data):
    arguments = (data, "--save-every", 1, "--holdout", 0.9, "--seed", 1)
    expected = train(*arguments)
    cut_off(1, *arguments)
    assert train(*arguments, "--resume") == expected
