"""Something to inspect, and what `inspect` says of it."""

import json

import pytest


@pytest.fixture(scope="module")
def text(lines) -> bytes:
    """The lines of conftest with importances, a label that is rare, and a word without a value."""
    changed = [
        line.replace(b" |", b" 2.5 |") if n % 7 == 0 else line for n, line in enumerate(lines)
    ]
    return b"".join(changed) + b"rare |words once:0.5 v1\n"


@pytest.fixture
def trained(lomtree, text, tmp_path):
    """Train with these arguments; returns the model's path."""

    def train(*arguments) -> str:
        path = str(tmp_path / "model.lom")
        more = ("-b", 18, "--passes", 3, "--quiet", "-f", path)
        assert lomtree("train", *arguments, *more, stdin=text) == (0, b"", "")
        return path

    return train


@pytest.fixture
def inspect(lomtree):
    """What the command prints as JSON."""

    def run(*arguments) -> dict:
        result = lomtree("inspect", *arguments, "--json")
        assert (result.status, result.err) == (0, "")
        return json.loads(result.out)

    return run
