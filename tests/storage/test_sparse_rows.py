"""Tables that are mostly zero are packed the smallest way, and only what fits is unpacked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.core.errors import ModelError
from lomtree.storage import sparse_rows
from lomtree.storage.sparse_rows import Packed, pack, unpack_into
from tests.generators.models import whole


def table_with(used, length: int = 64, width: int = 2, dtype=np.float32) -> np.ndarray:
    """A table of zeros but for the last column of the rows `used`."""
    table = np.zeros((length, width), dtype)
    table[list(used), -1] = np.arange(1, len(list(used)) + 1)
    return table


def unpacked(packed: Packed, length: int, dtype=np.float32) -> np.ndarray:
    table = np.zeros((length, len(packed.columns)), dtype)
    for number, column in enumerate(packed.columns):
        unpack_into(packed.kind, packed.where, whole(column), table, number)
    return table


@pytest.mark.parametrize(
    ("used", "kind"),
    [
        (range(64), "dense"),
        (range(63), "dense"),  # a bitmap of 8 bytes is as long as the row that it would save
        (range(62), "bitmap"),
        (range(0, 64, 2), "bitmap"),
        ([1, 2, 40], "bitmap"),  # 8 bytes against 3 numbers of 4 bytes
        ([1], "list"),
        ([63], "list"),
        ([], "list"),
    ],
)
def test_the_smallest_form_is_taken(used, kind):
    assert pack(table_with(used)).kind == kind


def test_a_form_costs_what_its_parts_hold():
    sizes = {}
    for used in ([5], range(40), range(64)):
        packed = pack(table_with(used))
        sizes[packed.kind] = packed.where.nbytes + sum(c.nbytes for c in packed.columns)
    assert sizes == {"list": 4 + 8, "bitmap": 8 + 40 * 8, "dense": 64 * 8}


@given(
    st.sampled_from([8, 64, 1024]),
    st.integers(1, 3),
    st.sampled_from([np.float32, np.uint8]),
    st.floats(0, 1),
    st.sampled_from([8, 100, 1 << 18]),
    st.integers(0, 2**32 - 1),
)
def test_unpacking_gives_the_same_table(length, width, dtype, share, piece, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (length, width)).astype(dtype)
    table[rng.random(length) > share] = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_rows, "_PIECE", piece)
        assert np.array_equal(unpacked(pack(table), length, dtype), table)


@pytest.mark.parametrize("used", [[3], range(0, 64, 2), range(64)])
def test_a_column_knows_its_size_before_it_is_written(used):
    for column in pack(table_with(used)).columns:
        values = whole(column)
        assert (column.dtype, column.shape) == (values.dtype, values.shape)
        assert column.nbytes == values.nbytes


@pytest.mark.parametrize("used", [[3], range(0, 64, 2), range(64)])
def test_what_comes_in_pieces_is_unpacked_the_same(used):
    table = table_with(used)
    packed = pack(table)
    for length in (1, 3, 8, 100):
        again = np.zeros_like(table)
        for number, column in enumerate(packed.columns):
            values = InPieces(whole(column), length)
            unpack_into(packed.kind, packed.where, values, again, number)
        assert np.array_equal(again, table)


class InPieces:
    """As array_file.Stored is."""

    def __init__(self, values: np.ndarray, length: int) -> None:
        self.dtype, self.ndim, self._values, self._length = values.dtype, 1, values, length

    def __len__(self) -> int:
        return len(self._values)

    def pieces(self):
        for begin in range(0, len(self), self._length):
            yield self._values[begin : begin + self._length]


def test_a_table_without_rows():
    table = np.zeros((0, 2), np.float32)
    assert np.array_equal(unpacked(pack(table), 0), table)


def numbers(*values) -> np.ndarray:
    return np.array(values, np.uint32)


def bitmap(*values) -> np.ndarray:
    return np.array(values, np.uint8)


def floats(*shape) -> np.ndarray:
    return np.ones(shape, np.float32)


@pytest.mark.parametrize(
    ("kind", "where", "values"),
    [
        ("other", numbers(1), floats(1)),
        (["list"], numbers(1), floats(1)),
        ("list", numbers(1), floats(2)),
        ("list", numbers(1), floats(1, 1)),
        ("list", numbers(1)[None], floats(1)),
        ("list", numbers(1), floats(1).astype(np.float64)),
        ("list", numbers(16), floats(1)),
        ("list", numbers(2**32 - 1), floats(1)),
        ("list", numbers(3, 2), floats(2)),
        ("list", numbers(3, 3), floats(2)),
        ("list", np.array([-1], np.int32), floats(1)),
        ("bitmap", bitmap(1, 0, 0), floats(1)),
        ("bitmap", bitmap(1, 1), floats(1)),
        ("bitmap", bitmap(1, 0), floats(2)),
        ("bitmap", bitmap(255, 255), floats(0)),
        ("bitmap", bitmap(1, 0).astype(np.int8), floats(1)),
        ("bitmap", bitmap(1, 0)[:, None], floats(1)),
        ("dense", numbers(), floats(15)),
        ("dense", numbers(), floats(17)),
        ("dense", numbers(1), floats(16)),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(kind, where, values):
    with pytest.raises(ModelError):
        unpack_into(kind, where, values, np.zeros((16, 2), np.float32), 1)


@pytest.mark.parametrize(("values", "touched"), [(100, False), (1 << 18, True)])
def test_memory_is_touched_in_advance_only_where_it_will_be_filled(monkeypatch, values, touched):
    calls = []
    monkeypatch.setattr(sparse_rows, "touch", calls.append)
    rows = 1 << 20
    bitmap = np.zeros(rows // 8, np.uint8)
    bitmap[: values // 8] = 0xFF
    count = 8 * (values // 8)
    sparse_rows.unpack_into(
        "bitmap", bitmap, np.ones(count, np.float32), np.zeros((rows, 1), np.float32), 0
    )
    assert bool(calls) == touched
