"""Model and cache files taken apart and put together again, with whatever a stranger changes.

The checksums are always right, so that only what the loaders check is in the way of compiled code.
Everything takes a random.Random, so that hypothesis and the fuzzer draw the same things.
"""

import json
import struct
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from lomtree.examples.replay import _DTYPES as BLOCK_DTYPES
from lomtree.storage.container import MAGIC, VERSION

Arrays = dict[str, np.ndarray]

WRONG_NUMBERS = [0, 1, -1, 2, 7, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1, 2**64, 10**400]
_WRONG_VALUES: list[Any] = [
    *WRONG_NUMBERS, 0.5, -0.5, float("nan"), float("inf"), 1e-300, 1e300, True, False, None, "",
    "1", "oaa", "rtree", "filter", "lomtree", "sgd", "adaptive", "dense", "bitmap", "list", [],
    [1], {},
]  # fmt: skip
_FLOATS = [float("nan"), float("inf"), -float("inf"), -1, 0, -0.0, 1e-300, 1e-45, 1e30, 3e38, 1e300]
_DTYPE_NAMES = ["<i1", "<u1", "<i4", "<u4", "<i8", "<f4", "<f8"]


def sections(data: bytes) -> list[bytes]:
    """What the checksums of a model file are sums of: what is before the arrays, and each array
    with the gap before it; as its format is described."""
    end = 16 + struct.unpack("<I", data[12:16])[0]
    found = [data[:end]]
    for _name, dtype, [length] in json.loads(data[16:end])["arrays"]:
        begin, end = end, end + -end % 64 + length * np.dtype(dtype).itemsize
        found.append(data[begin:end])
    assert end == len(data) - 4 * (len(found) + 1)
    return found


def take_apart(data: bytes) -> tuple[dict, Arrays]:
    """The header and the arrays of a model file."""
    head, *others = sections(data)
    header, arrays, position = json.loads(head[16:]), {}, len(head)
    for (name, dtype, _shape), section in zip(header.pop("arrays"), others, strict=True):
        arrays[name] = np.frombuffer(section[-position % 64 :], dtype).copy()
        position += len(section)
    return header, arrays


def sealed(parts: list[bytes]) -> bytes:
    """The sections with correct checksums behind them."""
    sums = b"".join(struct.pack("<I", zlib.crc32(part)) for part in parts)
    return b"".join(parts) + sums + struct.pack("<I", zlib.crc32(sums))


def head_of(header: bytes) -> bytes:
    """What is before the arrays."""
    return MAGIC + struct.pack("<II", VERSION, len(header)) + header


def put_together(header: dict, arrays: Arrays) -> bytes:
    """The inverse of take_apart."""
    table = [
        [name, array.dtype.str.replace("|", "<"), list(array.shape)]
        for name, array in arrays.items()
    ]
    text = json.dumps({**header, "arrays": table}, sort_keys=True, separators=(",", ":")).encode()
    parts = [head_of(text)]
    for array in arrays.values():
        parts.append(bytes(-sum(map(len, parts)) % 64) + array.tobytes())
    return sealed(parts)


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Every (dict or list, key) in a JSON value."""
    keys = tree.keys() if isinstance(tree, dict) else range(len(tree))
    found = [(tree, key) for key in keys]
    for inner in (tree[key] for key in keys):
        if isinstance(inner, dict | list):
            found += _places(inner)
    return found


def _change_header(random: Random, header: dict, _arrays: Arrays) -> None:
    place, key = random.choice(_places(header))
    if isinstance(place, dict) and random.random() < 0.1:
        del place[key]
    elif type(place[key]) is int and random.random() < 0.3:
        place[key] += random.choice([-1, 1, 2, 100])
    else:
        place[key] = random.choice(_WRONG_VALUES)


def _strange_item(random: Random, array: np.ndarray) -> Any:
    if array.dtype.kind == "f":
        return random.choice([*_FLOATS, random.uniform(-10, 10)])
    least, most = np.iinfo(array.dtype).min, np.iinfo(array.dtype).max
    near = [int(random.choice(array)) + random.choice([-1, 0, 1, 2]), random.randrange(-3, 40)]
    value = random.choice([least, most, least + 1, 10, 32, len(array), *near])
    return min(max(value, least), most)


def _wrapped(array: np.ndarray) -> np.ndarray:
    """Numbers that seem to rise if their differences overflow."""
    if array.dtype == np.int64 and len(array) >= 5:
        array[1:4] = 2**63 - 1, -(2**63), -1
    return array


def change_array(random: Random, array: np.ndarray) -> np.ndarray:
    """The same array with a strange item, in another order, longer, shorter or of another type."""
    if len(array) and random.random() < 0.7:
        with np.errstate(over="ignore"):
            for _ in range(random.choice([1, 1, 1, 2, 5])):
                array[random.randrange(len(array))] = _strange_item(random, array)
        return array
    forms: list[Callable[[], np.ndarray]] = [
        lambda: array[:-1],
        lambda: array[: len(array) // 2],
        lambda: array[:0],
        lambda: array[::-1].copy(),
        lambda: np.append(array, array[-1:]),
        lambda: np.append(array, np.zeros(1, array.dtype)),
        lambda: np.zeros_like(array),
        lambda: np.array(random.sample(array.tolist(), len(array)), array.dtype),
        lambda: np.repeat(array[:1], len(array)),
        lambda: array.astype(random.choice(_DTYPE_NAMES)),
        lambda: array.view(np.uint8).copy(),
        lambda: _wrapped(array),
    ]
    with np.errstate(all="ignore"):
        return random.choice(forms)()


def _change_part(random: Random, _header: dict, arrays: Arrays) -> None:
    name = random.choice(list(arrays))
    draw = random.random()
    if draw < 0.05:
        del arrays[name]
    elif draw < 0.1:
        arrays[name] = arrays[random.choice(list(arrays))].copy()
    else:
        arrays[name] = change_array(random, arrays[name])


def strange_model(random: Random, data: bytes) -> bytes:
    """A model file with one or a few things changed and correct checksums."""
    if random.random() < 0.05:
        parts = sections(data)
        number = random.choice([number for number, part in enumerate(parts) if part])
        part, first = parts[number], 0 if number else 16
        at = random.randrange(first, len(part))
        parts[number] = part[:at] + bytes([random.randrange(256)]) + part[at + 1 :]
        return sealed(parts)
    header, arrays = take_apart(data)
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        random.choice([_change_header, _change_part, _change_part])(random, header, arrays)
        if not arrays:
            break
    return put_together(header, arrays)


def take_cache_apart(data: bytes) -> tuple[bytes, list[list[np.ndarray]], list[Any]]:
    """The header, the arrays of each block, and [skipped, ends, text, JSON] of the labels."""
    position = 16 + struct.unpack("<I", data[12:16])[0]
    header, blocks = data[16:position], []
    end = struct.unpack("<Q", data[-8:])[0]
    while position < end:
        examples, features = struct.unpack("<II", data[position : position + 8])
        position += 8
        lengths = (examples + 1, features, features, examples, examples)
        blocks.append([])
        for length, dtype in zip(lengths, BLOCK_DTYPES, strict=True):
            blocks[-1].append(np.frombuffer(data, dtype, length, position).copy())
            position += blocks[-1][-1].nbytes
        position += 4
    labels, size, skipped, length = struct.unpack("<IIQI", data[end : end + 20])
    ends = np.frombuffer(data, np.int64, labels + 1, end + 20).copy()
    position = end + 20 + ends.nbytes
    text = np.frombuffer(data[position : position + size], np.uint8).copy()
    return header, blocks, [skipped, ends, text, data[position + size :][:length]]


def put_cache_together(header: bytes, blocks: list[list[np.ndarray]], labels: list[Any]) -> bytes:
    """The inverse; whatever lengths the arrays have, the counts are those of the last two."""
    data = b"LOMCACHE" + struct.pack("<II", 3, len(header)) + header
    for block in blocks:
        one = struct.pack("<II", len(block[4]), len(block[2]))
        one += b"".join(array.tobytes() for array in block)
        data += one + struct.pack("<I", zlib.crc32(one))
    skipped, ends, text, found = labels
    one = struct.pack("<IIQI", len(ends) - 1 & 0xFFFFFFFF, len(text), skipped, len(found))
    one += ends.tobytes() + text.tobytes() + found
    return data + one + struct.pack("<IQ", zlib.crc32(one), len(data))


def strange_cache(random: Random, data: bytes) -> bytes:
    """A cache file with one or a few things changed and correct checksums."""
    header, blocks, labels = take_cache_apart(data)
    for _ in range(random.choice([1, 1, 2, 4])):
        draw = random.random()
        if draw < 0.1:
            at = random.randrange(len(header))
            header = header[:at] + random.choice([b"[" * 10**5, b"", b"9"]) + header[at + 1 :]
        elif draw < 0.15:
            labels[0] = random.choice([0, 2**64 - 1])
        elif draw < 0.2:
            labels[3] = random.choice([b"", b"[" * 10**5, b"{}", labels[3][:-1], b"\xff"])
        elif draw < 0.4:
            which = random.choice([1, 2])
            labels[which] = change_array(random, labels[which])
        elif draw < 0.45:
            blocks.insert(random.randrange(len(blocks) + 1), random.choice(blocks))
        elif blocks:
            block = random.choice(blocks)
            which = random.randrange(5)
            block[which] = change_array(random, block[which])
    data = put_cache_together(header, blocks, labels)
    if random.random() < 0.1:
        return data[:-8] + struct.pack("<Q", random.choice([0, 16, len(data), 2**63, 2**64 - 1]))
    return data
