"""Trees over labels for the tests: both kinds, and how deep their leaves are."""

import pytest

from lomtree.core.options import Options
from tests.generators.streams import (
    BITS,
)

both_trees = pytest.mark.parametrize("algorithm", ["rtree", "filter"])


def options_of(algorithm, **others):
    return Options(algorithm=algorithm, bits=BITS, **others)


def depths_of(shape, depth=0) -> dict:
    """{label: the depth of its leaf}"""
    if isinstance(shape, int):
        return {shape: depth}
    return depths_of(shape[0], depth + 1) | depths_of(shape[1], depth + 1)
