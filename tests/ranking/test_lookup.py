"""Values of an example are looked up as in a dictionary, however they lie."""

import numpy as np
import pytest

from lomtree.examples.batch import CONSTANT
from lomtree.ranking.lookup import clear, fill, make_lookup, value_in_order, value_of
from tests.generators.streams import batch_of, example, vector_at

LAST = 2**32 - 1


def value(lookup, feature):
    return (value_in_order if lookup.frame.is_dense[0] else value_of)(lookup, np.uint32(feature))


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize(
    ("features", "is_dense"),
    [
        (range(1, 600), True),
        (range(40), True),
        (range(LAST - 50, LAST + 1), True),
        (range(CONSTANT - 20, CONSTANT + 20), True),
        ([0, LAST], False),
        ([5], True),
        ([], True),
        ([*range(1, 50), 2**31], False),
        (range(0, 2**32, 2**24), False),
    ],
)
def test_what_is_there_is_found_and_nothing_else(features, is_dense, constant):
    rng = np.random.default_rng(len(features))
    values = {feature: float(rng.normal()) for feature in features if feature != CONSTANT}
    if constant:
        values[CONSTANT] = 1.0
    vector = vector_at(batch_of([example(0, values)]), 0)
    lookup = make_lookup(len(values))
    asked = {*values, CONSTANT, 0, 1, 2, LAST, *(one + 1 for one in values if one < LAST)}
    asked |= {one - 1 for one in values if one > 0} | set(rng.integers(0, 2**32, 50).tolist())
    for _ in range(2):
        fill(lookup, vector, 2.0)
        assert bool(lookup.frame.is_dense[0]) == is_dense
        found = {one: float(value(lookup, one)) for one in asked}
        assert found == {one: float(np.float32(values.get(one, 0.0)) / 2.0) for one in asked}
        clear(lookup)
        assert not lookup.values.any()
    # The rows of an example before, of another length, are none of this one's.
    fill(lookup, vector_at(batch_of([example(0, {7: 3.0})]), 0), 1.0)
    assert value(lookup, 7) == 3.0
    assert value(lookup, 8) == value(lookup, CONSTANT) == 0.0
    clear(lookup)
