"""Who does tasks: the results are the same, and what went wrong is a sentence."""

import pytest

from lomtree.cluster.executors import Inline, OnDask
from lomtree.core.errors import DataError, LomtreeError
from scripts.reproduce.workers import open_pool


def fail():
    raise DataError("a file is bad")


def lack():
    import a_module_that_is_not_there  # noqa: F401


@pytest.fixture(params=["inline", "dask"])
def executor(request):
    if request.param == "inline":
        return Inline()
    return OnDask(request.getfixturevalue("client"))


def test_tasks_take_what_other_tasks_promise(executor):
    some = [executor.submit("abs", (n,), abs, -n) for n in range(4)]
    assert executor.result(executor.submit("sum", (0,), sum, some)) == 6


def test_errors_of_tasks_come_back(client):
    executor = OnDask(client)
    with pytest.raises(DataError, match="a file is bad"):
        executor.result(executor.submit("fail", (0,), fail))
    with pytest.raises(LomtreeError, match="lacks the module a_module_that_is_not_there"):
        executor.result(executor.submit("lack", (0,), lack))


def test_sweeps_run_on_a_cluster(address, monkeypatch):
    monkeypatch.setenv("SCHEDULER", address)
    with open_pool(1) as pool:
        assert pool.submit(abs, -3).result() == 3
