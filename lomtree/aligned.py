"""The memory of large arrays: it begins with a cache line, so that what is laid out to lie in one
does, and it can be touched before it is used."""

import ctypes
import mmap
from math import prod

import numpy as np

LINE = 64  # bytes
_POPULATE_WRITE = 23  # what Linux calls it since 5.14; others refuse, and nothing is lost


def zeros(shape: int | tuple[int, ...], dtype: np.dtype | type) -> np.ndarray:
    """Like numpy's; memory that is never touched costs nothing."""
    size = prod(np.atleast_1d(shape).tolist()) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    begin = -memory.ctypes.data % LINE
    return memory[begin : begin + size].view(dtype).reshape(shape)


def touch(array: np.ndarray) -> None:
    """Have the pages of a contiguous array there; what is in it stays as it is."""
    begin = -(-array.ctypes.data // mmap.PAGESIZE) * mmap.PAGESIZE
    size = array.ctypes.data + array.nbytes - begin
    if size > 0:
        advise = ctypes.CDLL(None).madvise
        advise(ctypes.c_void_p(begin), ctypes.c_size_t(size), _POPULATE_WRITE)
