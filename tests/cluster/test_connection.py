"""The workers of --workers obey the process that has started them, and nobody else."""

import asyncio
import os

import pytest

from lomtree.cluster.connection import Cluster, connected
from lomtree.core.errors import LomtreeError

distributed = pytest.importorskip("distributed")


@pytest.mark.parametrize("error", [RuntimeError("Nanny failed"), asyncio.TimeoutError()])
def test_workers_that_do_not_start_are_one_sentence(monkeypatch, error):
    """A machine may have too little of everything, or be too busy."""

    def refuse(**_settings):
        raise error

    monkeypatch.setattr(distributed, "LocalCluster", refuse)
    sentence = "^the 2 workers could not be started \\((Nanny failed|they do not answer)\\)$"
    with pytest.raises(LomtreeError, match=sentence), connected(Cluster(workers=2)):
        pass


def test_other_users_of_the_machine_cannot_send_tasks_to_workers():
    """Whoever reaches the port of a scheduler without keys can have it run anything."""
    with connected(Cluster(workers=1)) as client:
        address = client.scheduler.address
        assert client.submit(os.getppid).result() == os.getpid()  # its own tasks are done
        with pytest.raises(OSError, match="Connection"):  # without keys
            distributed.Client(address.replace("tls://", "tcp://"), timeout=5)
        with pytest.raises(OSError, match="certificate does not match"):  # with other ones
            distributed.Client(address, security=distributed.Security.temporary(), timeout=5)
        for worker in client.scheduler_info()["workers"]:
            assert worker.startswith("tls://127.0.0.1:")
