"""Both text formats, slowly and obviously, from their description: what the kernels must agree to.

Everything is bytes, lists and Python's own numbers; nothing here is shared with the package.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

CONSTANT = 11650396
NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WORD = re.compile(rb"[^ \t]+")


@dataclass
class Example:
    line: int
    label: bytes = b""
    tag: bytes = b""
    weight: float = 1.0
    features: list = field(default_factory=list)  # (index, float32 value)
    column: int | None = None  # of the problem, from 1


class Problem(Exception):
    """Carries the 0-based position in the line."""


@lru_cache(1 << 12)  # a fuzzer hashes the same names again and again
def murmur3(data: bytes, seed: int) -> int:
    def rotate(x, bits):
        return ((x << bits) | (x >> (32 - bits))) & 0xFFFFFFFF

    def scramble(block):
        return rotate(block * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF

    state = seed
    whole = len(data) // 4 * 4
    for begin in range(0, whole, 4):
        state ^= scramble(int.from_bytes(data[begin : begin + 4], "little"))
        state = (rotate(state, 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    state ^= scramble(int.from_bytes(data[whole:], "little"))
    state ^= len(data)
    state = (state ^ state >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    state = (state ^ state >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return state ^ state >> 16


def hash_name(name: bytes, seed: int) -> int:
    name = name.strip(bytes(range(33)))  # so does VW
    if re.fullmatch(rb"[0-9]*", name):
        number = 0
        for digit in name:  # Python limits int() to some thousand digits
            number = (number * 10 + digit - 48) % 2**32
        return (number + seed) % 2**32
    return murmur3(name, seed)


def to_float32(number: bytes, position: int) -> np.float32:
    """A whole word as a float32, or a problem at its position."""
    if not NUMBER.fullmatch(number):
        raise Problem(position)
    with np.errstate(over="ignore"):
        value = np.float32(float(number))
    if not np.isfinite(value):
        raise Problem(position)
    return value


def words(text: bytes, offset: int) -> list[tuple[int, bytes]]:
    return [(offset + match.start(), match.group()) for match in WORD.finditer(text)]


def read_header(header: bytes, example: Example, barred: bool) -> None:
    found = words(header, 0)
    if found:
        begin, last = found[-1]
        if begin + len(last) == len(header) or last.startswith(b"'"):
            if not barred and b":" in last and not last.startswith(b"'"):
                raise Problem(begin)  # a line of libsvm, not a tag
            example.tag = last.removeprefix(b"'")
            found.pop()
    if found:
        begin, example.label = found[0]
        if b":" in example.label:
            raise Problem(begin + example.label.index(b":"))
    if len(found) > 1:
        begin, importance = found[1]
        example.weight = to_float32(importance, begin)
        if example.weight < 0:
            raise Problem(begin)
    if len(found) > 2:
        raise Problem(found[2][0])


def read_namespace(section: bytes, offset: int, example: Example) -> None:
    """One section between bars; `offset` is its place in the line."""
    found = words(section, offset)
    seed, weight, anonymous = 0, np.float32(1), 0
    if section and section[:1] not in b" \t":
        begin, head = found.pop(0)
        name, colon, number = head.partition(b":")
        if not name:
            raise Problem(begin)
        seed = hash_name(name, 0)
        if colon:
            weight = to_float32(number, begin + len(name) + 1)
    for begin, word in found:
        name, colon, number = word.partition(b":")
        value = np.float32(1)
        if colon:
            value = to_float32(number, begin + len(name) + 1)
        with np.errstate(over="ignore", under="ignore"):
            value = np.float32(value * weight)
        if not np.isfinite(value):
            raise Problem(begin + len(name) + 1)
        if name:
            index = hash_name(name, seed)
        else:
            index = (seed + anonymous) % 2**32
            anonymous += 1
        if value != 0:
            example.features.append((index, value))


def read_vw_line(line: bytes, example: Example) -> None:
    header, bar, rest = line.partition(b"|")
    sections = rest.partition(b"\r")[0].split(b"|") if bar else []
    read_header(header, example, barred=bool(sections))
    offset = len(header) + 1
    for section in sections:
        read_namespace(section, offset, example)
        offset += len(section) + 1


def read_libsvm_line(line: bytes, example: Example) -> None:
    found = words(line, 0)
    if b":" not in found[0][1]:
        example.label = found.pop(0)[1]
    for place, (begin, word) in enumerate(found):
        number = NUMBER.match(word.partition(b":")[2])
        behind = word.index(b":") + 1 + number.end() if number else None
        if word.startswith(b"#"):
            found = found[:place]
            break
        if number and word[behind:].startswith(b"#"):
            found = [*found[:place], (begin, word[:behind])]
            break
    for begin, word in found:
        index, colon, number = word.partition(b":")
        sign, index = (b"+", index[1:]) if index.startswith(b"+") else (b"", index)
        digits = index.lstrip(b"0")
        if not colon or not re.fullmatch(rb"[0-9]+", index) or len(digits) > 10:
            raise Problem(begin)
        if int(index[-10:]) >= 2**32:
            raise Problem(begin)
        value = to_float32(number, begin + len(sign) + len(index) + 1)
        if value != 0:
            example.features.append((int(index[-10:]), value))


def parse(text: bytes, format: str) -> list[Example]:
    examples = []
    lines = text.split(b"\n")
    for number, line in enumerate(lines):
        line = line.rstrip(b"\r")
        bare = line.strip(b" \t")
        if not bare or (format == "libsvm" and bare.startswith(b"#")):
            continue
        example = Example(number)
        try:
            read_vw_line(line, example) if format == "vw" else read_libsvm_line(line, example)
            example.features.append((CONSTANT, np.float32(1)))
        except Problem as problem:
            example.column = problem.args[0] + 1
            example.features = []
        examples.append(example)
    return examples


def as_examples(text: bytes, count: int, batch, spans) -> list[Example]:
    """The kernels' arrays in the same shape, for comparison."""
    starts = batch.starts[: count + 1].tolist()
    last = starts[count] if count else 0
    pairs = list(zip(batch.features[:last].tolist(), batch.values[:last].tolist(), strict=True))
    columns = (
        spans.line, spans.label_begin, spans.label_end, spans.tag_begin, spans.tag_end,
        batch.weights, spans.column, spans.problem,
    )  # fmt: skip
    examples = []
    for i, row in enumerate(zip(*(column[:count].tolist() for column in columns), strict=True)):
        line, label, label_end, tag, tag_end, weight, column, problem = row
        examples.append(
            Example(
                line=line,
                label=text[label:label_end],
                tag=text[tag:tag_end],
                weight=weight,
                features=pairs[starts[i] : starts[i + 1]],
                column=column if problem else None,
            )
        )
    return examples


def assert_same(ours: list[Example], naive: list[Example]) -> None:
    """Of a bad line only its place matters."""
    assert [(e.line, e.column) for e in ours] == [(e.line, e.column) for e in naive]
    for mine, theirs in zip(ours, naive, strict=True):
        if mine.column is None:
            assert mine == theirs
        else:
            assert mine.features == []
