"""One cluster of two processes for all tests of this folder: to start one takes seconds."""

import pytest

from lomtree.cluster.connection import Cluster, connected


@pytest.fixture(scope="session")
def client():
    pytest.importorskip("distributed")
    with connected(Cluster(workers=2)) as client:
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
