"""Numbers in few bits: as the description says, and the same again; floats have 8 of them."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.core.errors import ModelError
from lomtree.storage.coding import Coded, coded
from lomtree.storage.container import at_once, compacted, read_arrays, write_arrays
from tests.generators.strange_files import put_together
from tests.oracles.coding import decoded

RNG = np.random.default_rng(7)
CHOSEN = RNG.integers(0, 2**32, 40, dtype=np.uint32)

ARRAYS = {
    "few bits": RNG.integers(0, 5, 1000).astype(np.int32),
    "one block and one more": np.arange(129, dtype=np.int32),
    "all the same": np.full(500, 7, np.uint32),
    "all bits": np.tile(RNG.integers(0, 2**32, 2, dtype=np.uint32), 300),
    "rising": np.cumsum(RNG.integers(1, 9, 1000)).astype(np.uint32) * np.uint32(1000),
    "falling": np.arange(1000, 0, -1).astype(np.int32) * 1000,
    "holes": np.where(RNG.random(1000) < 0.5, -1, RNG.integers(0, 1000, 1000)).astype(np.int32),
    "rising with holes": np.where(np.arange(1000) % 3 == 0, -1, np.arange(1000)).astype(np.int32),
    "nothing but holes": np.full(300, -1, np.int32),
    "features of labels": RNG.choice(CHOSEN, 2000),
    "bytes": RNG.integers(0, 4, 1000).astype(np.uint8),
    "ends": np.cumsum(RNG.integers(1, 9, 1000)),
    "negative ones": RNG.integers(-9, 9, 1000).astype(np.int32),
    "floats": RNG.normal(size=1000).astype(np.float32),
    "floats of all sizes": (RNG.normal(size=500) * 10.0 ** RNG.integers(-40, 30, 500)).astype(
        np.float32
    ),
    "zeros": np.array([0.0, -0.0] * 200, np.float32),
    "features that begin alike": RNG.choice(np.uint32(7 << 28) + CHOSEN % 1000, 2000),
    "features that begin alike, and the largest": RNG.choice(
        np.append(CHOSEN % 1000, np.uint32(2**32 - 2)), 2000
    ),
}


def to_8_bits(number: float) -> float:
    """The nearest number with 8 significant bits; of two, the even one."""
    if number == 0.0:
        return number
    _mantissa, exponent = np.frexp(np.float64(number))
    exponent = max(exponent, -125)  # below that float32 has fewer bits
    step = 2.0 ** (exponent - 8)
    return float(np.round(number / step) * step)


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_in_few_bits_is_what_the_description_says(name):
    array = ARRAYS[name]
    found = coded(array)
    assert found is not None
    assert len(found.data) < array.nbytes
    read = at_once(found)
    assert (read.dtype, read.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(read, decoded(*found.entry, found.data.tobytes()))
    if array.dtype == np.float32:
        array = np.array([to_8_bits(number) for number in array.tolist()], np.float32)
        assert (np.signbit(read) == np.signbit(array)).all()
    np.testing.assert_array_equal(read, array)


@pytest.mark.parametrize("name", ARRAYS)
def test_what_was_in_few_bits_once_has_the_same_bytes_again(name):
    first = coded(ARRAYS[name])
    again = coded(at_once(first))
    assert (again.entry, again.data.tobytes()) == (first.entry, first.data.tobytes())


def test_each_kind_is_chosen_where_it_is_smallest():
    chosen = {name: coded(array).kind for name, array in ARRAYS.items()}
    assert chosen["few bits"] == "plain"
    assert chosen["rising"] == "steps"
    assert chosen["holes"] == "holes plain"
    assert chosen["rising with holes"] == "holes steps"
    assert chosen["features of labels"] == "ids"
    assert chosen["features that begin alike, and the largest"] == "ids"
    assert chosen["floats"] == "rounded"


def test_the_largest_numbers_do_not_become_larger():
    large = np.array([1e30, -1e30] * 100, np.float32)
    read = at_once(coded(large))
    assert (np.abs(read) <= np.abs(large)).all()
    assert (np.abs(read) > 0.99e30).all()


@pytest.mark.parametrize(
    "array",
    [
        np.empty(0, np.int32),
        RNG.normal(size=100),
        np.array([2**40] * 100),
        RNG.integers(0, 2**32, 100, dtype=np.uint32),
    ],
    ids=["nothing", "float64", "larger than 32 bits", "noise"],
)
def test_what_would_not_be_smaller_stays_as_it_is(array):
    assert coded(array) is None


@given(st.data())
def test_whatever_the_bytes_are_they_are_read_or_refused(data):
    name = data.draw(st.sampled_from(sorted(ARRAYS)))
    found = coded(ARRAYS[name])
    entry, bits = found.entry, found.data.copy()
    change = data.draw(st.sampled_from(["byte", "end byte", "length", "kind", "dtype", "shorter"]))
    if change in ("byte", "end byte"):
        last = len(bits) - 1
        at = data.draw(st.integers(0 if change == "byte" else max(0, last - 40), last))
        bits[at] = data.draw(st.integers(0, 255))
    elif change == "shorter":
        bits = bits[: data.draw(st.integers(0, len(bits)))].copy()
    elif change == "length":
        entry[1] = data.draw(st.sampled_from([-1, 0, 1, 127, 129, 10**5, 2**41, True, "9", None]))
    elif change == "kind":
        kinds = ["plain", "steps", "ids", "rounded", "holes ids", "holes rounded", "holes ", "", 1]
        entry[2] = data.draw(st.sampled_from(kinds))
    else:
        entry[0] = data.draw(st.sampled_from(["<u1", "<i4", "<i8", "<f4", "<f8", "O", 3]))
    try:
        read = at_once(Coded.of_entry(entry, bits))
    except ModelError:
        return
    assert len(read) == entry[1]
    np.testing.assert_array_equal(read, decoded(*entry, bits.tobytes()))


@pytest.mark.parametrize("name", [*ARRAYS, "large bytes"])
def test_to_take_an_array_apart_takes_three_times_its_memory_at_most(name):
    array = BYTES if name == "large bytes" else np.tile(ARRAYS[name], 200)
    found = coded(array)
    at_once(coded(ARRAYS.get(name, array[:1000])))  # numpy and numba keep things of their own
    tracemalloc.start()
    at_once(found)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most <= 3 * found.unpacked + 100_000


BYTES = np.zeros(20 << 20, np.uint8)
EQUAL = np.zeros(1 << 23, np.int32)  # 32 MB, of which a third of a megabyte is left


def read_all(path) -> dict:
    return read_arrays(str(path), lambda _name: True, lambda _name: False)[1]


@pytest.mark.parametrize("kind", ["plain", "steps"])
def test_bytes_are_codes_at_first(tmp_path, kind):
    """20 MB of bytes are 80 MB of codes."""
    entry, path = ["<u1", len(BYTES), kind], tmp_path / "arrays"
    data = np.zeros(5 * -(-len(BYTES) // 128) + 8, np.uint8)
    assert not Coded.of_entry(entry, data).whole().any()
    path.write_bytes(put_together({"coded": {"bytes": entry}}, {"bytes": data}))
    with pytest.raises(ModelError, match="too large in memory for a file of its size"):
        read_all(path)


@pytest.mark.parametrize("much", [0, 2 << 20], ids=["alone", "beside other arrays"])
def test_a_small_file_claims_no_large_memory(tmp_path, much):
    """A hundred times a file's size could be claimed by blocks of equal numbers, and as much as one
    likes by the length of an array with holes."""
    equal, path = coded(EQUAL), tmp_path / "arrays"
    arrays = {"equal": equal.data, "others": np.zeros(much, np.uint8)}
    path.write_bytes(put_together({"coded": {"equal": equal.entry}}, arrays))
    if much:
        np.testing.assert_array_equal(read_all(path)["equal"], EQUAL)
        return
    with pytest.raises(ModelError, match="too large in memory for a file of its size"):
        read_all(path)


def test_an_array_with_holes_is_not_longer_than_its_bitmap():
    found = coded(ARRAYS["holes"])
    with pytest.raises(ModelError, match="malformed"):
        Coded.of_entry(["<i4", 2**39, "holes plain"], found.data).whole()


def test_what_nobody_would_believe_is_not_written_in_few_bits(tmp_path):
    path, few = str(tmp_path / "arrays"), np.arange(1000, dtype=np.int32)
    write_arrays(path, {}, compacted({"equal": EQUAL, "few": few}))
    header, arrays = read_arrays(path, lambda _name: True, lambda _name: False)
    assert list(header["coded"]) == ["few"]
    np.testing.assert_array_equal(arrays["equal"], EQUAL)
    np.testing.assert_array_equal(arrays["few"], few)
