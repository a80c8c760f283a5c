"""Memory that a growing table will need is touched in advance, and nothing but touched."""

import gc
import os
from concurrent.futures import Executor, Future

import numpy as np
import pytest

from lomtree.core.execution import Execution
from lomtree.core.options import Options
from lomtree.learners.lom.learner import LomLearner
from lomtree.linear import prefault
from lomtree.linear.hashed_weights import BLOCK, GROW_AT, make_weights
from lomtree.linear.prefault import EARLY, Prefaulter, touch
from lomtree.system.memory import give_back, zeros_in_small_pages
from tests.generators.streams import random_stream, teach


def resident() -> int:
    """Bytes of memory that are really there."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is measured in /proc")
def test_touched_memory_is_there_and_as_it_was():
    array = zeros_in_small_pages((1 << 24,), float)  # never what was freed before
    array[5] = 7
    gc.collect()  # what others left behind must not be freed in between
    before = resident()
    touch(array)
    assert resident() - before > 0.9 * array.nbytes
    assert array[5] == array.sum() == 7


def test_nothing_is_too_small_to_touch():
    touch(np.zeros(1))
    touch(np.zeros(0))


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is measured in /proc")
def test_memory_given_back_is_gone_and_that_around_it_is_as_it_was():
    array = zeros_in_small_pages((1 << 24,), float)
    array[:] = 1
    gc.collect()
    before = resident()
    give_back(array[1000:-1000])
    assert before - resident() > 0.9 * array.nbytes
    assert array[:1000].sum() == array[-1000:].sum() == 1000
    assert array.sum() < 5000


class Now(Executor):
    """Runs a job at once; `slow` ones never end."""

    def __init__(self, slow: bool = False) -> None:
        self.jobs, self._slow = [], slow

    def submit(self, job, array):  # type: ignore[override]
        self.jobs.append(array)
        future: Future = Future()
        if not self._slow:
            future.set_result(job(array))
        return future


def filled(weights, share):
    weights.size[1] = share * weights.size[0] / BLOCK
    return weights


def test_the_fuller_a_table_the_more_of_the_next_half_is_touched(monkeypatch):
    monkeypatch.setattr(prefault, "touch", lambda array: None)
    weights, cores, runner = make_weights(20, True), Now(), Prefaulter()
    cells, half = int(weights.size[0]), (EARLY + GROW_AT) / 2
    for share in (0.1, EARLY, half, half, GROW_AT, GROW_AT):
        runner.run(filled(weights, share), cores)
    assert sum(map(len, cores.jobs)) == pytest.approx(cells, rel=0.01)
    assert len(cores.jobs) == 2
    assert len(cores.jobs[0]) == pytest.approx(cells / 2, rel=0.01)
    assert np.shares_memory(cores.jobs[0], weights.table[cells : 2 * cells])


def test_beyond_the_largest_size_nothing_is_touched():
    weights, cores = make_weights(18, True), Now()
    Prefaulter().run(filled(weights, GROW_AT), cores)
    assert cores.jobs == []


def test_one_job_at_a_time():
    weights, cores, runner = make_weights(20, True), Now(slow=True), Prefaulter()
    for share in (EARLY + 0.01, EARLY + 0.02, GROW_AT):
        runner.run(filled(weights, share), cores)
    assert len(cores.jobs) == 1


def test_two_threads_learn_what_one_does_while_tables_grow():
    stream = random_stream(np.random.default_rng(3), 3_000, 60)
    learners = [LomLearner(Options(bits=20), Execution(threads)) for threads in (1, 2)]
    told = [teach(learner, stream, cuts=range(100, 3_000, 100)) for learner in learners]
    assert told[0] == told[1]
    alone, helped = (learner.state for learner in learners)
    assert len(alone.statistics) == len(helped.statistics) > 1 << 12
    assert np.array_equal(alone.weights.table, helped.weights.table)
