"""Whatever strangers write, in every format that becomes VW text: examples or problems."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.errors import DataError
from lomtree.core.reading import PLAIN, Reading
from lomtree.examples.examples import GOOD
from lomtree.formats.reader import Reader
from tests.generators.strange_text import strange_tables

HOW = {
    "csv": Reading(label="1", text=("2",), tag="3", header=False),
    "tsv": Reading(label="y", text=("t",)),
    "json": PLAIN,
    "fasttext": PLAIN,
}


@pytest.mark.parametrize("format", HOW)
def test_strange_text_is_examples_or_problems(format, tmp_path_factory):
    path = tmp_path_factory.mktemp("strange") / "text"

    @settings(max_examples=300)
    @given(st.randoms(use_true_random=False))
    def check(random):
        text = strange_tables(random, format)
        path.write_bytes(text)
        how = HOW[format]
        for labels_required in (False, True):
            reader = Reader([str(path)], format, "skip", labels_required, reading=how)
            try:
                blocks = list(reader)
            except DataError:
                continue  # the header, or no labels at all
            for block in blocks:
                check_block(block, text.count(b"\n") + 1)

    check()


def check_block(block, lines: int) -> None:
    batch, count = block.batch, block.count
    starts = batch.starts[: count + 1]
    assert count <= lines
    assert (np.diff(starts) >= 1).all()
    assert np.isfinite(batch.values[: starts[-1]]).all()
    assert (batch.weights[:count] >= 0).all()
    assert np.isfinite(batch.weights[:count]).all()
    assert len(block.problems) >= count
    assert (block.origin.lines[:count] < lines).all()
    translated = block.origin.translated.tobytes().split(b"\n")
    assert sum(b"|" in line for line in translated) == count
    for number in np.flatnonzero(block.problems[:count] == GOOD).tolist():
        assert b"\n" not in block.labels.word(number)
        assert b"\t" not in block.labels.word(number)
        assert b"\n" not in block.tags.word(number)
