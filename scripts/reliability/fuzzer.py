"""Inputs as strangers might send them, one at a time, and what becomes of them; see fuzz.py."""

import ctypes
import io
import mmap
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random

import numpy as np

from lomtree import __main__ as program
from lomtree.core.algorithms import ALGORITHMS
from lomtree.formats.libsvm import parse as parse_libsvm
from lomtree.formats.line import make_arrays
from lomtree.formats.vw import parse as parse_vw
from lomtree.jit import kernel
from tests.generators.strange_files import strange_cache, strange_model
from tests.generators.strange_text import strange_text
from tests.oracles.text import as_examples, assert_same, parse

PARSERS = {"vw": parse_vw, "libsvm": parse_libsvm}


class PageEnd:
    """Memory whose last byte is followed by a page that nobody may read."""

    def __init__(self, size: int = 1 << 16) -> None:
        self._bytes = np.frombuffer(mmap.mmap(-1, size + mmap.PAGESIZE), np.uint8)[:size]
        behind = ctypes.c_void_p(self._bytes.ctypes.data + size)
        if ctypes.CDLL(None).mprotect(behind, mmap.PAGESIZE, 0) != 0:
            raise SystemExit("no page of memory can be protected")

    def put(self, text: bytes) -> np.ndarray:
        array = self._bytes[len(self._bytes) - len(text) :]
        array[:] = np.frombuffer(text, np.uint8)
        return array


def run(*arguments) -> tuple[int, str]:
    """A command in this process: its status, and what it said on stderr."""
    sys.argv = ["lomtree", *map(str, arguments)]
    said, status = io.StringIO(), 0
    with open(os.devnull, "w") as out, redirect_stdout(out), redirect_stderr(said):
        try:
            program.main()
        except SystemExit as end:
            status = int(end.code or 0)
    lines = said.getvalue().splitlines()
    if status not in (0, 1) or (status == 1 and not lines[-1].startswith("lomtree: ")):
        raise RuntimeError(f"{arguments[0]} ended with {status}: {lines[-1:]}")
    return status, said.getvalue()


class Fuzzer:
    """One method for each kind of input: draws one, tries it, and returns its figure."""

    def __init__(self, folder: Path) -> None:
        kernel.announce_compilation = lambda: None  # it would be heard in the midst of findings
        self._folder = folder
        self._page = PageEnd()
        self._data = folder / "data.vw"
        self._write_data()
        self._models = [
            self._train(algorithm, *more)
            for algorithm in ALGORITHMS
            for more in (("adaptive",), ("sgd",), ("adaptive", "--predict-only"))
        ]
        self._models += [self._train("lomtree", "adaptive", "--trees", "2", "--scale", "l2")]
        cache = folder / "data.cache"
        run("train", self._data, "-b", 18, "--cache", cache, "-f", folder / "cached.lom")
        self._cache = cache.read_bytes()

    def _write_data(self) -> None:
        random = Random(1)
        lines = []
        for number in range(60):
            label = random.randrange(2 + number // 8)
            words = f"w{label} v{label % 5} noise{random.randrange(9)} x:{random.uniform(-2, 2):.3}"
            lines.append(f"class-{label} {random.choice([1, 1, 0.5, 3])} |words {words}\n")
        self._data.write_text("".join(lines))

    def _train(self, algorithm: str, update: str, *more: str) -> bytes:
        model = self._folder / "model.lom"
        options = ("--algorithm", algorithm, "--update", update, "-b", 18, "--quiet", *more)
        run("train", self._data, *options, "-f", model)
        return model.read_bytes()

    def kinds(self) -> dict:
        """How each kind is tried, and its share of the time."""
        return {
            "VW text": (lambda random: self._try_text(random, "vw"), 1),
            "libsvm text": (lambda random: self._try_text(random, "libsvm"), 1),
            "text through commands": (self._try_commands, 2),
            "model file": (self._try_model, 4),
            "cache file": (self._try_cache, 2),
        }

    def _try_text(self, random: Random, format: str) -> str:
        text = strange_text(random, format)
        batch, spans = make_arrays(len(text), text.count(b"\n"))
        count, _ = PARSERS[format](self._page.put(text), 0, len(text), batch, spans)
        naive = parse(text, format)
        try:
            assert_same(as_examples(text, count, batch, spans), naive)
        except AssertionError:
            print(f"disagreement: {text!r}")
            return "disagreements"
        return "refused" if any(example.column for example in naive) else "accepted"

    def _try_commands(self, random: Random) -> str:
        """Training and prediction; refused if nothing but bad lines is in it."""
        data, format = self._folder / "strange.txt", random.choice(list(PARSERS))
        data.write_bytes(b"".join(strange_text(random, format) for _ in range(3)))
        options = ("--format", random.choice(["auto", format]), "--algorithm")
        options += (random.choice(list(ALGORITHMS)), "--quiet", "-b", "18")
        self._train_on(data, *options)
        status, _ = self._train_on(data, *options, "--on-error", "skip", "--passes", 2)
        for on_error in ("stop", "skip"):
            run("predict", "-i", self._folder / "model.lom", data, "--on-error", on_error)
            run("test", "-i", self._folder / "model.lom", data, "--on-error", on_error)
        return "refused" if status else "accepted"

    def _try_model(self, random: Random) -> str:
        """Through every command; refused if all of them refuse it."""
        model, line = self._folder / "strange.lom", strange_text(random, "vw")
        path = os.fsdecode(line.partition(b"\n")[0].replace(b"\0", b""))
        model.write_bytes(strange_model(random, random.choice(self._models)))
        statuses = [
            run("predict", "-i", model, self._data)[0],
            run("predict", "-i", model, self._data, "--walk")[0],
            run("predict", "-i", model, self._data, "--top", 3)[0],
            run("test", "-i", model, self._data, "--by-label", "--confusion")[0],
            run("inspect", model, "--json")[0],
            run("inspect", model, "--tree", "--depths", "--quiet")[0],
            run("inspect", model, "--path", path, "--json")[0],
            self._train_on(self._data, "-i", model)[0],
        ]
        return "refused" if all(statuses) else "accepted"

    def _try_cache(self, random: Random) -> str:
        """Refused if the run stops, or makes it anew."""
        cache = self._folder / "strange.cache"
        cache.write_bytes(strange_cache(random, self._cache))
        status, said = self._train_on(self._data, "-b", 18, "--cache", cache)
        return "refused" if status or "made anew" in said else "accepted"

    def _train_on(self, *arguments) -> tuple[int, str]:
        """Training, whose model must be one."""
        result = self._folder / "result.lom"
        status, said = run("train", *arguments, "-f", result)
        if status == 0:
            status, why = run("predict", "-i", result, self._data)
            if status != 0:
                raise RuntimeError(f"training wrote no model: {why}")
        return status, said
