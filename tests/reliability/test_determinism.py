"""The same examples give the same bytes, however they come and wherever they are learned."""

import gzip
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

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


def test_models_and_predictions_are_the_same_to_the_byte(run, files, tmp_path):
    models, predictions = {}, {}
    for block, threads, way, form in product(BLOCKS, THREADS, ("file", "pipe"), files):
        path = files[form]
        given, stdin = ([path], b"") if way == "file" else ([], path.read_bytes())
        train = ("train", *OPTIONS, "--threads", threads, *given, "-f", tmp_path / "m")
        run(block, threads, *train, stdin=stdin)
        models[block, threads, way, form] = (tmp_path / "m").read_bytes()
        predict = ("predict", "-i", tmp_path / "m", "--top", 2, "--quiet", "--threads", threads)
        predictions[block, threads, way, form] = run(block, threads, *predict, *given, stdin=stdin)
    assert len(models) == 24
    assert len(set(models.values())) == 1
    assert len(set(predictions.values())) == 1


def test_kernels_just_compiled_give_what_kernels_found_give(run, files, tmp_path):
    """The first run of all compiles, into an empty folder; the second finds what it left."""
    folder, models = tmp_path / "kernels", []
    for _ in range(2):
        run(
            1 << 20, 2, "train", *OPTIONS, files["plain"], "-f", tmp_path / "m",
            NUMBA_CACHE_DIR=str(folder), XDG_CACHE_HOME=str(folder), TMPDIR=str(tmp_path),
        )  # fmt: skip
        models.append((tmp_path / "m").read_bytes())
        kept = sorted(folder.rglob("*.o"))
        assert kept
    run(1 << 20, 2, "train", *OPTIONS, files["plain"], "-f", tmp_path / "m")
    assert models == [(tmp_path / "m").read_bytes()] * 2
