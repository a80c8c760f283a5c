"""Examples kept for further passes come back as they were, from memory or from a file."""

import io
import tempfile
import zlib

import numpy as np
import pytest

from lomtree.core.errors import DataError
from lomtree.examples.batch import Batch
from lomtree.examples.replay import ReplayBuffer, read_batch, write_batch
from tests.generators.streams import batch_of, random_stream


def batches(count: int = 5) -> list[Batch]:
    """Of 0, 7, 14, ... examples."""
    rng = np.random.default_rng(3)
    examples = [random_stream(rng, 7 * number, 4, weighted=True) for number in range(count)]
    return [batch_of([e._replace(label=abs(e.label)) for e in some]) for some in examples]


def content(kept) -> list[list[tuple]]:
    return [[(array.dtype, array.tobytes()) for array in batch] for batch in kept]


@pytest.mark.parametrize("limit", [0, 500, 10**9])
def test_memory_and_file_give_the_same_batches_again_and_again(limit):
    kept = ReplayBuffer(limit)
    for batch in batches():
        kept.add(batch)
    assert content(kept) == content(batches())
    assert content(kept) == content(batches())


def test_nothing_kept_nothing_given():
    assert list(ReplayBuffer()) == []


def test_beyond_the_limit_no_batch_stays_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept = ReplayBuffer(limit=1000)
    for batch in batches(20):
        kept.add(batch)
    assert kept._batches == []
    assert list(tmp_path.iterdir()) == []  # the file has no name, so nothing is ever left over


def block_of(batch: Batch) -> bytes:
    file = io.BytesIO()
    write_batch(file, batch)
    return file.getvalue()


def read(data: bytes, folder, labels: int = 4) -> Batch | None:
    (folder / "block").write_bytes(data)
    with open(folder / "block", "rb") as file:
        return read_batch(file, labels)


def test_a_block_comes_back_from_a_file(tmp_path):
    batch = batches()[3]
    assert content([read(block_of(batch), tmp_path)]) == content([batch])
    assert read(b"", tmp_path) is None


def test_a_damaged_block_is_refused(tmp_path):
    whole = block_of(batches()[1])
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        with pytest.raises(DataError):
            read(bytes(damaged), tmp_path)
        if position:
            with pytest.raises(DataError, match="ends too early"):
                read(whole[:position], tmp_path)


def sealed(batch: Batch, counts: tuple[int, int]) -> bytes:
    """A block with a correct checksum, whatever is in it."""
    data = np.array(counts, np.uint32).tobytes() + b"".join(array.tobytes() for array in batch)
    return data + zlib.crc32(data).to_bytes(4, "little")


WRONG = {
    "a label that does not exist": ("labels", 0, 4),
    "no label": ("labels", 0, -1),
    "features that begin late": ("starts", 0, 1),
    "features that end early": ("starts", -1, 1),
    "features beyond the end": ("starts", 1, 2**40),
    "features that begin before the beginning": ("starts", 1, -1),
    "features whose lengths overflow": ("starts", slice(1, 4), (2**63 - 1, -(2**63), -1)),
    "a value that is no number": ("values", 0, np.nan),
    "an infinite importance": ("weights", 0, np.inf),
    "a negative importance": ("weights", 0, -1),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_correct_checksum_does_not_make_examples(tmp_path, wrong):
    name, index, value = wrong
    batch = batches()[2]
    counts = len(batch.labels), len(batch.features)
    assert read(sealed(batch, counts), tmp_path) is not None
    getattr(batch, name)[index] = value
    with pytest.raises(DataError, match="malformed"):
        read(sealed(batch, counts), tmp_path)


def test_counts_beyond_the_file_are_refused_before_memory_is_asked_for(tmp_path):
    with pytest.raises(DataError, match="ends too early"):
        read(sealed(batches()[2], (2**32 - 1, 2**32 - 1)), tmp_path)
