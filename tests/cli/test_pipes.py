"""The program among other programs: pauses, closed pipes, signals and full disks."""

import fcntl
import gzip
import json
import os
import pty
import signal
import stat
import struct
import subprocess
import termios

import pytest

from lomtree.formats import source
from tests.generators.processes import SECONDS, content, read_line, reset_sigint, without

needs_full_device = pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="needs a device that is always full"
)


def test_one_line_in_one_line_back(process, model, lines):
    talk = process("predict", "-i", model)
    predictions = []
    for line in lines[:20]:
        talk.stdin.write(line)
        talk.stdin.flush()
        predictions.append(read_line(talk.stdout))
    talk.stdin.write(b"|words w1")  # the end ends the last line too
    rest, err = talk.communicate(timeout=SECONDS)
    assert (talk.returncode, without(err)) == (0, b"")
    assert all(prediction.startswith(b"class-") for prediction in [*predictions, rest])
    assert rest.count(b"\n") == 1


def test_the_model_is_the_same_however_the_text_comes(lomtree, model, lines, tmp_path):
    """As a file, through stdin, compressed, or in several files."""
    paths = [str(tmp_path / name) for name in ("half.vw", "rest.vw.gz")]
    with open(paths[0], "wb") as half, gzip.open(paths[1], "wb") as rest:
        half.write(b"".join(lines[:111]))
        rest.write(b"".join(lines[111:]))
    text = b"".join(lines)
    for arguments, stdin in (
        ([], text),
        (["-"], gzip.compress(text)),
        (paths, b""),
        ([paths[0], "-"], b"".join(lines[111:])),
    ):
        train = ("train", "-b", 18, "--quiet", *arguments, "-f", tmp_path / "other.lom")
        assert lomtree(*train, stdin=stdin) == (0, b"", "")
        assert content(tmp_path / "other.lom") == content(model)


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_the_model_is_the_same_wherever_blocks_end(
    lomtree, model, lines, tmp_path, monkeypatch, block
):
    monkeypatch.setattr(source, "BLOCK_BYTES", block)
    text = b"".join(lines)
    for stdin in (text, gzip.compress(text)):
        lomtree("train", "-b", 18, "--quiet", "-f", tmp_path / "other.lom", stdin=stdin)
        assert content(tmp_path / "other.lom") == content(model)


def test_a_pipe_in_pieces_gives_the_model_of_the_file(process, model, lines, tmp_path):
    text = b"".join(lines)
    train = process("train", "-b", 18, "-f", tmp_path / "piped.lom", bufsize=0)
    head = read_line(train.stderr)
    for begin in range(0, len(text), 777):
        train.stdin.write(text[begin : begin + 777])
    out, err = train.communicate(timeout=SECONDS)
    assert (train.returncode, out) == (0, b"")
    assert b"examples           300" in head + err
    assert content(tmp_path / "piped.lom") == content(model)


def test_a_reader_that_goes_away_ends_the_program_quietly(process, model, lines):
    talk = process("predict", "-i", model)
    talk.stdin.write(lines[0])
    talk.stdin.flush()
    assert read_line(talk.stdout).startswith(b"class-")
    talk.stdout.close()
    talk.stdin.write(b"".join(lines))
    talk.stdin.close()
    assert without(talk.stderr.read()) == b""
    assert talk.wait(SECONDS) == 141


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"]])
def test_help_into_a_closed_pipe(process, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    helping = process(*arguments, stdout=writing)
    os.close(writing)
    assert helping.stderr.read() == b""
    assert helping.wait(SECONDS) == 141


def test_ctrl_c_leaves_the_old_model_as_it_was(process, model, lines, tmp_path):
    before = content(model)
    files = sorted(os.listdir(tmp_path))
    cache = tmp_path / "cache"
    train = process("train", "-i", model, "-f", model, "--cache", cache, preexec_fn=reset_sigint)
    train.stdin.write(b"".join(lines))
    train.stdin.flush()
    while b" 256 " not in read_line(train.stderr):  # the table's row: it is learning
        pass
    train.send_signal(signal.SIGINT)
    assert train.wait(SECONDS) == 130
    assert train.stderr.read().splitlines()[-1].startswith(b"lomtree: interrupted; no model")
    assert train.stdout.read() == b""
    assert content(model) == before
    assert sorted(os.listdir(tmp_path)) == files


def test_training_goes_on_when_nobody_reads_stderr(process, lines, model, tmp_path):
    train = process("train", "-b", 18, "-f", tmp_path / "unseen.lom")
    read_line(train.stderr)
    train.stderr.close()
    train.stdin.write(b"".join(lines))
    train.stdin.close()
    assert train.wait(SECONDS) == 0
    assert (tmp_path / "unseen.lom").stat().st_size == os.path.getsize(model)


def closed(descriptor: int):
    return lambda: os.close(descriptor)


def test_training_without_a_stderr(process, data, tmp_path):
    train = process("train", "-b", 18, data, "-f", tmp_path / "m", preexec_fn=closed(2))
    assert train.communicate(timeout=SECONDS)[0] == b""
    assert train.returncode == 0
    assert (tmp_path / "m").exists()


def test_training_without_a_stdout(process, data, tmp_path):
    train = process("train", "--quiet", "-b", 18, data, "-f", tmp_path / "m", preexec_fn=closed(1))
    assert train.communicate(timeout=SECONDS)[1] == b""
    assert train.returncode == 0


def test_predicting_without_a_stdout_is_an_error_in_one_line(process, data, model):
    predict = process("predict", "--quiet", "-i", model, data, preexec_fn=closed(1))
    err = predict.communicate(timeout=SECONDS)[1]
    assert (predict.returncode, err.count(b"\n")) == (1, 1)
    assert err.startswith(b"lomtree: ")


def test_no_stdin_is_an_error_in_one_line(process, model):
    predict = process("predict", "-i", model, stdin=None, preexec_fn=closed(0))
    out, err = predict.communicate(timeout=SECONDS)
    assert (predict.returncode, out) == (1, b"")
    assert without(err).startswith(b"lomtree: standard input: ")
    assert without(err).count(b"\n") == 1


@needs_full_device
def test_a_full_disk_is_one_sentence(lomtree, model, data):
    for arguments in (
        ("predict", "-i", model, data, "-p", "/dev/full"),
        ("train", "-b", 18, "--quiet", data, "-f", "/dev/full"),
    ):
        result = lomtree(*arguments)
        assert (result.status, result.out) == (1, b"")
        assert result.err.startswith("lomtree: /dev/full: ")
        assert result.err.endswith("No space left on device\n") or "(No space" in result.err
        assert result.err.count("\n") == 1


@needs_full_device
@pytest.mark.parametrize("command", ["predict", "test"])
def test_results_that_cannot_be_written_are_an_error(process, model, data, command):
    with open("/dev/full", "wb") as full:
        run = process(command, "--quiet", "-i", model, data, stdout=full)
        err = run.communicate(timeout=SECONDS)[1]
    assert (run.returncode, err.count(b"\n")) == (1, 1)
    assert b"No space left on device" in err


def test_a_model_written_over_another_keeps_permissions_and_links(lomtree, model, data, tmp_path):
    os.chmod(model, 0o640)
    os.symlink(model, tmp_path / "link.lom")
    link = str(tmp_path / "link.lom")
    assert lomtree("train", "--quiet", data, "-i", link, "-f", link).status == 0
    assert os.path.islink(link)
    assert stat.S_IMODE(os.stat(model).st_mode) == 0o640
    assert json.loads(lomtree("test", "--json", "-i", model, data).out)["examples"] == 300


def test_a_bar_is_shown_on_a_terminal_only(process, data, tmp_path):
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    train = process("train", "-b", 18, data, "-f", tmp_path / "m", stderr=terminal)
    os.close(terminal)
    shown = b""
    try:
        while piece := os.read(main, 1 << 16):
            shown += piece
    except OSError:  # how a terminal says that the other side has gone
        pass
    os.close(main)
    assert train.wait(SECONDS) == 0
    assert b"B/s" in shown
    assert b"examples           300" in shown
    quiet = process("train", "-b", 18, data, "-f", tmp_path / "m", stderr=subprocess.PIPE)
    assert b"B/s" not in quiet.communicate(timeout=SECONDS)[1]
