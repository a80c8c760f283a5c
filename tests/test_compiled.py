"""Kernels are compiled once, called without numba, and never outlive the sources."""

import math
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from lomtree import compiled, kernel_store
from lomtree.machine import prefetch


@pytest.fixture
def kept(monkeypatch) -> dict:
    """What kernels keep, instead of files."""
    store: dict = {}
    monkeypatch.setattr(kernel_store, "keep", store.__setitem__)
    monkeypatch.setattr(kernel_store, "find", store.get)
    return store


class Pair(NamedTuple):
    numbers: np.ndarray
    factor: float


@compiled.kernel
def add(a, b):
    """Add them."""
    return a + b


@compiled.kernel
def sum_up(pair, flag, table, small):
    """Every kind of argument, and a kernel that another one calls."""
    total = 0.0
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            total = add(total, table[row, column] * pair.factor)
    for number in pair.numbers:
        total = add(total, number)
    table[0, 0] = -1
    return total, len(pair.numbers), not flag, np.float32(0.5) * small


def test_every_kind_of_argument_and_result(kept):
    table = np.arange(6, dtype=np.int16).reshape(2, 3)
    result = sum_up(Pair(np.ones(4, np.float32), 2.0), False, table, np.float32(3))
    assert result == (34.0, 4, True, 1.5)
    assert [type(value) for value in result] == [float, int, bool, float]
    assert table[0, 0] == -1
    assert (add(2, 3), add(2.5, 3), add(np.uint8(200), np.uint8(100))) == (5, 5.5, 300)
    assert add(np.uint64(2**63), np.uint64(5)) == 2**63 + 5
    assert add.__doc__ == "Add them."


def test_strided_and_read_only_arrays(kept):
    @compiled.kernel
    def last(array):
        return array[len(array) - 1]

    numbers = np.arange(10)
    assert (last(numbers), last(numbers[::3]), last(numbers[::-1])) == (9, 9, 0)
    numbers.flags.writeable = False
    assert last(numbers) == 9
    records = np.zeros(3, [("a", np.int32), ("b", np.float64)])
    records["b"] = 1, 2, 3
    assert last(records["b"]) == 3


def test_nothing_is_returned_as_none(kept):
    @compiled.kernel
    def fill(array, value):
        for position in range(len(array)):
            array[position] = value

    array = np.zeros(3)
    assert fill(array, 7.0) is None
    assert array.tolist() == [7, 7, 7]


def test_a_form_is_compiled_once_and_then_found(kept, monkeypatch):
    first = compiled.kernel(add._function)
    assert (first(1, 2), first(3, 4), first(1.5, 2)) == (3, 7, 3.5)
    assert len(kept) == 2
    monkeypatch.setattr(compiled.Kernel, "_compile", None)
    assert compiled.kernel(add._function)(20, 22) == 42
    with pytest.raises(TypeError):
        compiled.kernel(add._function)(np.int32(1), np.int32(2))


def test_a_kernel_that_needs_numba_s_run_time_is_refused(kept):
    @compiled.kernel
    def scale(x):
        return math.ldexp(x, 3)

    with pytest.raises(RuntimeError, match="scale calls functions of numba's run time"):
        scale(1.5)
    assert not kept


def test_numbers_of_many_digits_are_read_by_kept_code(lomtree, process, tmp_path):
    """Once they were scaled by a function that only numba has."""
    for text in (b"1 |f a:0.30000001192092896 b:1e-30\n", b"1 3:0.30000001192092896 4:1e30\n"):
        assert lomtree("train", "-b", 18, "-f", tmp_path / "m", stdin=text).status == 0
        again = process("train", "-b", 18, "--quiet", "-f", tmp_path / "again")
        assert again.communicate(text) == (b"", b"")
        assert again.returncode == 0
        assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_instructions_are_for_kernels_only():
    with pytest.raises(TypeError, match="only kernels can use prefetch"):
        prefetch(np.zeros(1), 0)


def test_a_run_that_finds_all_code_does_without_numba(model, data):
    script = (
        "import sys\nfrom lomtree.model_file import read_model\nfrom lomtree.reader import Reader\n"
        "from lomtree.answers import score_examples\n"
        f"score = score_examples(read_model({model!r}, False), Reader([{data!r}]))\n"
        "print(score.examples, 'numba' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[1].stdout == "300 False\n"


@pytest.fixture
def announced():
    compiled.announce_compilation()
    yield
    compiled._announced = True


def test_compiling_is_said_once_in_one_line(announced, kept, capsys):
    for kernel in (compiled.kernel(lambda x: x + 1), compiled.kernel(lambda x: x + 2)):
        kernel(1)
    err = capsys.readouterr().err
    assert err.startswith("compiling")
    assert err.count("\n") == 1


@pytest.mark.parametrize("stream", [None, "closed pipe"])
def test_compiling_goes_on_if_nobody_reads_stderr(announced, kept, monkeypatch, stream):
    class Closed:
        def write(self, _text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed() if stream else None)
    assert compiled.kernel(lambda x: x + 3)(1) == 4
