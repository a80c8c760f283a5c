"""What several test files need: the program run in this process, and something to learn."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from lomtree import Model, Options, learn, write_model
from lomtree import __main__ as program
from lomtree import open as read
from lomtree.jit import kernel

# Without it scikit-learn leaves out one of its checks. scipy looks for it when it is imported.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

# Time tells nothing about a test: the machine is busy, or the first example compiles.
settings.register_profile("lomtree", deadline=None)
settings.load_profile("lomtree")


class Result(NamedTuple):
    status: int
    out: bytes
    err: str


@pytest.fixture
def lomtree(monkeypatch, capfdbinary, tmp_path_factory):
    """Run a command as the shell would, but in this process; stdin is a file with these bytes."""
    monkeypatch.setattr(kernel, "announce_compilation", lambda: None)
    folder = tmp_path_factory.mktemp("stdin")

    def run(*arguments, stdin: bytes = b"") -> Result:
        (folder / "stdin").write_bytes(stdin)
        monkeypatch.setattr(sys, "argv", ["lomtree", *map(str, arguments)])
        before, given = os.dup(0), os.open(folder / "stdin", os.O_RDONLY)
        os.dup2(given, 0)
        capfdbinary.readouterr()
        try:
            with pytest.raises(SystemExit) as exit:
                program.main()
        finally:
            os.dup2(before, 0)
            os.close(before)
            os.close(given)
        out, err = capfdbinary.readouterr()
        return Result(exit.value.code or 0, out, err.decode())

    return run


@pytest.fixture
def process():
    """Start `lomtree ARGUMENTS` as a process of its own, with pipes; ended when the test ends."""
    started = []

    def start(*arguments, **settings) -> subprocess.Popen:
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        command = [sys.executable, "-m", "lomtree", *map(str, arguments)]
        package = {**os.environ, "PYTHONPATH": str(Path(kernel.__file__).parents[2])}
        started.append(subprocess.Popen(command, env=package, **(pipes | settings)))
        return started[-1]

    yield start
    for one in started:
        if one.poll() is None:
            one.kill()
        one.wait()
        for pipe in (one.stdin, one.stdout, one.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()


def _words_of(label: int, rng: random.Random) -> str:
    """Words that tell the label, and some that do not."""
    words = [f"w{label}", f"v{label % 5}", *(f"noise{rng.randrange(40)}" for _ in range(3))]
    return " ".join(rng.sample(words, len(words)))


@pytest.fixture(scope="session")
def lines() -> list[bytes]:
    """300 lines of VW text with 20 classes, of which the later ones appear later."""
    rng = random.Random(1)
    labels = [rng.randrange(2 + number * 18 // 299) for number in range(300)]
    return [f"class-{label} |words {_words_of(label, rng)}\n".encode() for label in labels]


@pytest.fixture
def data(lines, tmp_path) -> str:
    """A file with these lines."""
    path = tmp_path / "data.vw"
    path.write_bytes(b"".join(lines))
    return str(path)


@pytest.fixture(scope="session")
def model_bytes(lines, tmp_path_factory) -> bytes:
    """What `train -b 18` writes after these lines; learned once, for many tests."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "data.vw").write_bytes(b"".join(lines))
    model = learn(Model.new(Options(bits=18)), read(str(folder / "data.vw")))
    write_model(model, str(folder / "model.lom"))
    return (folder / "model.lom").read_bytes()


@pytest.fixture
def model(model_bytes, tmp_path) -> str:
    """A file with that model, which is the test's own."""
    path = tmp_path / "model.lom"
    path.write_bytes(model_bytes)
    return str(path)
