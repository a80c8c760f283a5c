"""Lines of VW text, as a running Vowpal Wabbit and as the compiled parser read them.

VW shows numbers with six digits, so they may differ in the last one. What it takes for an error is
not drawn: there the two differ on purpose (docs/text.md).
"""

import re
import subprocess
import sys
import tempfile
from math import isclose
from random import Random

import numpy as np

from lomtree.formats.line import make_arrays
from lomtree.formats.vw import parse

LINES_FOR_VW = 20_000  # at a time: to start VW takes as long as to read thousands
BITS = 24

_NAMES = b'abcxyz019_-.,;!?@#$%&*()[]{}<>=+/\\^~`"\x01\x02\x0b\x0c\x1f\x7f\xc3\xbc\xff'
_GAPS = [b" ", b" ", b" ", b"  ", b"\t", b" \t "]
_SHOWN = re.compile(rb":(\d+):([^:\t]+):[^:\t]+(?=\t|$)")

Features = list[tuple[int, float]]


def _name(random: Random) -> bytes:
    if random.random() < 0.2:
        return b"%d" % random.randrange(10 ** random.randrange(1, 12))
    return bytes(random.choices(_NAMES, k=random.choice([1, 1, 2, 4, 7, 8, 9, 17])))


def _number(random: Random) -> bytes:
    shapes = ["{:d}", "{:.1f}", "{:.3f}", "{:.2e}", "-{:d}", "-{:.2f}", "+{:d}"]
    shape = random.choice(shapes)
    value = random.randrange(1, 1000) if "d" in shape else random.uniform(0.01, 1000)
    return shape.format(value).encode()


def line_for_vw(random: Random) -> bytes:
    """A well-formed line, with bytes in its names that are seldom there."""
    line = random.choice([b"1", b"-1", b"1 2", b"1 0.5 'tag", b"2 tag"])
    for _ in range(random.choice([1, 1, 2, 3])):
        line += b"|" + random.choice(
            [b"", b"f", _name(random), _name(random) + b":" + _number(random)]
        )
        for _ in range(random.randrange(6)):
            word = random.choice([_name(random), _name(random), b""])
            valued = not word or random.random() < 0.4
            line += random.choice(_GAPS) + word + (b":" + _number(random) if valued else b"")
        line += random.choice([b"", b" "])
        if random.random() < 0.03:
            line += b"\r" + random.choice([b"", b" b", b"c d"])
    return line


def are_same(ours: Features, theirs: Features) -> bool:
    """Numbers of one feature may come in any order where two names have one hash."""
    if [index for index, _ in ours] != [index for index, _ in theirs]:
        return False
    pairs = zip(ours, theirs, strict=True)
    return all(isclose(mine, other, rel_tol=2e-5) for (_, mine), (_, other) in pairs)


def our_features(lines: list[bytes]) -> list[Features]:
    text = b"\n".join(lines)
    batch, spans = make_arrays(len(text), len(lines))
    count, _ = parse(np.frombuffer(text, np.uint8), 0, len(text), batch, spans)
    if count != len(lines) or spans.problem[:count].any():
        wrong = np.flatnonzero(spans.problem[:count])[:1]
        raise RuntimeError(f"refused: {[lines[number] for number in wrong]}")
    found = []
    for example in range(count):
        inside = slice(batch.starts[example], batch.starts[example + 1])
        pairs = zip(batch.features[inside].tolist(), batch.values[inside].tolist(), strict=True)
        found.append(sorted((index % 2**BITS, value) for index, value in pairs))
    return found


def vw_features(lines: list[bytes]) -> list[Features]:
    """As its --audit shows them."""
    with tempfile.NamedTemporaryFile(suffix=".vw") as file:
        file.write(b"\n".join(lines) + b"\n")
        file.flush()
        command = [sys.executable, "-m", "vowpalwabbit", "-d", file.name, "--audit", "--quiet"]
        done = subprocess.run([*command, "-t", "-b", str(BITS)], capture_output=True, check=True)
    shown = [line for line in done.stdout.split(b"\n") if line.startswith(b"\t") or line == b""]
    shown = [line for line in shown if line]
    if len(shown) != len(lines):
        raise RuntimeError(f"VW shows {len(shown)} of {len(lines)} lines")
    return [
        sorted((int(index), float(value)) for index, value in _SHOWN.findall(line))
        for line in shown
    ]
