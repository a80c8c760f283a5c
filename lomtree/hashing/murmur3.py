"""Names become feature indices: the hashes that Vowpal Wabbit uses.

Everything is 32 bits wide and wraps; numba would turn a mix of signed and unsigned 64-bit numbers
into floating point, so each step is cast back to uint32.
"""

import numpy as np

from lomtree.jit.intrinsics import load32
from lomtree.jit.kernel import kernel


@kernel
def mix_block(state, block):
    """Stir four bytes (little-endian in `block`) into the state."""
    block = np.uint32(block * np.uint32(0xCC9E2D51))
    block = np.uint32(block << np.uint32(15)) | np.uint32(block >> np.uint32(17))
    state = state ^ np.uint32(block * np.uint32(0x1B873593))
    state = np.uint32(state << np.uint32(13)) | np.uint32(state >> np.uint32(19))
    return np.uint32(state * np.uint32(5) + np.uint32(0xE6546B64))


@kernel
def mix_tail(state, block, length):
    """Stir in the last one to three bytes, if any, and finish; `length` counts all the bytes."""
    block = np.uint32(block * np.uint32(0xCC9E2D51))
    block = np.uint32(block << np.uint32(15)) | np.uint32(block >> np.uint32(17))
    state = state ^ np.uint32(block * np.uint32(0x1B873593)) ^ np.uint32(length)
    state = np.uint32((state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    state = np.uint32((state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return np.uint32(state ^ (state >> np.uint32(16)))


@kernel
def murmur3_word(word, length, seed):
    """MurmurHash3 of the lowest `length` bytes, at most seven, of a 64-bit word.

    Both ways are computed and one is chosen, because a branch on the length of a word is one that
    processors cannot foresee.
    """
    bits = np.uint64(length) << np.uint64(3)
    word = word & ((np.uint64(1) << bits) - np.uint64(1))
    stirred = mix_block(np.uint32(seed), np.uint32(word))
    state = stirred if length >= 4 else np.uint32(seed)
    block = np.uint32(word >> np.uint64(32)) if length >= 4 else np.uint32(word)
    return mix_tail(state, block, length)


@kernel
def last_block(text, begin, end):
    """The one to three bytes that fill no block of four; 0 if there are none."""
    length = end - begin
    if length >= 4:  # four bytes are there to be loaded: some to keep, some to shift out
        loaded = np.uint64(load32(text, end - 4))
        return np.uint32(loaded >> np.uint64(8 * (4 - (length & 3))))
    block = np.uint32(0)
    for position in range(begin, end):
        block |= np.uint32(np.uint32(text[position]) << np.uint32(8 * (position - begin)))
    return block


@kernel
def murmur3(text, begin, end, seed):
    """MurmurHash3 (x86, 32 bits) of text[begin:end]."""
    state = np.uint32(seed)
    for position in range(begin, end - 3, 4):
        state = mix_block(state, load32(text, position))
    return mix_tail(state, last_block(text, begin, end), end - begin)
