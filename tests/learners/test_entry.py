"""Examples are scaled in their order, all of them once, whatever learning asks for and wherever."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.core.options import Options
from lomtree.features.scaling import Scaler, make_scales
from lomtree.learners import entry
from lomtree.learners.entry import Entry
from tests.generators.streams import batch_of, random_stream

STREAM = random_stream(np.random.default_rng(7), 90, 5, weighted=True)


@given(st.lists(st.integers(0, 90)), st.integers(1, 100), st.booleans())
def test_what_is_scaled_ahead_is_what_is_scaled_at_once(ends, piece, beside):
    batch = batch_of(STREAM)
    at_once, in_pieces = (Scaler(make_scales(Options())) for _ in range(2))
    scaled, mean_squares = at_once.enter(batch, len(STREAM))
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as cores:
        patch.setattr(entry, "PIECE", piece)
        coming = Entry(in_pieces, batch, len(STREAM), cores if beside else None)
        for end in [*ends, len(STREAM)]:
            coming.reach(end)
            features = batch.starts[end]
            assert np.array_equal(coming.scaled.values[:features], scaled.values[:features])
            assert np.array_equal(coming.mean_squares[:end], mean_squares[:end])
        coming.close()
    assert np.array_equal(in_pieces.scales.table, at_once.scales.table)
    assert in_pieces.scales.norms.tolist() == at_once.scales.norms.tolist()


def test_what_goes_wrong_on_the_other_core_is_told():
    class Broken(Scaler):
        def enter_part(self, *_arguments) -> None:
            raise MemoryError

    scaler = Broken(make_scales(Options()))
    with ThreadPoolExecutor(1) as cores, pytest.raises(MemoryError):
        Entry(scaler, batch_of(STREAM), len(STREAM), cores).reach(1)
