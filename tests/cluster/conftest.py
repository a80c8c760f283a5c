"""One cluster of two processes for all tests of this folder: to start one takes seconds."""

import logging

import pytest

from lomtree.cluster.connection import Cluster, connected


@pytest.fixture(scope="session")
def client():
    """Of a cluster as an operator starts it: others may connect to it, too."""
    distributed = pytest.importorskip("distributed")
    local = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )
    with local, connected(Cluster(scheduler=local.scheduler_address)) as client:
        yield client


@pytest.fixture
def address(client) -> str:
    return client.scheduler.address


@pytest.fixture(scope="session")
def parts(lines, tmp_path_factory) -> list[str]:
    """The lines in three files."""
    folder = tmp_path_factory.mktemp("parts")
    for number in range(3):
        text = b"".join(lines[100 * number : 100 * number + 100])
        (folder / f"part-{number}.vw").write_bytes(text)
    return [str(folder / f"part-{number}.vw") for number in range(3)]
