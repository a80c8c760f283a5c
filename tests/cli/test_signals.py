"""Signals one after the other, little memory, and streams of any encoding: one sentence each."""

import errno
import os
import signal
import subprocess

import pytest

from lomtree import __main__ as program
from lomtree.system.threads import ENDING
from tests.generators.processes import reset_sigint, without

PAIRS = [
    (signal.SIGINT, signal.SIGTERM, 130, b"interrupted"),
    (signal.SIGTERM, signal.SIGINT, 143, b"terminated"),
    (signal.SIGHUP, signal.SIGTERM, 129, b"terminated"),
    (signal.SIGTERM, signal.SIGTERM, 143, b"terminated"),
]


@pytest.mark.parametrize(("first", "second", "status", "word"), PAIRS)
def test_a_second_signal_changes_nothing(process, lines, tmp_path, first, second, status, word):
    training = process(
        "train", "-b", 18, "-P", 100, "-f", tmp_path / "m.lom", preexec_fn=reset_sigint
    )
    training.stdin.write(b"".join(lines))
    training.stdin.flush()
    for line in training.stderr:
        if line.split()[2:3] == [b"200"]:
            break
    training.send_signal(first)
    training.send_signal(second)
    said = training.stderr.read()
    assert training.wait() in (status, 128 + second)  # whichever was delivered first
    assert without(said).splitlines()[-1].startswith(b"lomtree: ")
    assert b"Traceback" not in said
    assert os.listdir(tmp_path) == []


def test_a_signal_while_another_is_being_handled_is_left_aside(monkeypatch):
    set_to = {}
    monkeypatch.setattr(signal, "signal", set_to.__setitem__)
    with pytest.raises(program.Stopped):
        program._stop(signal.SIGINT, None)
    assert set(set_to) == set(ENDING)
    for number, handler in set_to.items():
        assert handler(number, None) is None


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        ImportError("libx.so: failed to map segment from shared object"),
    ],
)
def test_too_little_memory_is_called_by_its_name(error, capsys):
    assert program._status_of(error) == 1
    assert capsys.readouterr().err == "lomtree: not enough memory\n"


def test_whoever_loads_a_library_may_say_something_else_first(capsys):
    """As llvmlite does, which knows nothing but that it is not there."""
    with pytest.raises(OSError, match="Could not find") as raised:  # noqa: PT012
        try:
            raise OSError("libllvmlite.so: failed to map segment from shared object")
        except OSError:
            raise OSError("Could not find/load shared object file")  # noqa: B904
    assert program._status_of(raised.value) == 1
    assert capsys.readouterr().err == "lomtree: not enough memory\n"


def test_other_errors_are_not_blamed_on_memory(capsys):
    assert program._status_of(RuntimeError("no such luck")) == 1
    assert "a mistake in the program" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_a_standard_output_of_any_encoding_gets_the_bytes_of_the_labels(
    process, tmp_path, encoding
):
    data, model = tmp_path / "d.vw", tmp_path / "m.lom"
    data.write_bytes("zürich |f a\n日本 |f b\n".encode() * 20 + b"\xff |f c\n")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C"}
    train = process("train", data, "-b", 18, "--quiet", "-f", model)
    assert train.wait() == 0
    for command in (("inspect", model, "--tree"), ("inspect", model, "--label", "日本")):
        words = [*train.args[:3], *map(str, command)]
        package = {**environment, "PYTHONPATH": os.path.dirname(os.path.dirname(program.__file__))}
        done = subprocess.run(words, env=package, capture_output=True)
        assert (done.returncode, without(done.stderr)) == (0, b"")
        assert "日本".encode() in done.stdout


def test_a_path_of_any_bytes_can_be_named(process, tmp_path):
    missing = os.path.join(os.fsencode(tmp_path), b"n\xffo.vw")
    done = process("train", os.fsdecode(missing), "-f", tmp_path / "m.lom")
    assert b"n\xffo.vw: no such file" in done.communicate()[1]
    assert done.returncode == 1


def test_what_goes_wrong_while_the_run_is_being_left_is_no_news(capsys):
    """distributed closes its client with an assertion."""
    with pytest.raises(AssertionError) as raised:  # noqa: PT012
        try:
            raise program.Stopped(signal.SIGTERM)
        finally:
            raise AssertionError
    assert program._status_of(raised.value) == 128 + signal.SIGTERM
    assert capsys.readouterr().err == "lomtree: terminated\n"
