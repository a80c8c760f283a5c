"""Whatever goes wrong: the right exit status, one sentence, and nothing half-written left."""

import contextlib
import gzip
import os
import random
import resource
import signal
import time

import pytest

from lomtree.examples import replay
from lomtree.formats import reader
from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose
from tests.generators.processes import SECONDS, content, read_line, without


@contextlib.contextmanager
def small_disk(size: int):
    """No file may grow beyond this, as if the disk were full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def assert_one_sentence(result, beginning: str, *parts: str, status: int = 1) -> None:
    assert (result.status, result.out) == (status, b"")
    assert result.err.startswith(f"lomtree: {beginning}")
    assert result.err.count("\n") == 1
    for part in parts:
        assert part in result.err


SIGNALS = {
    signal.SIGINT: (130, b"lomtree: interrupted\n"),
    signal.SIGTERM: (143, b"lomtree: terminated\n"),
    signal.SIGHUP: (129, b"lomtree: terminated\n"),
}


def reset_signals() -> None:
    """What the shell or nohup lets its jobs ignore, their children would ignore too."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_training_and_leaves_the_old_model(process, model, lines, tmp_path, number):
    before, files = content(model), sorted(os.listdir(tmp_path))
    train = process(
        "train", "-i", model, "-f", model, "--cache", tmp_path / "cache", "-P", 300,
        preexec_fn=reset_signals,
    )  # fmt: skip
    train.stdin.write(b"".join(lines))
    train.stdin.flush()
    while b" 300 " not in read_line(train.stderr):  # it is learning, and waits for more
        pass
    train.send_signal(number)
    status, sentence = SIGNALS[number]
    advice = b"; no model was written (--save-every N writes checkpoints to go on from)\n"
    told = sentence.removesuffix(b"\n") + advice
    assert (train.wait(SECONDS), train.stderr.read()) == (status, told)
    assert content(model) == before
    assert sorted(os.listdir(tmp_path)) == files


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_predicting_and_leaves_the_old_predictions(
    process, model, lines, tmp_path, number
):
    predictions = tmp_path / "predictions"
    predictions.write_bytes(b"old\n")
    files = sorted(os.listdir(tmp_path))
    predict = process(
        "predict", "--quiet", "-i", model, "-p", predictions, preexec_fn=reset_signals
    )
    predict.stdin.write(b"".join(lines))
    predict.stdin.flush()
    while predict.poll() is None and not has_started(predict.pid):
        time.sleep(0.01)
    predict.send_signal(number)
    assert (predict.wait(SECONDS), predict.stderr.read()) == SIGNALS[number]
    assert predictions.read_bytes() == b"old\n"
    assert sorted(os.listdir(tmp_path)) == files


def has_started(pid: int) -> bool:
    """Whether Python has started, and the libraries and their threads after it."""
    return len(os.listdir(f"/proc/{pid}/task")) > 1


def test_under_nohup_a_hangup_is_no_reason_to_stop(process, lines, tmp_path):
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    train = process("train", "-b", 18, "-P", 300, "-f", tmp_path / "m", preexec_fn=ignore)
    train.stdin.write(b"".join(lines))
    train.stdin.flush()
    while b" 300 " not in read_line(train.stderr):
        pass
    train.send_signal(signal.SIGHUP)
    train.stdin.close()
    assert train.wait(SECONDS) == 0
    assert (tmp_path / "m").exists()


def test_kill_9_leaves_a_whole_model_and_the_run_can_be_resumed(process, data, lomtree, tmp_path):
    """scripts/reliability/kill.py does this 50 times."""
    folder, rng = tmp_path / "models", random.Random(1)
    folder.mkdir()
    path = folder / "m.lom"
    arguments = ("train", data, "-b", 18, "--passes", 40, "--quiet")
    assert lomtree(*arguments, "-f", tmp_path / "whole") == (0, b"", "")
    saving = (*arguments, "--save-every", 300, "--resume", "-f", path)
    for _ in range(5):
        train = process(*saving)
        while train.poll() is None and not path.exists():
            time.sleep(0.01)
        time.sleep(0.3 * rng.random())
        train.kill()
        train.wait(SECONDS)
        assert os.listdir(folder) == ["m.lom"]
        if read_model(str(path), Purpose.LEARN).unfinished is None:
            break
    else:
        assert process(*saving).wait(SECONDS) == 0
    assert path.read_bytes() == (tmp_path / "whole").read_bytes()


def test_no_space_for_the_model(lomtree, data, model, tmp_path):
    before, files = content(model), sorted(os.listdir(tmp_path))
    for path in (model, tmp_path / "new.lom"):
        for more in ((), ("--save-every", 100)):
            with small_disk(3000):
                result = lomtree("train", data, "-b", 18, "--quiet", *more, "-f", path)
            assert_one_sentence(result, f"{path}: cannot be written (File too large)")
    assert content(model) == before
    assert sorted(os.listdir(tmp_path)) == files


def test_no_space_for_the_cache(lomtree, data, tmp_path):
    with small_disk(3000):
        result = lomtree("train", data, "--quiet", "--cache", tmp_path / "c", "-f", tmp_path / "m")
    assert_one_sentence(result, f"{tmp_path / 'c'}: cannot be written (File too large)")
    assert os.listdir(tmp_path) == ["data.vw"]


@pytest.mark.parametrize("more", [(), ("--cache",)])
def test_no_space_for_the_examples_of_further_passes(lomtree, data, tmp_path, monkeypatch, more):
    """The sentence names the folder that is full, not the cache that is written at the time."""
    monkeypatch.setattr(replay.ReplayBuffer.__init__, "__defaults__", (100,))
    monkeypatch.setattr(replay, "write_batch", full_disk)
    if more:
        more = ("--cache", tmp_path / "cache")
    result = lomtree("train", data, "--quiet", "--passes", 2, *more, "-f", tmp_path / "m")
    assert_one_sentence(
        result, "", "the examples for further passes cannot", "No space left", "TMPDIR"
    )
    assert os.listdir(tmp_path) == ["data.vw"]


def full_disk(*_arguments) -> None:
    raise OSError(28, "No space left on device")


def test_no_space_for_the_predictions(lomtree, data, model, tmp_path):
    predictions = tmp_path / "predictions"
    predictions.write_bytes(b"old\n")
    files = sorted(os.listdir(tmp_path))
    assert lomtree("predict", "-i", model, data).status == 0  # kernels have to be kept as well
    with small_disk(1000):
        result = lomtree("predict", "-i", model, data, "-p", predictions)
    assert_one_sentence(result, f"{predictions}: cannot be written (File too large)")
    assert predictions.read_bytes() == b"old\n"
    assert sorted(os.listdir(tmp_path)) == files


def test_predictions_go_to_a_file_as_to_stdout(lomtree, data, model, tmp_path):
    assert lomtree("predict", "-i", model, data, "-p", tmp_path / "predictions") == (0, b"", "")
    assert (tmp_path / "predictions").read_bytes() == lomtree("predict", "-i", model, data).out
    assert lomtree("predict", "-i", model, data, "-p", "-").out.count(b"\n") == 300


def test_compressed_data_that_is_cut_off(lomtree, lines, model, tmp_path):
    """The checkpoints before it stay, and the run can be resumed with the whole data."""
    packed, path = tmp_path / "data.vw.gz", tmp_path / "m.lom"
    whole = gzip.compress(b"".join(lines))
    packed.write_bytes(whole[: len(whole) // 2])
    arguments = ("train", packed, "-b", 18, "--quiet", "--save-every", 50, "--resume", "-f", path)
    assert_one_sentence(lomtree(*arguments), f"{packed}: the compressed data ends too early")
    assert read_model(str(path), Purpose.LEARN).unfinished.done >= 50
    packed.write_bytes(whole)
    assert lomtree(*arguments) == (0, b"", "")
    assert path.read_bytes() == content(model)


@pytest.mark.parametrize("packed", [False, True])
def test_a_named_pipe_whose_writer_dies(process, lines, tmp_path, packed):
    """Plain text just ends there; compressed text says that there was more."""
    pipe, text = tmp_path / "pipe", b"".join(lines)
    os.mkfifo(pipe)
    train = process("train", pipe, "-b", 18, "--quiet", "-f", tmp_path / "m")
    with open(pipe, "wb") as writer:  # waits for the reader; closed as if it had died
        writer.write(gzip.compress(text)[:2000] if packed else text[:5000])
    status, err = train.wait(SECONDS), without(train.stderr.read())
    if packed:
        sentence = f"lomtree: {pipe}: the compressed data ends too early\n"
        assert (status, err) == (1, sentence.encode())
    else:
        assert (status, err) == (0, b"")
    assert (tmp_path / "m").exists() != packed


def test_a_read_error_is_one_sentence(lomtree, model, tmp_path):
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("needs a file that cannot be read")
    for arguments in (("train", "--quiet", "-f", tmp_path / "m"), ("predict", "-i", model)):
        result = lomtree(*arguments, "/proc/self/mem")
        assert_one_sentence(result, "/proc/self/mem: cannot be read (input/output error)")
    assert not (tmp_path / "m").exists()


def test_debug_shows_where_an_error_was_found(lomtree, tmp_path):
    arguments = ("train", "--quiet", tmp_path / "none", "-f", tmp_path / "m")
    plain = lomtree(*arguments)
    assert_one_sentence(plain, f"{tmp_path / 'none'}: no such file")
    result = lomtree("--debug", *arguments)
    assert result.status == 1
    assert result.err.startswith("Traceback (most recent call last):\n")
    assert "FileNotFoundError" in result.err  # what was behind the sentence
    assert result.err.endswith(plain.err)


def test_a_mistake_in_the_program_is_one_sentence_too(lomtree, data, tmp_path, monkeypatch):
    def fail(*_arguments):
        raise ValueError("two\nlines")

    monkeypatch.setattr(reader, "sniff_format", fail)
    arguments = ("train", "--quiet", data, "-f", tmp_path / "m")
    result = lomtree(*arguments)
    assert_one_sentence(result, "a mistake in the program, ValueError: two lines (", "--debug")
    assert "in fail" in lomtree("--debug", *arguments).err


def test_too_many_labels_are_told_by_file_and_line(lomtree, data, lines, tmp_path):
    names = list(dict.fromkeys(line.split()[0] for line in lines))
    line = next(n for n, line in enumerate(lines, 1) if line.startswith(names[10] + b" "))
    arguments = ("train", data, "-b", 18, "--quiet", "-f", tmp_path / "m")
    result = lomtree(*arguments, "--max-labels", 10)
    sentence = f"the label '{names[10].decode()}' is one more than the 10 that --max-labels allows"
    assert_one_sentence(result, f"{data}:{line}: {sentence}\n")
    assert not (tmp_path / "m").exists()
    assert lomtree(*arguments, "--max-labels", len(names)) == (0, b"", "")


def test_too_many_labels_in_a_cache(lomtree, data, tmp_path):
    cache = ("--cache", tmp_path / "cache")
    arguments = ("train", data, "-b", 18, "--quiet", *cache, "-f", tmp_path / "m")
    assert lomtree(*arguments).status == 0
    result = lomtree(*arguments, "--max-labels", 10)
    assert_one_sentence(result, f"{tmp_path / 'cache'}: the label 'class-", "than the 10 that")


def test_a_run_with_too_many_labels_goes_on_with_a_larger_bound(lomtree, data, model, tmp_path):
    path = tmp_path / "m.lom"
    arguments = ("train", data, "-b", 18, "--quiet", "--save-every", 10, "--resume", "-f", path)
    assert lomtree(*arguments, "--max-labels", 10).status == 1
    assert read_model(str(path), Purpose.LEARN).unfinished.done >= 10
    assert lomtree(*arguments, "--max-labels", 2**22) == (0, b"", "")
    assert path.read_bytes() == content(model)
