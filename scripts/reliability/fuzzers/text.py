"""Lines of text through the compiled parsers, beside the naive ones of tests/ and a running VW."""

import ctypes
import mmap
from pathlib import Path
from random import Random

import numpy as np

from lomtree.examples.namespaces import make_namespaces
from lomtree.formats.libsvm import parse as parse_libsvm
from lomtree.formats.line import make_arrays
from lomtree.formats.vw import parse as parse_vw
from lomtree.formats.vw_namespaces import parse_namespaces
from scripts.reliability.vw_lines import (
    LINES_FOR_VW,
    are_same,
    line_for_vw,
    our_features,
    vw_features,
)
from tests.generators.strange_text import strange_text
from tests.oracles.text import as_examples, assert_same, parse

PARSERS = {"vw": parse_vw, "libsvm": parse_libsvm}
TEXTS = (1, 250, 250)  # of a few lines each: sometimes one, so that a mistake is seen alone


class PageEnd:
    """Memory whose last byte is followed by a page that nobody may read."""

    SIZE = 1 << 16

    def __init__(self, size: int = SIZE) -> None:
        self._bytes = np.frombuffer(mmap.mmap(-1, size + mmap.PAGESIZE), np.uint8)[:size]
        behind = ctypes.c_void_p(self._bytes.ctypes.data + size)
        if ctypes.CDLL(None).mprotect(behind, mmap.PAGESIZE, 0) != 0:
            raise SystemExit("no page of memory can be protected")

    def put(self, text: bytes) -> np.ndarray:
        array = self._bytes[len(self._bytes) - len(text) :]
        array[:] = np.frombuffer(text, np.uint8)
        return array


class _BesideOracle:
    format = ""

    def __init__(self, _folder: Path) -> None:
        self._page = PageEnd()

    def try_one(self, random: Random) -> tuple[str, int]:
        some = [strange_text(random, self.format) for _ in range(random.choice(TEXTS))]
        text = (b"".join if random.random() < 0.5 else b"\n".join)(some)[-PageEnd.SIZE :]
        lines = text.count(b"\n") + 1
        naive = parse(text, self.format)
        try:
            self._compare(text, lines, naive)
        except AssertionError:
            print(f"disagreement: {text!r}")
            return "disagreements", lines
        return "refused" if any(example.column for example in naive) else "accepted", lines

    def _compare(self, text: bytes, lines: int, naive: list) -> None:
        batch, spans = make_arrays(len(text), lines)
        count, _ = PARSERS[self.format](self._page.put(text), 0, len(text), batch, spans)
        assert_same(as_examples(text, count, batch, spans), naive)


class LibsvmText(_BesideOracle):
    format = "libsvm"


class VwText(_BesideOracle):
    format = "vw"

    def _compare(self, text: bytes, lines: int, naive: list) -> None:
        """Also by the parser that notes namespaces, and reads nothing else differently."""
        super()._compare(text, lines, naive)
        found = []
        for notes in (False, True):
            batch, spans = make_arrays(len(text), lines)
            room = len(batch.values)
            given = [make_namespaces(len(batch.labels), room, room)] if notes else []
            parser = parse_namespaces if notes else parse_vw
            count, last = parser(self._page.put(text), 0, len(text), batch, spans, *given)
            found.append([count, last, batch.starts[: count + 1], batch.features[:last]])
            found[-1] += [batch.values[:last], *(part[:count] for part in (batch.weights, *spans))]
        assert all(map(np.array_equal, *found))


class BesideVw:
    """Well-formed lines, as a running Vowpal Wabbit reads them."""

    def __init__(self, _folder: Path) -> None:
        pass

    def try_one(self, random: Random) -> tuple[str, int]:
        lines = [line_for_vw(random) for _ in range(LINES_FOR_VW)]
        for line, ours, theirs in zip(lines, our_features(lines), vw_features(lines), strict=True):
            if not are_same(ours, theirs):
                print(f"VW reads {line!r} as {theirs}, not {ours}")
                return "disagreements", len(lines)
        return "accepted", len(lines)
