"""A process that waits for ever is told from one that only has to wait for a processor."""

import os
import signal
import subprocess
import sys
import time

import pytest

from scripts.reliability.watching import is_asleep, wait_awake

LOOKS = {"looks": 5, "seconds": 0.02}


@pytest.fixture
def start():
    started = []

    def run(program: str) -> int:
        started.append(subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE))
        assert started[-1].stdout.readline() == b"ready\n"
        return started[-1].pid

    yield run
    for one in started:
        one.kill()
        one.wait()
        one.stdout.close()


def state_of(process: int) -> str:
    with open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


SAY = "print('ready', flush=True); "


def test_one_that_waits_for_ever_is_asleep(start):
    assert not wait_awake(start(SAY + "import signal; signal.pause()"), **LOOKS)


def test_one_that_works_is_waited_for(start):
    work = "import time\nwhile time.process_time() < 0.5: pass"
    assert wait_awake(start("print('ready', flush=True)\n" + work), **LOOKS)


def test_one_that_waits_for_another_that_works_is_waited_for(start):
    work = "import time\nwhile time.process_time() < 0.5: pass"
    program = f"import subprocess, sys; {SAY} subprocess.run([sys.executable, '-c', {work!r}])"
    assert wait_awake(start(program), **LOOKS)


def test_one_that_was_stopped_is_not_asleep(start):
    process = start(SAY + "import signal; signal.pause()")
    while state_of(process) != "S":
        time.sleep(0.01)
    assert is_asleep(process)
    os.kill(process, signal.SIGSTOP)
    while state_of(process) != "T":
        time.sleep(0.01)
    assert not is_asleep(process)
