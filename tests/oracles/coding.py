"""Numbers in few bits, read one by one by the description in storage/coding."""

import struct

import numpy as np

BLOCK = 128


def decoded(dtype: str, length: int, kind: str, data: bytes) -> np.ndarray:
    """The numbers of an array in few bits."""
    holes, kind = kind.startswith("holes "), kind.removeprefix("holes ")
    there = [True] * length
    if holes:
        size = (length + 7) // 8
        data, bitmap = data[: len(data) - size], data[len(data) - size :]
        there = [bool(bitmap[place // 8] >> (place % 8) & 1) for place in range(length)]
    count = sum(there)
    blocks = (count + BLOCK - 1) // BLOCK
    data, widths = data[: len(data) - blocks], data[len(data) - blocks :]
    words = list(struct.unpack(f"<{len(data) // 4}I", data))
    used = 4 * sum(widths) + 2
    bases, listed = words[used : used + blocks], words[used + blocks :]
    codes, first = [], 0
    for block in range(blocks):
        bits = sum(words[first + at] << (32 * at) for at in range(4 * widths[block]))
        for place in range(min(BLOCK, count - BLOCK * block)):
            more = bits >> (place * widths[block]) & ((1 << widths[block]) - 1)
            codes.append((bases[block] + more) % 2**32)
        first += 4 * widths[block]
    numbers = iter(_numbers(kind, codes, listed))
    whole = [next(numbers) if one else 2**32 - 1 for one in there]  # -1 in 32 bits
    if dtype == "<f4":
        return np.array(whole, np.float32)
    if dtype == "<i4":
        whole = [number - 2**32 if number >= 2**31 else number for number in whole]
    return np.array(whole).astype(dtype)


def _numbers(kind: str, codes: list[int], listed: list[int]) -> list:
    if kind == "ids":
        return [listed[code] for code in codes]
    if kind == "rounded":
        halves = [(code >> 1) | (code & 1) << 15 for code in codes]
        return [struct.unpack("<f", struct.pack("<I", half << 16))[0] for half in halves]
    if kind == "plain":
        return codes
    numbers, last = [], 0
    for code in codes:
        last = (last + (code // 2 if code % 2 == 0 else -(code // 2) - 1)) % 2**32
        numbers.append(last)
    return numbers
