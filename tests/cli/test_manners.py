"""How commands behave towards a person: what they say, show and leave behind."""

import fcntl
import os
import pty
import re
import signal
import struct
import termios
from contextlib import suppress

import pytest

from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose


def test_a_line_for_every_line(lomtree, model):
    text = b"\nclass-1 't1|words w1\n\n \n|words w2\nbad:label |words\n"
    done = lomtree("predict", "-i", model, "--on-error", "skip", stdin=text)
    lines = done.out.split(b"\n")
    assert [bool(line) for line in lines] == [False, True, False, False, True, False, False]
    assert lines[1].endswith(b" t1")
    ranked = lomtree("predict", "-i", model, "--top", 2, "--on-error", "skip", stdin=text)
    assert [bool(line) for line in ranked.out.split(b"\n")] == [bool(line) for line in lines]
    libsvm = b"# a comment\na 1:1\n\na 2:1 # and\n"
    out = lomtree("predict", "-i", model, "--format", "libsvm", "--quiet", stdin=libsvm).out
    assert [bool(line) for line in out.splitlines()] == [False, True, False, True]


def test_a_bad_line_stops_after_the_lines_before_it(lomtree, model):
    done = lomtree("predict", "-i", model, stdin=b"\na |words w1\n\nb:c |words\na |words\n")
    assert done.status == 1
    assert [bool(line) for line in done.out.splitlines()] == [False, True, False]


def test_inspect_takes_the_model_either_way(lomtree, model):
    assert lomtree("inspect", model) == lomtree("inspect", "-i", model)
    for arguments in ([], [model, "-i", model]):
        done = lomtree("inspect", *arguments)
        assert done.status == 2
        assert "Name the model once" in done.err


def depth_line(text: str) -> str:
    [line] = re.findall(r"^depth +(.*)$", text, re.MULTILINE)
    return line


@pytest.mark.parametrize("algorithm", ["lomtree", "rtree"])
def test_the_mean_depth_is_the_same_number_wherever_it_is_shown(lomtree, data, tmp_path, algorithm):
    target = tmp_path / "m.lom"
    told = lomtree("train", data, "-b", 18, "--algorithm", algorithm, "--passes", 3, "-f", target)
    shown = lomtree("inspect", target).out.decode()
    assert depth_line(told.err) == depth_line(shown)


def test_the_most_impure_leaves_are_the_most_impure(lomtree, data, tmp_path):
    import json

    target = tmp_path / "m.lom"
    lomtree("train", data, "-b", 18, "-T", 4, "--quiet", "-f", target)
    found = json.loads(lomtree("inspect", target, "--json").out)["summary"]["most_impure_leaves"]
    entropies = [leaf["entropy"] for leaf in found]
    assert len(entropies) > 2
    assert entropies == sorted(entropies, reverse=True)


def test_resuming_what_has_ended_says_so(lomtree, data, tmp_path):
    target = tmp_path / "m.lom"
    train = ("train", data, "-b", 18, "--save-every", 100, "--resume", "-f", target)
    assert lomtree(*train).status == 0
    before = target.read_bytes()
    done = lomtree(*train)
    assert (done.status, done.err) == (0, f"{target}: nothing to resume, its training has ended\n")
    assert target.read_bytes() == before
    assert lomtree(*train, "--predict-only", "-f", tmp_path / "small.lom").status == 0
    assert lomtree(*train, "--predict-only", "-f", tmp_path / "small.lom").status == 0


def test_a_finished_model_named_by_i_is_trained_on(lomtree, data, model):
    on = ("train", data, "-i", model, "-f", model, "--save-every", 100, "--resume", "--quiet")
    before = read_model(model, Purpose.LEARN).learner.examples
    assert lomtree(*on).status == 0
    assert read_model(model, Purpose.LEARN).learner.examples == 2 * before


def interrupted(process, lines, *arguments) -> bytes:
    """What a training says that gets Ctrl-C after it has learned most of these lines."""
    training = process("train", "-b", 18, "-P", 50, *arguments)
    training.stdin.write(b"".join(lines))
    training.stdin.flush()
    for line in training.stderr:
        if line.split()[2:3] == [b"250"]:
            break
    training.send_signal(signal.SIGINT)
    rest = training.stderr.read()
    assert training.wait() == 130
    return rest


def test_ctrl_c_names_the_option_that_would_have_helped(process, lines, tmp_path):
    target = tmp_path / "m.lom"
    said = interrupted(process, lines, "-f", target)
    assert said.splitlines()[-1] == (
        b"lomtree: interrupted; no model was written "
        b"(--save-every N writes checkpoints to go on from)"
    )
    assert not target.exists()


def test_ctrl_c_says_what_was_saved(process, lines, tmp_path):
    target = tmp_path / "m.lom"
    said = interrupted(process, lines, "-f", target, "--save-every", 100)
    [done] = re.findall(rb"m.lom holds the checkpoint after (200|300) examples", said)
    assert read_model(str(target), Purpose.LEARN).unfinished.done == int(done)


def on_a_terminal(process, *arguments) -> str:
    """What a command writes to a terminal that is its stderr."""
    mine, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    running = process(*arguments, stderr=its)
    running.communicate()
    written = b""
    os.set_blocking(mine, False)
    with suppress(BlockingIOError):  # all has been read
        while piece := os.read(mine, 1 << 16):
            written += piece
    os.close(mine)
    os.close(its)
    assert running.returncode == 0
    return written.decode()


@pytest.mark.parametrize("command", ["predict", "test"])
def test_a_bar_on_a_terminal(process, data, model, command):
    assert "%|" in on_a_terminal(process, command, data, "-i", model)
    assert "%|" not in on_a_terminal(process, command, data, "-i", model, "--quiet")
