"""Lines of text as strangers might write them: grammar with mistakes in it, or no grammar at all.

Every function takes a random.Random, so that hypothesis and the fuzzer draw the same things.
"""

from random import Random

_NUMBERS = [
    b"1", b"0", b"7", b"12", b"-2.5", b"+3", b".5", b"5.", b"1e5", b"2E-3", b"1e-400", b"1e400",
    b"1e39", b"-1e30", b"1e30", b"1e-46", b"3.4028235e38", b"0x1p3", b"nan", b"-inf", b".", b"-",
    b"1e", b"1e+", b"1:2", b":", b"", b"99999999999999999999999", b"0.00000000000000000000000005",
    b"1_000", b"\xd9\xa1", b"4294967295", b"4294967296", b"1e99999999999999999999",
]  # fmt: skip
_NAMES = [
    b"a", b"cat", b"words", b"sevenby", b"eightbyt", b"sixteen-bytes-no", b"12", b"007",
    b"z\xc3\xbc", b"\xff\0", b"4294967296", b"x" * 40, b"#", b"'", b"'tag", b"'", b"-1", b"c#", b"",
    b"\x01a", b"a\x02", b"\x0112\x1f", b"\x03", b"longer-than-eight\x0e", b"+3",
]  # fmt: skip
_GAPS = [b" ", b" ", b" ", b" ", b"\t", b"  ", b" \t", b"\x0b", b"\r", b""]
_ENDS = [b"\n", b"\n", b"\n", b"\r\n", b"\r\r\n", b"\n\n", b" \n", b"\r"]
_LETTERS = b"abcdefgh019_\xc3\xbc"
_BYTES = b" \t\n\r|:'#.+-eE019afx\0\xff"


def _number(random: Random) -> bytes:
    if random.random() < 0.4:
        return random.choice(_NUMBERS)
    digits = b"%d" % random.randrange(10 ** random.randrange(1, 25))
    point = random.randrange(len(digits) + 1)
    exponent = b"e%d" % random.randrange(-50, 45) if random.random() < 0.3 else b""
    return random.choice([b"", b"-", b"+"]) + digits[:point] + b"." + digits[point:] + exponent


def _name(random: Random) -> bytes:
    if random.random() < 0.5:
        return random.choice(_NAMES)
    return bytes(random.choices(_LETTERS, k=random.randrange(1, 20)))


def _valued(random: Random, name: bytes) -> bytes:
    return name + b":" + _number(random) if random.random() < 0.5 else name


def _vw_line(random: Random) -> bytes:
    line = random.choice([_name(random), b"1", b""])
    for _ in range(random.choice([0, 0, 1, 1, 2])):
        line += random.choice(_GAPS) + random.choice([_number(random), _name(random)])
    for _ in range(random.choice([0, 1, 1, 1, 2, 5])):
        line += random.choice(_GAPS) + b"|"
        line += _valued(random, random.choice([b"f", b"", _name(random)]))
        for _ in range(random.randrange(6)):
            line += random.choice(_GAPS) + _valued(random, _name(random))
    return line


def _libsvm_line(random: Random) -> bytes:
    line = random.choice([_name(random), b"1", b""])
    for _ in range(random.randrange(6)):
        index = random.choice([b"%d" % random.randrange(2**33), _name(random), b"3"])
        line += random.choice(_GAPS) + index + random.choice([b":", b":", b":", b""])
        line += _number(random)
    return line + random.choice([b"", b"", b" # x|y 5:z", b"#x 5:z"])


def _damaged(random: Random, text: bytes) -> bytes:
    """The text with a few bytes lost, doubled, changed or put in."""
    for _ in range(random.choice([0, 0, 1, 1, 2, 6])):
        at = random.randrange(len(text) + 1)
        until = min(len(text), at + random.choice([0, 1, 1, 1, 3]))
        byte = random.choice([random.choice(_BYTES), random.randrange(256)])
        new = random.choice([b"", 2 * text[at:until], bytes([byte]), bytes([byte])])
        text = text[:at] + new + text[until:]
    return text


_CELLS = [
    b"1", b"-2.5", b"1e39", b"1e400", b"nan", b"red", b"New York", b"a:b|c", b"", b"", b" ", b'"q"',
    b'"a\nb"', b'"x""y"', b'"', b'a"b', b'"z"z', b"\xff", b"z\xc3\xbc", b"x" * 40, b"\r",
    b"__label__a",
]  # fmt: skip
_JSON = [
    b"{", b"}", b"[", b"]", b'"a"', b'"_label"', b'"_text"', b'"_tag"', b'"n s"', b":", b":", b",",
    b",",
    b"1", b"-2.5e3", b"1e999", b"NaN", b"true", b"null", b'"x y"', b'"\\ud800"', b'"\\n"', b"\xff",
    b" ",
]  # fmt: skip


def _row(random: Random, delimiter: bytes, width: int) -> bytes:
    width += random.choice([0, 0, 0, 0, 0, 0, 1, -1])
    return delimiter.join(random.choice(_CELLS) for _ in range(width))


def _json_line(random: Random) -> bytes:
    if random.random() < 0.3:
        return b"".join(random.choice(_JSON) for _ in range(random.randrange(20)))
    keys = [b'"a"', b'"_label"', b'"_text"', b'"_tag"', b'"n s"', b'"_label_Weight"', b'""']
    values = [b"1", b"-2.5e3", b"1e999", b"NaN", b"true", b"null", b'"x y"', b'"\\ud800"', b'"\\n"',
              b"[1, 2]", b'["x"]', b'{"b": 1}', b'{"_text": "w:v u"}', b"[{}]"]  # fmt: skip
    pairs = (
        random.choice(keys) + b": " + random.choice(values) for _ in range(random.randrange(5))
    )
    return b"{" + b", ".join(pairs) + b"}"


def strange_tables(random: Random, format: str) -> bytes:
    """Some lines of CSV or TSV (with a header), JSON or fastText's text, damaged here and there."""
    if random.random() < 0.1:
        return bytes(
            random.choice(b' \t\n\r,"{}[]:|_lab0\xff') for _ in range(random.randrange(60))
        )
    count = random.randrange(1, 6)
    if format == "json":
        lines = [_json_line(random) for _ in range(count)]
    elif format == "fasttext":
        lines = [_row(random, random.choice([b" ", b"\t"]), 4) for _ in range(count)]
    else:
        delimiter = b"," if format == "csv" else b"\t"
        lines = [_row(random, delimiter, 3) for _ in range(count)]
        lines.insert(0, delimiter.join([b"y", b"t", b"z"]))
    return _damaged(random, b"".join(line + random.choice(_ENDS) for line in lines))


def strange_text(random: Random, format: str) -> bytes:
    """Some lines of this format, damaged here and there; sometimes only bytes."""
    if random.random() < 0.1:
        return random.randbytes(random.randrange(60))
    if random.random() < 0.1:
        return bytes(random.choices(_BYTES, k=random.randrange(60)))
    line = _vw_line if format == "vw" else _libsvm_line
    count = random.randrange(1, 6)
    text = b"".join(line(random) + random.choice(_ENDS) for _ in range(count))
    return _damaged(random, text)
