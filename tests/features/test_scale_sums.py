"""What is counted in parts adds up to what is counted in one go."""

from dataclasses import replace

import numpy as np
import pytest

from lomtree.core.options import SCALES, Options
from lomtree.features.auto_size import COUNT, SQUARES
from lomtree.features.scale_sums import add_sums, scales_from, sums_of
from lomtree.features.scaling import SCALE_AUTO, Scaler, make_scales
from tests.generators.streams import batch_of, random_stream


def counted(options, stream):
    batch = batch_of(stream)
    scaler = Scaler(make_scales(options))
    scaler.enter(batch, len(stream))
    return scaler.scales


@pytest.mark.parametrize("scale", SCALES)
def test_parts_add_up(scale):
    options = replace(Options(), scale=scale)
    stream = random_stream(np.random.default_rng(2), 90, 7)
    parts = [sums_of(options, batch_of(stream[n : n + 30])) for n in (0, 30, 60)]
    scales, whole = scales_from(options, add_sums(options, parts)), counted(options, stream)
    assert scales.norms[0] == whole.norms[0] > 80
    assert np.array_equal(scales.table[:, COUNT], whole.table[:, COUNT])
    if scales.kind == SCALE_AUTO:
        assert np.allclose(scales.table[:, SQUARES], whole.table[:, SQUARES])
    else:
        assert np.allclose(scales.table, whole.table, rtol=1e-5)


def test_frozen_scales_do_not_change():
    options, stream = Options(), random_stream(np.random.default_rng(3), 50, 5)
    scales = counted(options, stream)
    before = scales.table.copy()
    scaler, batch = Scaler(scales, frozen=True), batch_of(stream)
    scaled, mean_squares = scaler.enter(batch, 50)
    assert np.array_equal(scales.table, before)
    assert np.all(mean_squares[:50] == scales.norms[1] / scales.norms[0])
    outline = Scaler(scales).outline(batch, 50)
    Scaler(scales).apply(batch, 0, 50, outline)
    assert np.array_equal(*(one.values[: batch.starts[50]] for one in (scaled, outline)))
