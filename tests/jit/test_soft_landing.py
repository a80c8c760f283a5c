"""Where numba's private parts fail, kernels are plain functions of numba's, and that is said."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from lomtree.jit import announcement, callee, calling, elf, lowering, native, trial
from lomtree.jit.intrinsics import load32
from lomtree.jit.kernel import Kernel, kernel

pytestmark = pytest.mark.usefixtures("may_fall_back")


def triple(number):
    return 3 * number


def last_word(text, add):
    return callee_of(add, load32(text, len(text) - 4))


@kernel
def callee_of(add, number):
    return number + add


TEXT = np.arange(1, 9, dtype=np.uint8)
WORD = int.from_bytes(TEXT[4:].tobytes(), "little")


def failing(error):
    def fail(*_arguments, **_settings):
        raise error

    return fail


FAILURES = {
    "a flag that is gone": (native, "dispatcher_of", KeyError("Unrecognized options: '_nrt'")),
    "a compiler that changed": (native, "compile_for", AttributeError("_get_compiled_object")),
    "instructions that cannot be typed": (lowering, "type_of", AttributeError("refresh")),
    "a linker that fails": (calling, "load", OSError(38, "Function not implemented")),
    "a machine that cannot": (trial, "check", RuntimeError("compiled code cannot be called")),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_kernels_work_where_numba_fails_and_say_so_once(
    kept, announced, monkeypatch, capsys, failure
):
    where, name, error = FAILURES[failure]
    monkeypatch.setattr(where, name, failing(error))
    assert Kernel(last_word)(TEXT, 2) == WORD + 2
    monkeypatch.setattr(Kernel, "_load_native", None)  # nobody tries it again
    assert Kernel(triple)(4) == 12
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("compiling (only the first such run does)")
    assert lines[1].startswith("compiling with plain numba.njit, in every run: numba cannot be")
    assert str(error)[:20] in lines[1]
    assert len(lines) == 2
    assert callee.why_plain()


def test_nothing_is_said_where_nobody_asked(kept, monkeypatch, capsys):
    monkeypatch.setattr(native, "dispatcher_of", failing(KeyError("_nrt")))
    assert Kernel(triple)(4) == 12
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("change", [lambda words: [*words, words[0]], lambda words: words[1:]])
def test_other_words_for_arguments_are_noticed_before_they_are_passed(kept, monkeypatch, change):
    """As if numba had given arrays another field, or taken one away."""
    real = calling.word_types
    monkeypatch.setattr(calling, "word_types", lambda arguments: change(real(arguments)))
    with pytest.raises(RuntimeError, match="passes arguments in another way"):
        native.compile_for(native.dispatcher_of(last_word, True), (TEXT, 2))


def test_a_kernel_that_needs_numba_s_run_time_is_not_kept(kept):
    def scale(x):
        return math.ldexp(x, 3)

    with pytest.raises(RuntimeError, match="scale calls functions of numba's run time"):
        native.compile_for(native.dispatcher_of(scale, True), (1.5,))
    assert Kernel(scale)(1.5) == 12.0
    assert not kept


def test_a_mistake_in_a_kernel_is_raised_as_such(kept, announced, capsys):
    def mistaken(number):
        return number.no_such_thing

    with pytest.raises(numba.core.errors.TypingError, match="no_such_thing"):
        Kernel(mistaken)(1)
    assert callee.why_plain() == ""
    assert capsys.readouterr().err.count("\n") == 1
    assert Kernel(triple)(5) == 15
    assert len(kept) == 1


def test_no_memory_is_not_a_reason(kept, monkeypatch):
    monkeypatch.setattr(native, "compile_for", failing(MemoryError()))
    with pytest.raises(MemoryError):
        Kernel(triple)(1)
    assert callee.why_plain() == ""


def test_what_is_forced_uses_nothing_private(kept, announced, monkeypatch, capsys):
    started = []
    monkeypatch.setattr(callee, "_why_plain", "a switch is set")
    monkeypatch.setattr(announcement, "_beside", lambda: started.append(1))
    for name in ("native", "lowering", "trial"):
        monkeypatch.setitem(sys.modules, f"lomtree.jit.{name}", None)
    monkeypatch.setattr(calling, "load", None)
    assert Kernel(last_word)(TEXT, 7) == WORD + 7
    assert Kernel(triple)(2.5) == 7.5
    assert capsys.readouterr().err == (
        "compiling with plain numba.njit, in every run: a switch is set\n"
    )
    assert started == []  # another process could keep nothing
    assert not kept


@pytest.mark.parametrize(
    ("value", "why"), [("1", "LOMTREE_PLAIN_NJIT is set"), ("0", ""), ("", "")]
)
def test_the_switch(value, why):
    package = str(Path(callee.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": package, "LOMTREE_PLAIN_NJIT": value}
    program = "from lomtree.jit.callee import why_plain; print(why_plain())"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"{why}\n"


def test_known_machines_need_no_trial(monkeypatch):
    monkeypatch.setattr(elf, "is_known_machine", lambda: True)
    monkeypatch.setattr(trial, "_passes", failing(AssertionError()))
    trial.check()


def test_other_machines_try_it_in_another_process(monkeypatch):
    trial._passes.cache_clear()
    monkeypatch.setattr(elf, "is_known_machine", lambda: False)
    trial.check()
    trial._passes.cache_clear()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(RuntimeError, match="cannot be called directly"):
        trial.check()
    trial._passes.cache_clear()


def test_the_trial_notices_wrong_results(monkeypatch):
    assert trial.is_right()
    right = trial.every_kind

    def wrong(sample, table, flag, count, number):
        sample.rows[0].size = 1.0
        return 0.0, count, flag, number

    monkeypatch.setattr(trial, "every_kind", wrong)
    assert not trial.is_right()
    monkeypatch.setattr(trial, "every_kind", right)
    monkeypatch.setattr(calling, "add_words", lambda value, words: None)
    with pytest.raises(TypeError):
        trial.is_right()
