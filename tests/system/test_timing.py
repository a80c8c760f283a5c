"""--timings tells where the time went, and nothing else changes."""

import re

import pytest

from lomtree.system import timing
from lomtree.system.timing import Clock, Stopwatch


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves only when it is told to."""
    now = [0.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])

    def pass_by(seconds):
        now[0] += seconds

    return pass_by


def test_stages_add_up(clock):
    watch = Stopwatch()
    for seconds in (1, 2):
        with watch.stage("parse", bytes=3e6):
            clock(seconds)
        watch.count("parse", features=6e6)
    with watch.stage("learn", examples=100):
        clock(4)
    assert watch.seconds == {"parse": 3, "learn": 4}
    assert watch.report().splitlines() == [
        "stage         seconds  rate",
        "parse           3.000  2 MB/s, 4 million features/s",
        "learn           4.000  25 examples/s",
        "whole run       7.000",
    ]


def test_waiting_for_items_is_a_stage(clock):
    def slow():
        for number in range(3):
            clock(2)
            yield number

    watch = Stopwatch()
    for _ in watch.each("read", slow()):
        clock(10)
    assert watch.seconds == {"read": 6}


def test_a_stage_that_fails_is_timed(clock):
    watch = Stopwatch()

    def fail():
        with watch.stage("parse"):
            clock(5)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert watch.seconds == {"parse": 5}


def test_a_clock_leaves_out_what_the_compiler_takes(clock, monkeypatch):
    monkeypatch.setattr(timing, "watch", Stopwatch())
    with timing.watch.stage("compile"):
        clock(3)
    running = Clock()
    clock(2)
    with timing.watch.stage("compile"):
        clock(100)
    assert running.seconds == 2


def test_timings_of_every_command(lomtree, data, model, tmp_path, monkeypatch):
    stages = {
        ("train", data, "-f", tmp_path / "m"): {"read", "parse", "scale", "learn", "write model"},
        ("predict", data, "-i", model): {"read model", "read", "parse", "predict", "write"},
        ("test", data, "-i", model): {"read model", "read", "parse", "predict"},
    }
    for arguments, expected in stages.items():
        timing.watch.seconds.clear()
        timing.watch.amounts.clear()
        silent = lomtree(*arguments, "--quiet")
        timed = lomtree(*arguments, "--quiet", "--timings")
        assert silent.err == ""
        if arguments[0] == "predict":
            assert timed.out == silent.out
        rows = re.findall(r"^(\w+(?: \w+)?) +\d+\.\d{3}", timed.err, re.MULTILINE)
        assert set(rows) - {"compile"} == expected | {"whole run"}
        assert re.search(r"^parse .* MB/s, .* million features/s$", timed.err, re.MULTILINE)
