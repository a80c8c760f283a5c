"""A Dask cluster to work on: one that runs somewhere, or one of this machine's own processes."""

import asyncio
import contextlib
import json
import logging
import os
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from lomtree import __version__
from lomtree.core.errors import LomtreeError, OptionError
from lomtree.system.isolated_python import isolated_children

_ANSWER = 10  # seconds that a scheduler has to answer
_START = 60  # seconds that processes of this machine have to answer, which may be busy
_WORKERS = 60  # seconds until a scheduler has a worker
_FAILURES = 20  # workers that may die with a task before it is given up


class Cluster(NamedTuple):
    """Where the work is done: exactly one of these is given."""

    workers: int | None = None
    scheduler: str | None = None
    scheduler_file: str | None = None

    @property
    def is_given(self) -> bool:
        return any(one is not None for one in self)

    def check(self) -> None:
        if sum(one is not None for one in self) > 1:
            raise OptionError("--workers, --scheduler and --scheduler-file exclude each other")


@contextlib.contextmanager
def connected(cluster: Cluster) -> Iterator[Any]:
    """A client of the cluster, whose workers have what they need."""
    try:
        import dask
        import distributed
    except ImportError:
        raise LomtreeError("this needs Dask: pip install 'lomtree[dask]'") from None
    cluster.check()
    _silence()
    settings = {
        "distributed.scheduler.allowed-failures": _FAILURES,
        "distributed.comm.timeouts.connect": f"{_ANSWER if cluster.workers is None else _START}s",
        "distributed.admin.system-monitor.gil.enabled": False,
    }
    with dask.config.set(settings), contextlib.ExitStack() as stack:
        if cluster.workers is not None:
            client = _start(distributed, cluster.workers, stack)
        else:
            client = _client_of(distributed, cluster)
        with client:
            _check_workers(client)
            yield client


def _start(distributed: Any, workers: int, stack: contextlib.ExitStack) -> Any:
    """A client of processes of this machine, which end with the stack."""
    stack.enter_context(isolated_children())
    # Workers import from their folder, and in the shared one others could swap it.
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="lomtree-"))
    keys = _own_keys(distributed)
    try:
        with warnings.catch_warnings():  # of a dashboard on another port than usual
            warnings.simplefilter("ignore", UserWarning)
            local = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                local_directory=folder,
                host="127.0.0.1",
                security=keys,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        return distributed.Client(stack.enter_context(local), timeout=_START)
    except (OSError, RuntimeError, TimeoutError, asyncio.TimeoutError) as error:
        reason = " ".join(str(error).split()) or "they do not answer"
        raise LomtreeError(f"the {workers} workers could not be started ({reason})") from None


def _own_keys(distributed: Any) -> Any:
    """Dask runs what it is sent by whoever reaches its port, and that is every user of this
    machine. So those who talk to each other have keys, which nobody else has and no file."""
    try:
        return distributed.Security.temporary()
    except ImportError:
        raise LomtreeError("--workers needs cryptography: pip install 'lomtree[dask]'") from None


def _silence() -> None:
    """People read one sentence. Some of Dask's loggers have levels of their own."""
    for name in ["distributed", *logging.root.manager.loggerDict]:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _client_of(distributed: Any, cluster: Cluster) -> Any:
    address, file = cluster.scheduler, cluster.scheduler_file
    if file is not None:
        _check_scheduler_file(file)
    try:
        if file is not None:
            return distributed.Client(scheduler_file=file, timeout=_ANSWER)
        return distributed.Client(address, timeout=_ANSWER)
    except (OSError, TimeoutError, asyncio.TimeoutError, ValueError) as error:
        reason = "no scheduler answers there"
        if isinstance(error, ValueError):
            reason = "is not the address of a scheduler"
        raise LomtreeError(f"{address or file}: {reason}") from None


def _check_scheduler_file(path: str) -> None:
    if not os.path.isfile(path):
        raise LomtreeError(f"{path}: there is no such scheduler file")
    try:
        with open(path, encoding="utf-8") as file:
            found = isinstance(json.load(file)["address"], str)
    except (OSError, ValueError, LookupError, TypeError):
        found = False
    if not found:
        raise LomtreeError(f"{path}: is not a file that a scheduler has written")


def _check_workers(client: Any) -> None:
    """All that are there have this version, and there is one."""
    try:
        client.wait_for_workers(1, timeout=_WORKERS)
    except (TimeoutError, asyncio.TimeoutError):
        raise LomtreeError(f"the scheduler has no workers, after {_WORKERS} seconds") from None

    def look() -> dict[str, str]:  # goes to workers as it is: they may not have lomtree
        import importlib
        import platform

        found = {"Python": ".".join(platform.python_version_tuple()[:2])}
        for name in ["numpy", "numba", "distributed", "lomtree"]:
            try:
                found[name] = importlib.import_module(name).__version__
            except Exception:
                found[name] = ""
        return found

    wanted = look()
    for address, found in client.run(look, on_error="ignore").items():  # one may die meanwhile
        if not found["lomtree"]:
            raise LomtreeError(f"the worker {address} has no lomtree: install {__version__} there")
        for name, version in wanted.items():
            if found[name] != version:
                raise LomtreeError(
                    f"the worker {address} has {name} {found[name] or 'not at all'}, but here it "
                    f"is {version}: models would not be the same"
                )
