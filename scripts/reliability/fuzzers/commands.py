"""Strange text through the commands, and commands that follow each other at random."""

import tempfile
from contextlib import nullcontext
from pathlib import Path
from random import Random

from lomtree.core.algorithms import ALGORITHMS
from lomtree.features import scaling
from scripts.reliability.fuzzers.in_process import run
from scripts.reliability.fuzzers.models import BITS, TinyModels
from scripts.reliability.fuzzers.one_thread import one_thread
from scripts.reliability.fuzzers.text import PARSERS
from tests.generators.sequences import Sequence
from tests.generators.strange_text import strange_text

WITH_THREADS = 0.1  # of the sequences


class TextThroughCommands(TinyModels):
    def try_one(self, random: Random) -> tuple[str, int]:
        """Training and prediction; refused if nothing but bad lines is in it."""
        data, format = self._folder / "strange.txt", random.choice(list(PARSERS))
        text = b"".join(strange_text(random, format) for _ in range(3))
        data.write_bytes(text)
        options = ("--format", random.choice(["auto", format]), "--algorithm")
        options += (random.choice(list(ALGORITHMS)), "--quiet", "-b", str(BITS))
        self._train_on(data, *options)
        status, _ = self._train_on(data, *options, "--on-error", "skip", "--passes", 2)
        for on_error in ("stop", "skip"):
            run("predict", "-i", self._folder / "result.lom", data, "--on-error", on_error)
            run("test", "-i", self._folder / "result.lom", data, "--on-error", on_error)
        return "refused" if status else "accepted", text.count(b"\n") + 1


class CommandSequences:
    def __init__(self, folder: Path) -> None:
        scaling.BITS = BITS
        self._folder = folder

    def try_one(self, random: Random) -> tuple[str, int]:
        how = nullcontext() if random.random() < WITH_THREADS else one_thread()
        with tempfile.TemporaryDirectory(dir=self._folder) as folder, how:
            Sequence(random, Path(folder), run).play(3)
        return "accepted", 0
