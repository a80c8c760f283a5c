"""The same examples give the same bytes, however they come and wherever they are learned."""

import gzip
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from lomtree.formats import source
from lomtree.jit import kernel

# Runs the program with blocks of another size, which is no option.
PROGRAM = "import sys; from lomtree.formats import source; source.BLOCK_BYTES = {}; from lomtree import __main__; __main__.program()"  # fmt: skip # noqa: E501
OPTIONS = ("-b", "18", "-T", "15", "-R", "1", "--passes", "2", "--holdout", "0.1", "--quiet")
OPTIONS += ("--max-statistics", "150", "--trees", "2")
BLOCKS = (13, 4096, 1 << 20)
THREADS = (1, 3)


@pytest.fixture
def run(tmp_path):
    """Run the program as a process of its own, with blocks of this size and so many threads."""

    def start(block: int, threads: int, *arguments, stdin: bytes = b"", **more) -> bytes:
        environment = {
            **os.environ,
            "PYTHONPATH": str(Path(kernel.__file__).parents[2]),
            "NUMBA_NUM_THREADS": str(threads),
            "OMP_NUM_THREADS": str(threads),
            **more,
        }
        command = [sys.executable, "-c", PROGRAM.format(block), *map(str, arguments)]
        done = subprocess.run(command, env=environment, input=stdin, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    return start


@pytest.fixture
def files(data, lines, tmp_path) -> dict[str, Path]:
    packed = tmp_path / "data.vw.gz"
    packed.write_bytes(gzip.compress(b"".join(lines)))
    return {"plain": Path(data), "packed": packed}


def test_models_and_predictions_are_the_same_to_the_byte(
    run, lomtree, files, tmp_path, monkeypatch
):
    """From files in this process, from pipes in others."""

    def here(block: int, *arguments) -> bytes:
        monkeypatch.setattr(source, "BLOCK_BYTES", block)
        done = lomtree(*arguments)
        assert (done.status, done.err) == (0, "")
        return done.out

    model, found = tmp_path / "m", set()
    predict = ("predict", "-i", model, "--top", 2, "--quiet", "--threads")
    for block, threads, form in product(BLOCKS, THREADS, files):
        here(block, "train", *OPTIONS, "--threads", threads, files[form], "-f", model)
        predictions = here(block, *predict, threads, files[form])
        found.add((model.read_bytes(), predictions))
    for block, threads, form in zip(BLOCKS, (3, 1, 3), ("plain", "packed", "packed"), strict=True):
        text = files[form].read_bytes()
        run(block, threads, "train", *OPTIONS, "--threads", threads, "-f", model, stdin=text)
        predictions = run(block, threads, *predict, threads, stdin=text)
        found.add((model.read_bytes(), predictions))
    assert len(found) == 1


def test_kernels_just_compiled_give_what_kernels_found_give(run, files, tmp_path):
    """The first run of all compiles, into an empty folder; the second finds what it left."""
    folder, models = tmp_path / "kernels", []
    options = (*OPTIONS, "--no-ranker")  # of which there is less to compile
    for _ in range(2):
        run(
            1 << 20, 2, "train", *options, files["plain"], "-f", tmp_path / "m",
            NUMBA_CACHE_DIR=str(folder), XDG_CACHE_HOME=str(folder), TMPDIR=str(tmp_path),
        )  # fmt: skip
        models.append((tmp_path / "m").read_bytes())
        kept = sorted(folder.rglob("*.o"))
        assert kept
    run(1 << 20, 2, "train", *options, files["plain"], "-f", tmp_path / "m")
    assert models == [(tmp_path / "m").read_bytes()] * 2
