"""Models and lines some of which are predicted wrongly."""

import pytest

from tests.generators.confusions import TRAIN


@pytest.fixture
def one_class(lomtree, tmp_path) -> str:
    """A model that knows one label only."""
    path = str(tmp_path / "one.lom")
    assert lomtree(*TRAIN, "-f", path, stdin=b"a |f x\n" * 3).status == 0
    return path


@pytest.fixture
def questions(lines) -> bytes:
    """Lines that the model gets wrong now and then: the words of every third are another's."""
    words = [line.partition(b" ")[2] for line in lines]
    return b"".join(
        line.split()[0] + b" " + words[(place + 1) % len(words) if place % 3 == 0 else place]
        for place, line in enumerate(lines)
    )
