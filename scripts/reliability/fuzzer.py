"""Inputs as strangers might send them, one at a time, and what becomes of them; see fuzz.py."""

import ctypes
import io
import mmap
import os
import sys
import tempfile
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
from lomtree.model.model_file import write_model
from scripts.reliability.vw_lines import (
    HAS_VW,
    LINES_FOR_VW,
    are_same,
    line_for_vw,
    our_features,
    vw_features,
)
from tests.generators.sequences import Sequence
from tests.generators.sharded import sharded
from tests.generators.strange_files import strange_cache, strange_model
from tests.generators.strange_text import strange_text
from tests.oracles.text import as_examples, assert_same, parse

PARSERS = {"vw": parse_vw, "libsvm": parse_libsvm}
MODELS = (
    (), ("--update", "sgd"), ("--predict-only",), ("--trees", "3"), ("--no-ranker",), ("--paper",),
    ("--scale", "none", "--holdout", "0.3"),
)  # fmt: skip
LOM_MODELS = (
    ("--trees", "2", "--scale", "l2"), ("--trees", "2", "--predict-only"),
    ("--trees", "9", "--no-ranker"), ("-T", "3", "-R", "0"), ("--max-statistics", "8"),
)  # fmt: skip


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
    sentence = lines[-1] if lines else ""
    if (
        status not in (0, 1, 2)
        or (status and "lomtree: " not in sentence and "Error: " not in sentence)
        or "a mistake in the program" in sentence  # bounds checks among them
    ):
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
            self._train("--algorithm", algorithm, *more)
            for algorithm in ALGORITHMS
            for more in MODELS
            if ALGORITHMS[algorithm].ensembles or "--trees" not in more
        ]
        self._models += [self._train(*more) for more in LOM_MODELS]
        self._models += self._checkpoints()
        write_model(sharded(str(self._data)), str(folder / "shards.lom"), predict_only=True)
        self._models.append((folder / "shards.lom").read_bytes())
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

    def _train(self, *options: str) -> bytes:
        model = self._folder / "model.lom"
        run("train", self._data, "-b", 18, "--quiet", *options, "-f", model)
        return model.read_bytes()

    def _checkpoints(self) -> list[bytes]:
        """Models of runs that stopped: at a bad line, after a checkpoint."""
        cut, model = self._folder / "cut.vw", self._folder / "cut.lom"
        cut.write_bytes(self._data.read_bytes() + b"no text of VW's\n")
        found = []
        for algorithm in ALGORITHMS:
            options = ("--algorithm", algorithm, "--passes", 2, "-b", 18, "--holdout", 0.2)
            run("train", cut, *options, "--save-every", 50, "--quiet", "-f", model)
            found.append(model.read_bytes())
        return found

    def kinds(self) -> dict:
        """How each kind is tried, and its share of the time."""
        return {
            "VW text": (lambda random: self._try_text(random, "vw"), 1),
            "libsvm text": (lambda random: self._try_text(random, "libsvm"), 1),
            **({"text beside VW": (self._try_beside_vw, 2)} if HAS_VW else {}),
            "text through commands": (lambda random: (self._try_commands(random), 0), 2),
            "model file": (lambda random: (self._try_model(random), 0), 4),
            "cache file": (lambda random: (self._try_cache(random), 0), 2),
            "command sequences": (lambda random: (self._try_sequence(random), 0), 4),
        }

    def _try_text(self, random: Random, format: str) -> tuple[str, int]:
        """Sometimes a few lines, so that a mistake is seen alone; mostly many."""
        some = [strange_text(random, format) for _ in range(random.choice([1, 60, 60]))]
        text = (b"".join if random.random() < 0.5 else b"\n".join)(some)[-PageEnd.SIZE :]
        lines = text.count(b"\n") + 1
        batch, spans = make_arrays(len(text), text.count(b"\n"))
        count, _ = PARSERS[format](self._page.put(text), 0, len(text), batch, spans)
        naive = parse(text, format)
        try:
            assert_same(as_examples(text, count, batch, spans), naive)
        except AssertionError:
            print(f"disagreement: {text!r}")
            return "disagreements", lines
        return "refused" if any(example.column for example in naive) else "accepted", lines

    def _try_beside_vw(self, random: Random) -> tuple[str, int]:
        lines = [line_for_vw(random) for _ in range(LINES_FOR_VW)]
        for line, ours, theirs in zip(lines, our_features(lines), vw_features(lines), strict=True):
            if not are_same(ours, theirs):
                print(f"VW reads {line!r} as {theirs}, not {ours}")
                return "disagreements", len(lines)
        return "accepted", len(lines)

    def _try_sequence(self, random: Random) -> str:
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            Sequence(random, Path(folder), run).play(3)
        return "accepted"

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
            self._train_on(self._data, "-i", model, "--seed", random.randrange(3))[0],
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
            for command in (("predict",), ("train", "--quiet", "-f", os.devnull)):
                again, why = run(*command, "-i", result, self._data)
                if again != 0 and "predict-only" not in why:
                    raise RuntimeError(f"training wrote no model for {command[0]}: {why}")
        return status, said
