"""Random numbers as a function of the seed and a number: nothing to keep, nothing to resume."""

import numpy as np

from lomtree.jit.kernel import kernel


@kernel
def draw(seed, number):
    """64 random bits (the finish is that of splitmix64)."""
    bits = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    bits += np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(0x2545F4914F6CDD1D)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@kernel
def uniform(bits):
    """64 random bits as a number from 0 to 1."""
    return np.float64(bits) / 2.0**64


@kernel
def shuffle(x, bits, seed):
    """Where x goes in a random order of 0 ... 2^bits - 1: each step is a bijection."""
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    half = np.uint64((bits + 1) // 2)
    x = np.uint64(x)
    for turn in range(4):
        key = draw(seed, (1 << 32) + 64 * bits + turn)
        x = (x ^ key) & mask
        x = (x * ((key >> np.uint64(32)) | np.uint64(1))) & mask
        x ^= x >> half
    return np.int64(x)


@kernel
def draw_lots(seed, first, share, drawn):
    """Mark each of the numbers first, first + 1, ... with probability `share`."""
    for place in range(len(drawn)):
        drawn[place] = uniform(draw(seed, first + place)) < share
