"""Kernels are compiled once, called without numba, and never outlive the sources."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest

from lomtree.jit import kernel
from lomtree.jit.intrinsics import trailing_zeros


class Pair(NamedTuple):
    numbers: np.ndarray
    factor: float


@kernel.kernel
def add(a, b):
    """Add them."""
    return a + b


@kernel.kernel
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


def test_strided_and_read_only_arrays(kept):
    @kernel.kernel
    def last(array):
        return array[len(array) - 1]

    numbers = np.arange(10)
    assert (last(numbers), last(numbers[::3]), last(numbers[::-1])) == (9, 9, 0)
    numbers.flags.writeable = False
    assert last(numbers) == 9
    records = np.zeros(3, [("a", np.int32), ("b", np.float64)])
    records["b"] = 1, 2, 3
    assert last(records["b"]) == 3


def test_other_threads_go_on_meanwhile(kept):
    @kernel.kernel
    def wait(turns, stop, most):
        while turns[0] < most and stop[0] == 0:
            turns[0] += 1
        return turns[0] < most

    turns, stop = np.zeros(1, np.int64), np.zeros(1, np.int64)
    wait(turns, stop, 0)  # it is compiled now
    with ThreadPoolExecutor(1) as pool:
        stopped = pool.submit(wait, turns, stop, 10**11)  # a minute, if nobody can stop it
        while turns[0] == 0:
            pass
        stop[0] = 1
        assert stopped.result()


def test_nothing_is_returned_as_none(kept):
    @kernel.kernel
    def fill(array, value):
        for position in range(len(array)):
            array[position] = value

    array = np.zeros(3)
    assert fill(array, 7.0) is None
    assert array.tolist() == [7, 7, 7]


def test_a_form_is_compiled_once_and_then_found(kept, monkeypatch):
    first = kernel.kernel(add.function)
    assert (first(1, 2), first(3, 4), first(1.5, 2)) == (3, 7, 3.5)
    assert len(kept) == 2
    monkeypatch.setattr(kernel.Kernel, "_compile", None)
    monkeypatch.setattr(kernel.Kernel, "_load_plain", None)
    assert kernel.kernel(add.function)(20, 22) == 42


def test_numbers_of_many_digits_are_read_by_kept_code(lomtree, process, tmp_path):
    """Once they were scaled by a function that only numba has."""
    for text in (b"1 |f a:0.30000001192092896 b:1e-30\n", b"1 3:0.30000001192092896 4:1e30\n"):
        assert lomtree("train", "-b", 18, "-f", tmp_path / "m", stdin=text).status == 0
        again = process("train", "-b", 18, "--quiet", "-f", tmp_path / "again")
        assert again.communicate(text) == (b"", b"")
        assert again.returncode == 0
        assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_a_run_that_finds_all_code_does_without_numba(model, data):
    script = (
        "import sys\nfrom lomtree.model.model_file import read_model\n"
        "from lomtree.formats.reader import Reader\n"
        "from lomtree.evaluation.score import score_examples\n"
        f"score = score_examples(read_model({model!r}), Reader([{data!r}]))\n"
        "print(score.examples, 'numba' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert runs[1].stdout == "300 False\n"


def test_compiling_is_said_once_in_one_line(announced, kept, capsys):
    for one in (kernel.kernel(lambda x: x + 1), kernel.kernel(lambda x: x + 2)):
        one(1)
    err = capsys.readouterr().err
    assert err.startswith("compiling")
    assert err.count("\n") == 1


@pytest.mark.parametrize("stream", [None, "closed pipe"])
def test_compiling_goes_on_if_nobody_reads_stderr(announced, kept, monkeypatch, stream):
    class Closed:
        def write(self, _text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", Closed() if stream else None)
    assert kernel.kernel(lambda x: x + 3)(1) == 4


def test_a_kernel_and_an_instruction_say_what_they_do():
    assert add.__doc__ == "Add them."
    assert (trailing_zeros.__doc__ or "").startswith("How many bits")
