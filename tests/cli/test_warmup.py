"""A first run is helped by another process, which compiles what the run will want later."""

import subprocess
import sys
import threading

import pytest

from lomtree.cli import warmup
from lomtree.core.algorithms import ALGORITHMS
from lomtree.jit import cache, callee, kernel
from tests.generators.processes import SECONDS

RECORD = """
import sys
from lomtree.jit import cache
find, names = cache.find, set()
def recorded(name):
    names.add(name)
    return find(name)
cache.find = recorded
{work}
print(*sorted(names))
"""
DEMO = """
import os, sys, tempfile
from lomtree.cli.main import cli
with tempfile.TemporaryDirectory() as folder:
    path, data = os.path.join(folder, "model"), os.path.join(folder, "data")
    open(data, "wb").write(sys.stdin.buffer.read())
    for words in (
        ["train", "--quiet", "--algorithm", {!r}, {!r}, "-f", path, data],
        ["predict", "--quiet", "-i", path, "-p", os.devnull, data],
    ):
        cli.main(words, standalone_mode=False, obj={{}})
"""
HELP = "from lomtree.cli.warmup import rehearse; rehearse({!r}, {!r})"


def kernels_of(work: str) -> set[str]:
    """The names of the kernels, with the forms of their arguments, that this work wants."""
    text = "".join(f"{number % 90} |f a{number % 90} b{number % 7}\n" for number in range(300))
    program = [sys.executable, "-c", RECORD.format(work=work)]
    done = subprocess.run(program, input=text, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("ranker", ["ranker", ""])
def test_the_other_process_compiles_what_training_and_predicting_want(algorithm, ranker):
    helped = kernels_of(HELP.format(algorithm, ranker))
    wanted = kernels_of(DEMO.format(algorithm, "--ranker" if ranker else "--no-ranker"))
    assert any(".learn-" in name for name in helped)
    assert {name for name in helped if ".learn-" in name} <= wanted
    assert len(helped - wanted) <= 3  # tables of few examples may be packed in another way
    assert len(helped & wanted) >= 0.7 * len(wanted)


def test_it_is_started_when_something_has_to_be_compiled_and_only_once(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(callee, "_why_plain", "")  # whatever other tests have left
    started = []
    kernel.compile_beside(lambda: started.append(1))
    kernels = [kernel.kernel(lambda x: x + 1), kernel.kernel(lambda x: x + 1.5)]
    assert started == []
    assert [kernel(number) for kernel, number in zip(kernels, (1, 1.5), strict=True)] == [2, 3]
    assert started == [1]


class Ended:
    def wait(self) -> int:
        return 0


@pytest.mark.parametrize(("cores", "processes"), [(1, 0), (2, 1), (None, 0)])
def test_one_core_has_no_room_for_another_process(monkeypatch, cores, processes):
    started = []
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    monkeypatch.setattr(
        subprocess, "Popen", lambda *given, **more: started.append(given) or Ended()
    )
    warmup.start("lomtree")
    assert len(started) == processes


def test_when_the_other_process_has_ended_nothing_of_it_is_left(monkeypatch):
    """A zombie would have its number until the run ends."""
    started, start, ended = [], subprocess.Popen, threading.Event()

    class Process(start):
        def wait(self, timeout=None):
            code = super().wait(timeout)
            ended.set()
            return code

    def recorded(*given, **more):
        started.append(Process([sys.executable, "-c", ""], **more))
        return started[-1]

    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", recorded)
    warmup.start("lomtree")
    assert ended.wait(SECONDS)
    assert started[0].returncode == 0


def test_a_process_waits_for_the_code_that_another_is_compiling(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    program = (
        "import fcntl\n"
        "lock = fcntl.flock\n"
        "waits = []\n"
        "def flock(*given):\n"
        "    waits or print('waits', flush=True)\n"
        "    waits.append(1)\n"
        "    lock(*given)\n"
        "fcntl.flock = flock\n"
        "from lomtree.jit import cache\n"
        "with cache.locked('a.o'):\n"
        "    print(cache.find('a.o').symbol)"
    )
    with cache.locked("a.o"):
        other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
        assert other.stdout.readline() == b"waits\n"
        assert other.poll() is None
        cache.keep("a.o", cache.Code("kept", "q", b""))
    assert other.communicate(timeout=SECONDS)[0] == b"kept\n"
