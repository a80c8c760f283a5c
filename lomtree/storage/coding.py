"""Numbers in as few bits as they need, for the files of models that only predict.

A block of BLOCK numbers has a base, the least of them, and a width: each is the base and so many
bits more. What the numbers are is told by the kind:

    plain    whole numbers from 0 on, or -1: 32 bits of them
    steps    what each is more than the one before it, folded: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
    ids      places in a sorted list of the numbers that there are
    rounded  float32 with 8 significant bits, as bfloat16 has; the sign is the last bit

With "holes " before it, numbers that are -1 are no part of this: a bitmap tells where the others
are. All of it is one array of bytes, as large as its parts together:

    uint32[4 * sum(widths) + 2]   the bits, block by block, and two words of nothing
    uint32[blocks]                the bases
    uint32[]                      for ids, the list
    uint8[blocks]                 the widths
    uint8[]                       for holes, the bitmap

A block of equal numbers takes five bytes, so a file could claim a hundred times its size of memory.
There is a bound to that (`is_believable`), which those who write keep, too.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.jit.kernel import kernel

BLOCK = 128  # numbers
DTYPES = ("<u1", "<i4", "<u4", "<i8", "<f4")
_MOST_TIMES = 16  # as large in memory as all arrays are in the file; usual are 2 to 7
_ALWAYS = 16 << 20  # bytes of memory that any file may claim
_WORD, _CODE = 32, 4  # bits of a word, bytes of a code
_PIECE = 1 << 11  # blocks
_FIRST_BITS = 16  # by which a number is looked for in a list
_HOLE = np.uint32(0xFFFFFFFF)
_HOLES = "holes "
_NO_LIST, _NO_HOLES = np.empty(0, np.uint32), np.empty(0, np.uint8)
_LARGE = 0x70000000  # of the bits of a float32, about 1.6e29: no number grows beyond 1e30
_ROUNDED = 16  # bits that are left of a float32


@kernel
def _measure(codes, bases, widths):
    """Find the base and the width of each block."""
    for block in range(len(bases)):
        least = most = codes[BLOCK * block]
        for place in range(BLOCK * block, min(BLOCK * block + BLOCK, len(codes))):
            least, most = min(least, codes[place]), max(most, codes[place])
        bases[block] = least
        spread = np.int64(most) - np.int64(least)
        widths[block] = 0
        while spread >> np.int64(widths[block]):
            widths[block] += 1


@kernel
def _put(codes, bases, widths, words):
    """Write the bits of all codes to words that are zero."""
    first = np.int64(0)
    for block in range(len(bases)):
        width, bit = np.int64(widths[block]), np.int64(0)
        for place in range(BLOCK * block, min(BLOCK * block + BLOCK, len(codes))):
            more = np.uint64(codes[place] - bases[block]) << np.uint64(bit & (_WORD - 1))
            word = first + (bit >> 5)
            words[word] |= np.uint32(more & np.uint64(0xFFFFFFFF))
            words[word + 1] |= np.uint32(more >> np.uint64(_WORD))
            bit += width
        first += 4 * width


@kernel
def _take(words, bases, widths, first, codes):
    """Read codes, from this word on, by the blocks that they fill; each has words of its own."""
    for block in range(len(bases)):
        width, bit = np.int64(widths[block]), np.int64(0)
        mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
        for place in range(BLOCK * block, min(BLOCK * block + BLOCK, len(codes))):
            word = first + (bit >> 5)
            both = np.uint64(words[word]) | np.uint64(words[word + 1]) << np.uint64(_WORD)
            more = both >> np.uint64(bit & (_WORD - 1)) & mask
            codes[place] = np.uint32(np.uint64(bases[block]) + more & np.uint64(0xFFFFFFFF))
            bit += width
        first += 4 * width


@kernel
def _round(bits, codes):
    """The codes of the numbers with these bits: the nearest ones, but of the largest none that is
    larger still."""
    for place in range(len(bits)):
        size = np.int64(bits[place] & np.uint32(0x7FFFFFFF))
        if size < _LARGE:
            size += (1 << (_ROUNDED - 1)) - 1 + (size >> _ROUNDED & 1)
        codes[place] = size >> _ROUNDED << 1 | np.int64(bits[place]) >> 31


@kernel
def _unround(codes, bits):
    """The reverse; tells whether all are codes."""
    most = np.uint32(0)
    for place in range(len(codes)):
        code = codes[place]
        most = max(most, code)
        half = (code >> np.uint32(1)) | (code & np.uint32(1)) << np.uint32(15)
        bits[place] = half << np.uint32(_ROUNDED)
    return most < 1 << _ROUNDED


@kernel
def _find_places(distinct, begins, shift, numbers, places):
    """Write where each is in a sorted list; those with the same first bits begin where it says."""
    for at in range(len(numbers)):
        number = numbers[at]
        first = np.int64(number) >> np.int64(shift)
        low, high = begins[first], begins[first + 1]
        while high - low > 1:
            middle = (low + high) >> 1
            if distinct[middle] <= number:
                low = middle
            else:
                high = middle
        places[at] = low


class _Bits(NamedTuple):
    """Codes in blocks."""

    words: np.ndarray
    bases: np.ndarray
    widths: np.ndarray


class _Way(NamedTuple):
    """A way to write numbers, of which it is known how many bytes it takes."""

    kind: str
    codes: np.ndarray
    bases: np.ndarray
    widths: np.ndarray
    listed: np.ndarray
    holes: np.ndarray

    @property
    def words(self) -> int:
        return 4 * int(self.widths.sum(dtype=np.int64)) + 2

    @property
    def nbytes(self) -> int:
        numbers = self.words + len(self.bases) + len(self.listed)
        return 4 * numbers + len(self.widths) + len(self.holes)

    def written(self) -> np.ndarray:
        words = np.zeros(self.words, np.uint32)
        _put(self.codes, self.bases, self.widths, words)
        numbers = np.concatenate([words, self.bases, self.listed]).view(np.uint8)
        return np.concatenate([numbers, self.widths, self.holes])


def _way(
    kind: str, codes: np.ndarray, listed: np.ndarray = _NO_LIST, holes: np.ndarray = _NO_HOLES
) -> _Way:
    bases = np.empty(-(-len(codes) // BLOCK), np.uint32)
    widths = np.empty(len(bases), np.uint8)
    _measure(codes, bases, widths)
    return _Way(kind, codes, bases, widths, listed, holes)


def _steps(codes: np.ndarray) -> np.ndarray:
    steps = np.diff(codes, prepend=np.uint32(0)).view(np.int32)
    return ((steps << 1) ^ (steps >> 31)).view(np.uint32)


def _from_steps(folded: np.ndarray) -> np.ndarray:
    """In the memory of what is given."""
    signs = np.negative(folded & np.uint32(1))
    folded >>= np.uint32(1)
    folded ^= signs
    return np.cumsum(folded, dtype=np.uint32, out=folded)


def is_believable(unpacked: int, stored: int) -> bool:
    """Whether arrays that have so many bytes in memory may come from so many of a file."""
    return unpacked <= _MOST_TIMES * stored + _ALWAYS


class Coded:
    """An array in few bits: as read from a file, nothing of it has been checked."""

    def __init__(self, dtype: str, length: int, kind: str, data: np.ndarray) -> None:
        self.dtype, self.kind, self.data = np.dtype(dtype), kind, data
        self.ndim, self.shape = 1, (length,)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def nbytes(self) -> int:
        """Of the file."""
        return self.data.nbytes

    @property
    def unpacked(self) -> int:
        """Bytes of memory, where codes are first, whatever becomes of them."""
        return len(self) * max(self.dtype.itemsize, _CODE)

    @property
    def entry(self) -> list:
        """What a header says of it; see of_entry."""
        return [self.dtype.str.replace("|", "<"), len(self), self.kind]

    @classmethod
    def of_entry(cls, entry: Any, data: np.ndarray) -> "Coded":
        """ModelError if an entry of a header and an array are none."""
        dtype, length, kind = entry
        if dtype not in DTYPES or type(length) is not int or not 0 <= length < 2**40:
            raise ModelError("one of its arrays is malformed")
        if type(kind) is not str or data.dtype != np.uint8:
            raise ModelError("one of its arrays is malformed")
        if (kind == "rounded") != (dtype == "<f4"):
            raise ModelError("one of its arrays is malformed")
        return cls(dtype, length, kind, data)

    def whole(self) -> np.ndarray:
        """Its numbers at once; ModelError if the parts do not fit together."""
        if self.kind != "rounded":
            return self._whole_numbers()
        bits, _listed = self._take_apart(len(self))
        codes = _codes_of(bits, len(self))
        if not _unround(codes, codes):
            raise ModelError("one of its arrays is malformed")
        return codes.view(np.float32)

    def pieces(self) -> Iterator[np.ndarray]:
        """The same, floats piece by piece."""
        if self.kind != "rounded":
            yield self._whole_numbers()
            return
        bits, _listed = self._take_apart(len(self))
        for codes in _pieces_of(bits, len(self)):
            rounded = np.empty(len(codes), np.uint32)
            if not _unround(codes, rounded):
                raise ModelError("one of its arrays is malformed")
            yield rounded.view(np.float32)

    def _whole_numbers(self) -> np.ndarray:
        with_holes, kind = self.kind.startswith(_HOLES), self.kind.removeprefix(_HOLES)
        there = None
        if with_holes:
            size = -(-len(self) // 8)
            if size > len(self.data):
                raise ModelError("one of its arrays is malformed")
            bitmap = self.data[len(self.data) - size :]
            there = np.unpackbits(bitmap, count=len(self), bitorder="little").view(np.bool_)
        count = len(self) if there is None else int(np.count_nonzero(there))
        bits, listed = self._take_apart(count)
        codes = _codes_of(bits, count)
        if kind == "steps":
            codes = _from_steps(codes)
        elif kind == "ids":
            if count and int(codes.max()) >= len(listed):
                raise ModelError("one of its arrays is malformed")
            codes = listed[codes]
        elif kind != "plain":
            raise ModelError("one of its arrays is malformed")
        if there is not None:
            numbers = np.full(len(self), _HOLE)
            numbers[there] = codes
            codes = numbers
        if self.dtype == np.int32:
            return codes.view(np.int32)
        return codes.astype(self.dtype, copy=False)

    def _take_apart(self, count: int) -> tuple[_Bits, np.ndarray]:
        """The codes, which are so many, and the list of ids."""
        data, blocks = self.data, -(-count // BLOCK)
        holes = -(-len(self) // 8) if self.kind.startswith(_HOLES) else 0
        widths = data[max(len(data) - holes - blocks, 0) : max(len(data) - holes, 0)]
        words = 4 * int(widths.sum(dtype=np.int64)) + 2
        listed = len(data) - holes - blocks - 4 * (words + blocks)
        if len(widths) != blocks or listed < 0 or listed % 4 or int(widths.max(initial=0)) > _WORD:
            raise ModelError("one of its arrays is malformed")
        if listed and not self.kind.endswith("ids"):
            raise ModelError("one of its arrays is malformed")
        numbers = data[: len(data) - holes - blocks].view(np.uint32)
        bits = _Bits(numbers[:words], numbers[words : words + blocks], widths)
        return bits, numbers[words + blocks :]


def _codes_of(bits: _Bits, count: int) -> np.ndarray:
    codes = np.empty(count, np.uint32)
    _take(bits.words, bits.bases, bits.widths, 0, codes)
    return codes


def _pieces_of(bits: _Bits, count: int) -> Iterator[np.ndarray]:
    """uint32[]: the codes, of which there are so many."""
    first = 0
    for begin in range(0, len(bits.bases), _PIECE):
        bases, widths = bits.bases[begin : begin + _PIECE], bits.widths[begin : begin + _PIECE]
        codes = np.empty(min(BLOCK * _PIECE, count - BLOCK * begin), np.uint32)
        _take(bits.words, bases, widths, first, codes)
        first += 4 * int(widths.sum(dtype=np.int64))
        yield codes


def coded(array: np.ndarray) -> Coded | None:
    """The array in as few bits as possible; float32 are rounded. None where that saves nothing."""
    dtype = array.dtype.str.replace("|", "<")
    if dtype not in DTYPES or (dtype == "<i8" and not _fits(array)):
        return None
    if dtype == "<f4":
        codes = np.empty(len(array), np.uint32)
        _round(np.ascontiguousarray(array).view(np.uint32), codes)
        best = _way("rounded", codes)
    else:
        best = min(_ways(array.astype(np.int64).astype(np.uint32)), key=lambda way: way.nbytes)
    if best.nbytes >= array.nbytes:
        return None
    return Coded(dtype, len(array), best.kind, best.written())


def _fits(array: np.ndarray) -> bool:
    return bool(array.min(initial=0) >= 0 and array.max(initial=0) < 2**32)


def _ways(numbers: np.ndarray) -> Iterator[_Way]:
    yield _way("plain", numbers)
    yield _way("steps", _steps(numbers))
    there = numbers != _HOLE
    if not there.all():
        bitmap = np.packbits(there, bitorder="little")
        yield _way(_HOLES + "plain", numbers[there], holes=bitmap)
        yield _way(_HOLES + "steps", _steps(numbers[there]), holes=bitmap)
        return
    ordered = np.sort(numbers)
    distinct = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)]]
    if 8 * len(distinct) < len(numbers):
        yield _way("ids", _places_in(distinct, numbers), distinct)


def _places_in(distinct: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    largest = int(distinct[-1])
    shift = max(largest.bit_length() - _FIRST_BITS, 0)
    begins = np.searchsorted(distinct >> shift, np.arange((largest >> shift) + 2))
    _find_places(distinct, begins, shift, numbers, places := np.empty(len(numbers), np.uint32))
    return places
