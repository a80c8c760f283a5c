"""Models and predictions are the same bytes in whatever way kernels are called."""

import os
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import pytest

from lomtree.jit import kernel

# The commands run in one process: a plain one compiles everything that they need.
PROGRAM = """
import sys
from lomtree.cli.main import cli
for words in {commands}:
    cli.main(words, standalone_mode=False, obj={{}})
print(*sorted({{"numba", "lomtree.jit.native", "lomtree.jit.lowering"}} & set(sys.modules)))
"""
SWITCHES = {
    "usual": {},
    "plain": {"LOMTREE_PLAIN_NJIT": "1"},
    "interpreted": {"NUMBA_DISABLE_JIT": "1"},
}
# Without scales there is no large table of them to be written, which takes Python long.
OPTIONS = {
    "lomtree": ["--scale", "none", "--passes", "2"],
    "oaa": ["--algorithm", "oaa"],
}
FILES = ("model", "walked", "searched")


def text_of(form: str) -> str:
    """45 lines. The names of VW's format take more kinds of instructions, but also more time to be
    compiled, than the numbers of libsvm's."""
    if form == "vw":
        return "".join(
            f"c{n % 5 + n // 30} {1 + n % 3} 't{n}|a w{n % 5} much_longer{n % 7}:{n / 7} |b:0.5 x\n"
            for n in range(45)
        )
    return "".join(
        f"{n % 5 + n // 30} {n % 5}:1 {7 + n % 7}:{n / 7} {20 + n % 11}:2e-3\n" for n in range(45)
    )


class Run:
    """The commands of some learners, each with a form of text, in a process of their own."""

    def __init__(self, way: str, jobs: list[tuple[str, str]], folder: Path) -> None:
        self._folder, commands = folder, []
        for algorithm, form in jobs:
            (folder / algorithm / form).mkdir(parents=True)
            (folder / algorithm / form / "data").write_text(text_of(form))
            commands += self._commands(algorithm, form)
        package = {"PYTHONPATH": str(Path(kernel.__file__).parents[2])}
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(commands=commands)],
            env={**os.environ, **package, **SWITCHES[way]},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _commands(self, algorithm: str, form: str) -> list[list[str]]:
        data, *files = (str(self._folder / algorithm / form / name) for name in ("data", *FILES))
        prediction = ["predict", "--quiet", "-i", files[0], data, "-p"]
        return [
            ["train", "-b", "12", *OPTIONS[algorithm], data, "-f", files[0]],
            [*prediction, files[1]],
            [*prediction, files[2], "--beam", "4", "--top", "3"],
        ]

    @cached_property
    def said(self) -> tuple[str, str]:
        """What the process wrote until its end."""
        out, err = self._process.communicate()
        assert self._process.returncode == 0, err
        return out, err

    def files(self, algorithm: str, form: str) -> list[bytes]:
        assert self.said
        return [(self._folder / algorithm / form / name).read_bytes() for name in FILES]

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


JOBS = {
    "usual": [("oaa", "libsvm"), ("lomtree", "vw")],
    "plain": [("oaa", "libsvm")],  # plain numba takes minutes for all kernels of a tree
    "interpreted": [("oaa", "libsvm"), ("lomtree", "vw")],
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """All of them begin at once, and share the cores."""
    top = tmp_path_factory.mktemp("runs")
    started = {way: Run(way, jobs, top / way) for way, jobs in JOBS.items()}
    yield started
    for run in started.values():
        run.kill()


@pytest.mark.parametrize("way", ["plain", "interpreted"])
def test_every_way_gives_the_same_bytes(runs, way):
    for job in JOBS[way]:
        usual = runs["usual"].files(*job)
        assert all(usual)
        assert len(set(usual[2].splitlines())) > 5
        assert runs[way].files(*job) == usual
    assert "plain" not in runs["usual"].said[1]
    modules, err = runs[way].said
    if way == "plain":
        assert modules == "numba\n"
        said = err.count("compiling with plain numba.njit, in every run: LOMTREE_PLAIN_NJIT")
        assert said == len(JOBS[way])  # once by every training
    else:
        assert modules == "\n"
        assert "compiling" not in err
