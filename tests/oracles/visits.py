"""The order in which the examples of a set are learned, from the rule in arrays/visits alone."""

import struct
from collections.abc import Sequence
from zlib import crc32

CONSTANT = 11650396
_MASK = 2**64 - 1


def draw(seed: int, number: int) -> int:
    """64 random bits: the finish of splitmix64."""
    bits = number * 0x9E3779B97F4A7C15 + seed * 0xD1342543DE82EF95 + 0x2545F4914F6CDD1D & _MASK
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & _MASK
    return bits ^ bits >> 31


def key_of(features: dict[int, float], label: bytes, seed: int) -> int:
    """What an example says: its features with their values as float32, and its label."""
    total = 0
    for feature, value in {**features, CONSTANT: 1.0}.items():
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
        if value != 0:
            total += draw(seed, feature << 32 | bits)
    return draw(seed, crc32(label) ^ total & _MASK)


def order_of(rows: Sequence[dict[int, float]], labels: Sequence[bytes], seed: int) -> list[int]:
    """The numbers of the rows; of equal ones each has a turn of its own, in the order they lie."""
    turns: dict[int, int] = {}
    found = []
    for number, (features, label) in enumerate(zip(rows, labels, strict=True)):
        key = key_of(features, label, seed)
        turn = turns[key] = turns.get(key, -1) + 1
        found.append((draw(seed, key ^ draw(seed, turn)) if turn else key, number))
    return [number for _, number in sorted(found)]
