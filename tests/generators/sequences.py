"""Random sequences of commands: whatever one of them has written, the next ones accept.

Everything takes a random.Random, so that the tests and the fuzzer draw the same things.
"""

from collections.abc import Callable
from pathlib import Path
from random import Random

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.options import LOSSES, SCALES, UPDATES

Run = Callable[..., tuple[int, str]]  # a command's arguments: its status, and what it said

VALUES = ["", "", "", ":2", ":-0.5", ":1e20", ":-3e38", ":1e-30", ":1e-45", ":7"]
BAD_LINE = "1 x |f a\n"


class BrokenPromiseError(Exception):
    """A command refused what another one had written."""


def some_lines(random: Random, labels: int, count: int) -> str:
    lines = []
    for _ in range(count):
        label = random.randrange(labels)
        importance = random.choice(["", "", "", " 2", " 1e-9", " 1e9", " 0"])
        words = [f"w{label}", f"v{label % 3}", f"n{random.randrange(9)}"]
        words = [word + random.choice(VALUES) for word in words if random.random() < 0.9]
        lines.append(f"c{label}{importance} |f {' '.join(words)}\n")
    return "".join(lines)


def _some_of(random: Random, options: dict[str, list]) -> list[str]:
    words: list[str] = []
    for name, values in options.items():
        if random.random() < 0.2:
            value = random.choice(values)
            words += [name] if value is None else [name, str(value)]
    return words


# What may be asked of a new model, and of one whose training goes on.
CHANGING: dict[str, list] = {
    "-l": [1e-6, 0.5, 1e6], "--power-t": [0, 0.3, 1], "--clip": [1e-6, 1, 1e6],
    "--holdout": [0.1, 0.9], "--max-labels": [3, 100], "-k": [1, 9, 40], "--passes": [2, 3],
    "--seed": [0, 1, 2**63 - 1], "--threads": [1, 2, 10**6], "--predict-only": [None],
    "--save-every": [17, 40], "--quiet": [None],
}  # fmt: skip
OF_LOMTREE: dict[str, list] = {
    "-T": [1, 3, 2**28 - 1], "-R": [0, 0.5, 1e9], "--min-impurity": [0, 0.9],
    "--max-statistics": [1, 30, 2**30],
}  # fmt: skip
FIXED: dict[str, list] = {
    "--loss": list(LOSSES), "--update": list(UPDATES), "--scale": list(SCALES),
    "--trees": [2, 3], "--no-ranker": [None], "--paper": [None], "--bits": [10, 18, 24],
}  # fmt: skip

# Sentences about options and data, which are no broken promises.
EXPECTED = (
    "--max-labels allows", "it was saved with --predict-only", "there are no examples to learn",
    "expected an importance", "must be", "cannot change", "exclude each other", "has no meaning",
    "none of the", "has no tree", "is a checkpoint of another run", "was not trained on this data",
)  # fmt: skip


class Sequence:
    """Models in a folder, written by some commands and read by others."""

    def __init__(self, random: Random, folder: Path, run: Run) -> None:
        self._random, self._folder, self._run = random, folder, run
        self._models: list[Path] = []
        self.log: list[str] = []

    def play(self, steps: int) -> None:
        """BrokenPromiseError, with all that was done, if something is not accepted."""
        kinds = [self._train, self._train, self._go_on, self._go_on, self._stop_and_resume]
        kinds.append(self._compact)
        for number in range(steps):
            kind = self._random.choice(kinds) if self._models else self._train
            kind(self._folder / f"m{number}.lom")
            for model in self._models:
                self._read(model)

    def _data(self, name: str, bad: bool = False) -> Path:
        path, random = self._folder / name, self._random
        count = random.choice([1, 5, 20, 60])
        text = some_lines(random, random.choice([1, 3, 12]), count)
        path.write_text(text + BAD_LINE if bad else text)
        return path

    def _call(self, *words: object) -> tuple[int, str]:
        self.log.append(" ".join(map(str, words)))
        status, said = self._run(*words)
        last = said.splitlines()[-1] if said else ""
        if status and not any(sentence in last for sentence in EXPECTED):
            raise BrokenPromiseError("\n".join([*self.log, last]))
        return status, said

    def _wrote(self, model: Path, status: int) -> None:
        if status == 0 and model not in self._models:
            self._models.append(model)

    def _new_options(self) -> list[str]:
        algorithm = self._random.choice(list(ALGORITHMS))
        options = {**CHANGING, **FIXED, **(OF_LOMTREE if algorithm == "lomtree" else {})}
        return ["--algorithm", algorithm, "-b", "10", *_some_of(self._random, options)]

    def _train(self, model: Path) -> None:
        options = self._new_options()
        if self._random.random() < 0.2:
            options += ["--cache", str(self._folder / "cache")]
        self._wrote(model, self._call("train", self._data("a.vw"), *options, "-f", model)[0])

    def _go_on(self, model: Path) -> None:
        """From a model, into another one or in place."""
        before = self._random.choice(self._models)
        target = self._random.choice([model, before])
        options = _some_of(self._random, CHANGING)
        done = self._call("train", self._data("b.vw"), "-i", before, *options, "-f", target)
        self._wrote(target, done[0])

    def _compact(self, model: Path) -> None:
        before = self._random.choice(self._models)
        self._wrote(model, self._call("compact", before, "-f", model)[0])

    def _stop_and_resume(self, model: Path) -> None:
        """A run that ends at a bad line behind a checkpoint, which is then mended."""
        data = self._data("c.vw", bad=True)
        every = 1 + len(data.read_text().splitlines()) // self._random.choice([2, 3, 7, 100])
        options = [*self._new_options(), "--save-every", str(every)]
        options = [word for word in options if word != "--predict-only"]
        self._call("train", data, *options, "-f", model)
        if not model.exists():
            return
        self._wrote(model, 0)
        for reader in (self._read, self._train_further):
            reader(model)
        data.write_text(data.read_text().removesuffix(BAD_LINE))
        self._call("train", data, *options, "--resume", "-f", model)

    def _train_further(self, model: Path) -> None:
        self._call("train", self._data("d.vw"), "-i", model, "-f", self._folder / "further.lom")

    def _read(self, model: Path) -> None:
        further = self._folder / "further.lom"
        commands: list[Callable[[], tuple]] = [
            lambda: ("predict", "-i", model, self._data("e.vw"), "--top", 3),
            lambda: ("predict", "-i", model, self._data("e.vw"), "--walk"),
            lambda: ("test", "-i", model, self._data("e.vw"), "--by-label"),
            lambda: ("inspect", model, "--json"),
            lambda: ("compact", model, "-f", further),
            lambda: ("inspect", model),
            lambda: ("inspect", model, "--path", "|f w1 v1:3e38 n1:-1e20"),
            lambda: ("train", self._data("e.vw"), "-i", model, "-f", further),
        ]
        self._call(*self._random.choice(commands)())
