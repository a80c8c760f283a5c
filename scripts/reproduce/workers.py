"""Where the trainings of a sweep run: in processes of this machine, or on a Dask cluster, if the
variable SCHEDULER names one. Both are executors of concurrent.futures."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor


def _die_with_parent() -> None:
    """A worker whose parent was killed has nobody to report to; and Ctrl-C is the parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def open_pool(cores: int) -> Iterator[Executor]:
    """The workers of a cluster must see the same folders, and this project."""
    scheduler = os.environ.get("SCHEDULER")
    if not scheduler:
        fresh = multiprocessing.get_context("spawn")  # forks of a process with threads may hang
        with ProcessPoolExecutor(cores, fresh, _die_with_parent) as pool:
            yield pool
        return
    from lomtree.cluster.connection import Cluster, connected

    with connected(Cluster(scheduler=scheduler)) as client, client.get_executor() as pool:
        yield pool
