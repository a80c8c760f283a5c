"""Models and caches with a few things changed, and correct checksums."""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.constants import BEAM
from lomtree.core.derivations import NOTHING
from lomtree.core.errors import DataError, LomtreeError
from lomtree.core.options import choose_options
from lomtree.evaluation.output import label_lines, ranking_lines
from lomtree.evaluation.predict import Predicted, Search, predict_all
from lomtree.examples.examples import Examples
from lomtree.features import scaling
from lomtree.formats.reader import Reader
from lomtree.inspection import text
from lomtree.inspection.ranking_explanation import explain_line
from lomtree.inspection.score_explanation import explain_scores
from lomtree.inspection.summary import Inspection, one_tree
from lomtree.model.model import Model
from lomtree.model.model_file import read_model, write_model
from lomtree.storage.purposes import Purpose
from lomtree.training.trainer import Trainer
from scripts.reliability.fuzzers.in_process import run
from scripts.reliability.fuzzers.one_thread import one_thread
from tests.generators.sharded import OPTIONS, sharded
from tests.generators.strange_files import strange_cache, strange_model
from tests.generators.strange_text import strange_text

BITS = 10
MODELS = (
    (), ("--update", "sgd"), ("--predict-only",), ("--trees", "3"), ("--no-ranker",), ("--paper",),
    ("--scale", "none", "--holdout", "0.3"), ("--scale", "rms"),
)  # fmt: skip
LOM_MODELS = (
    ("--trees", "2", "--scale", "l2"), ("--trees", "2", "--predict-only"), ("-q", "::"),
    ("--trees", "9", "--no-ranker"), ("-T", "3", "-R", "0"), ("--max-statistics", "8"),
)  # fmt: skip
COMPACTED = 0.4  # of the models; the others are inspected
THROUGH_COMMANDS = 0.02  # of the models; the others go through the functions that commands call


def write_data(path: Path, count: int = 60) -> None:
    random = Random(1)
    lines = []
    for number in range(count):
        label = random.randrange(2 + number // 8)
        words = f"w{label} v{label % 5} noise{random.randrange(9)} x:{random.uniform(-2, 2):.3}"
        lines.append(f"class-{label} {random.choice([1, 1, 0.5, 3])} |words {words}\n")
    path.write_text("".join(lines))


class TinyModels:
    """Data and what was trained with it, all of it tiny."""

    def __init__(self, folder: Path) -> None:
        scaling.BITS = BITS  # kernels ask the table for its length
        self._folder = folder
        self._data = folder / "data.vw"
        write_data(self._data)

    def _train(self, *options: object) -> bytes:
        model = self._folder / "model.lom"
        run("train", self._data, "-b", BITS, "--quiet", *options, "-f", model)
        return model.read_bytes()

    def _train_on(self, *arguments: object) -> tuple[int, str]:
        """Training, whose model must be one."""
        result = self._folder / "result.lom"
        status, said = run("train", *arguments, "-f", result)
        if status == 0:
            for command in (("predict",), ("train", "--quiet", "-f", os.devnull)):
                again, why = run(*command, "-i", result, self._data)
                if again != 0 and "predict-only" not in why:
                    raise RuntimeError(f"training wrote no model for {command[0]}: {why}")
        return status, said


class ModelFiles(TinyModels):
    """All algorithms, forests, --predict-only, checkpoints and shards, with and without ranker."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._path, self._result = folder / "strange.lom", folder / "result.lom"
        self._models = [
            self._train("--algorithm", algorithm, *more)
            for algorithm in ALGORITHMS
            for more in MODELS
            if ALGORITHMS[algorithm].ensembles or "--trees" not in more
        ]
        self._models += [self._train(*more) for more in LOM_MODELS]
        self._models += [self._checkpoint(algorithm) for algorithm in ALGORITHMS]
        self._models += [self._shards(folder, ranker) for ranker in (True, False)]
        self._models += [self._small(algorithm) for algorithm in ALGORITHMS for _ in range(2)]
        [self._examples] = list(Reader([str(self._data)]))

    def _checkpoint(self, algorithm: str) -> bytes:
        """The model of a run that stopped at a bad line, after it had been saved."""
        cut, model = self._folder / "cut.vw", self._folder / "cut.lom"
        cut.write_bytes(self._data.read_bytes() + b"no text of VW's\n")
        options = ("--algorithm", algorithm, "--passes", 2, "-b", BITS, "--holdout", 0.2)
        run("train", cut, *options, "--save-every", 50, "--quiet", "-f", model)
        return model.read_bytes()

    def _small(self, algorithm: str) -> bytes:
        """A model that only predicts, large enough for arrays in few bits."""
        more, model = self._folder / "more.vw", self._folder / "small.lom"
        write_data(more, 600)
        run("train", more, "--algorithm", algorithm, "-b", BITS, "--predict-only", "-f", model)
        return model.read_bytes()

    def _shards(self, folder: Path, ranker: bool) -> bytes:
        model = sharded(str(self._data), replace(OPTIONS, bits=BITS, ranker=ranker))
        write_model(model, str(folder / "shards.lom"), predict_only=True)
        return (folder / "shards.lom").read_bytes()

    def try_one(self, random: Random) -> tuple[str, int]:
        self._path.write_bytes(strange_model(random, random.choice(self._models)))
        line = strange_text(random, "vw").partition(b"\n")[0].replace(b"\0", b"")
        if random.random() < THROUGH_COMMANDS:
            return self._by_commands(random, os.fsdecode(line)), 0
        with one_thread():
            accepted = [
                self._is_accepted(self._rank) or self._is_accepted(self._walk),
                self._is_accepted(self._learn, random),
                self._is_accepted(self._compact)
                if random.random() < COMPACTED
                else self._is_accepted(self._inspect, line, random),
            ]
        return "accepted" if any(accepted) else "refused", 0

    def _is_accepted(self, use: Callable[..., None], *arguments: object) -> bool:
        """What is not refused in a sentence is raised, and a crash."""
        try:
            use(*arguments)
        except (LomtreeError, MemoryError):
            return False
        return True

    def _examples_for(self, model: Model) -> Examples:
        derived = model.options.derived
        if derived == NOTHING:
            return self._examples
        [examples] = list(Reader([str(self._data)], derived=derived))
        return examples

    def _predict(self, model: Model, search: Search | None) -> list[Predicted]:
        return list(predict_all(model, [self._examples_for(model)], search))

    def _walk(self) -> None:
        model = read_model(str(self._path), Purpose.PREDICT)
        for predicted in self._predict(model, None):
            label_lines(model.labels, predicted)

    def _rank(self) -> None:
        model = read_model(str(self._path), Purpose.RANK)
        for search in (None, Search(BEAM, 3), Search(BEAM, 1, with_probabilities=False)):
            for predicted in self._predict(model, search):
                (ranking_lines if search else label_lines)(model.labels, predicted)

    def _compact(self) -> None:
        model = read_model(str(self._path), Purpose.RANK)
        self._predict(self._written(model, predict_only=True), Search(BEAM, 3))

    def _written(self, model: Model, predict_only: bool) -> Model:
        """The model as it is read again."""
        try:
            write_model(model, str(self._result), predict_only)
            return read_model(
                str(self._result), Purpose.RANK if predict_only else Purpose.LEARN
            )  # fmt: skip
        except LomtreeError as error:
            raise RuntimeError(f"what is written is no model: {error}") from error

    def _inspect(self, line: bytes, random: Random) -> None:
        model = read_model(str(self._path), Purpose.COUNT)
        number = random.randrange(len(model.learner.members))
        inspection = Inspection(str(self._path), one_tree(model, number))
        found: dict = {"summary": inspection.summary(10)}
        if ALGORITHMS[model.options.algorithm].has_tree:
            view = inspection.view
            found |= {"tree": view.top(5), "depths": view.depths()}
            with suppress(DataError):  # of the line
                found |= {"path": view.path(line, 10), "ranking": explain_line(model, line, 10)}
        else:
            with suppress(DataError):
                found["scores"] = explain_scores(model, line, 10)
        json.dumps(found, allow_nan=False)
        for name, part in found.items():
            if part is not None:
                getattr(text, f"{name}_text")(part)

    def _learn(self, random: Random) -> None:
        model = read_model(str(self._path), Purpose.LEARN)
        if random.random() < 0.8:
            model.unfinished = None  # as -i does
        model.reconfigure(choose_options({"seed": random.randrange(3)}, model.options))
        Trainer(model).learn([self._examples_for(model)], random.choice([1, 1, 2]))
        self._predict(self._written(model, predict_only=False), Search(BEAM, 3))

    def _by_commands(self, random: Random, line: str) -> str:
        """Through every command; refused if all of them refuse it."""
        model = self._path
        statuses = [
            run("predict", "-i", model, self._data)[0],
            run("predict", "-i", model, self._data, "--walk")[0],
            run("predict", "-i", model, self._data, "--top", 3)[0],
            run("test", "-i", model, self._data, "--by-label", "--confusion")[0],
            run("inspect", model, "--json")[0],
            run("inspect", model, "--tree", "--depths", "--quiet")[0],
            run("inspect", model, "--path", line, "--json")[0],
            run("inspect", model, "--weights", os.devnull)[0],
            run("compact", model, "-f", os.devnull)[0],
            self._train_on(self._data, "-i", model, "--seed", random.randrange(3))[0],
        ]
        return "refused" if all(statuses) else "accepted"


class CacheFiles(TinyModels):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._train("--cache", folder / "data.cache")
        self._cache = (folder / "data.cache").read_bytes()

    def try_one(self, random: Random) -> tuple[str, int]:
        """Refused if the run stops, or makes it anew."""
        cache = self._folder / "strange.cache"
        cache.write_bytes(strange_cache(random, self._cache))
        status, said = self._train_on(self._data, "-b", BITS, "--cache", cache)
        return "refused" if status or "made anew" in said else "accepted", 0
