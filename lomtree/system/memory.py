"""The memory of large arrays: it begins with a cache line, so that what is laid out to lie in one
does, and it can be touched before it is used."""

import ctypes
import mmap
from math import prod

import numpy as np

LINE = 64  # bytes
FLOATS_IN_LINE = LINE // 4  # float32
_POPULATE_WRITE = 23  # what Linux calls it since 5.14; others refuse, and nothing is lost


def zeros(shape: int | tuple[int, ...], dtype: np.dtype | type) -> np.ndarray:
    """Like numpy's; memory that is never touched costs nothing."""
    size = prod(np.atleast_1d(shape).tolist()) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    begin = -memory.ctypes.data % LINE
    return memory[begin : begin + size].view(dtype).reshape(shape)


def zeros_in_small_pages(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    """The same for what is filled once and read for a moment. numpy asks for huge pages, in which
    it is read a tenth faster; but a virtual machine that gave its free memory back has to fetch
    them from its host first, and that takes a second or two a gigabyte."""
    size = prod(shape) * np.dtype(dtype).itemsize
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(memory, dtype, prod(shape)).reshape(shape)


def touch(array: np.ndarray) -> None:
    """Have the pages of a contiguous array there; what is in it stays as it is."""
    _advise(array, _POPULATE_WRITE)


def give_back(array: np.ndarray) -> None:
    """Give the pages of a contiguous array to whoever needs memory next; what was in it is lost."""
    _advise(array, mmap.MADV_DONTNEED)


def _advise(array: np.ndarray, advice: int) -> None:
    """Tell the system about the pages that are the array's alone."""
    page = mmap.PAGESIZE
    begin = -(-array.ctypes.data // page) * page
    end = (array.ctypes.data + array.nbytes) // page * page
    if begin < end:
        ctypes.CDLL(None).madvise(
            ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), ctypes.c_int(advice)
        )


def available() -> int:
    """Bytes of memory that are free or soon would be; as good as infinitely many where the system
    does not tell."""
    try:
        with open("/proc/meminfo", "rb") as file:
            for line in file:
                if line.startswith(b"MemAvailable:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 1 << 62
