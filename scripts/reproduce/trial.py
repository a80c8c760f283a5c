"""One training on a fetched set, as `lomtree train` would do it on one core, with its errors."""

import time
from collections.abc import Callable, Iterable, Iterator
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lomtree.core.constants import BEAM
from lomtree.core.options import Options, choose_options
from lomtree.examples.batch import Batch, part
from lomtree.learners.base import Learner
from lomtree.learners.factory import new_learner
from lomtree.model.model import Model
from lomtree.training.sources import Numbered
from lomtree.training.trainer import Trainer
from scripts.program import PROGRAM
from scripts.reproduce.catalog import PARTS, Dataset
from scripts.reproduce.examples import Examples, read_set, size_of
from scripts.reproduce.grid import PASSES, PATIENCE, Setting

_FEW = 64  # examples that compile everything

# The update of VW as it is by default, which its manual calls a variant of online gradient descent;
# docs/results.md has what other updates and losses do.
VW_UPDATE: dict[str, Any] = {
    "loss": "logistic",
    "update": "adaptive",
    "power_t": 0.5,
    "scale": "max",
}


def options_of(setting: Setting, classes: int) -> Options:
    """All but the default are the paper's (--paper), trained by its program's own update: no step
    goes beyond the target, adaptive (AdaGrad) and normalised (by the largest value of a feature),
    which is what `vw` does unless told otherwise."""
    common = {"classes": classes, "seed": setting.seed}
    if setting.algorithm == "lomtree":
        return Options(**common)
    common |= {"paper": True, **VW_UPDATE, "learning_rate": float(setting.rate)}
    if setting.algorithm == "paper":
        nodes = max(1, setting.nodes * classes - 1)  # 0 would mean that T follows the labels
        shape = {"max_nodes": nodes, "swap_resistance": float(setting.resistance)}
        return choose_options(common | shape)
    return choose_options(common | {"algorithm": setting.algorithm})


def command_of(
    setting: Setting, classes: int, passes: int, suffix: str, parts: tuple[str, ...] = PARTS[:1]
) -> str:
    """The same by hand."""
    options = options_of(setting, classes)
    words = ["lomtree train", *(f"{setting.set}/{part}.{suffix}.gz" for part in parts)]
    if setting.algorithm != "lomtree":
        given = (f"--{name.replace('_', '-')} {value}" for name, value in VW_UPDATE.items())
        words += ["--paper", *given, f"-l {options.learning_rate:g}"]
    if setting.algorithm == "paper":
        words.append(f"-T {options.max_nodes} -R {options.swap_resistance:g}")
    elif setting.algorithm != "lomtree":
        words.append(f"--algorithm {setting.algorithm}")
    words.append(f"-k {classes} --passes {passes} --seed {setting.seed} --threads 1 -f model.lom")
    return " ".join(words)


def half_interval(error: float, examples: int) -> float:
    """Half the width of the paper's binomial 95% interval."""
    return 1.96 * sqrt(error * (1 - error) / examples)


class Measured(NamedTuple):
    """How a learner does on some examples, and the time it takes."""

    examples: int
    errors: int
    seconds: float
    mean_depth: float

    @property
    def error(self) -> float:
        return self.errors / self.examples

    @property
    def interval(self) -> float:
        return half_interval(self.error, self.examples)


def _go(work: Callable, batches: Iterable[Batch]) -> Measured:
    examples, errors, depth_sum, seconds = 0, 0, 0, 0.0
    for batch in batches:
        count = len(batch.labels)
        predictions, depths = np.zeros(count, np.int32), np.zeros(count, np.int32)
        begun = time.perf_counter()
        work(batch, count, predictions, depths)
        seconds += time.perf_counter() - begun
        examples += count
        errors += int((predictions != batch.labels).sum())
        depth_sum += int(depths.sum())
    return Measured(examples, errors, seconds, depth_sum / max(examples, 1))


def learn(learner: Learner, batches: Iterable[Batch]) -> Measured:
    """Errors are those before each example was learned."""
    return _go(learner.learn, batches)


def predict(learner: Learner, batches: Iterable[Batch]) -> Measured:
    """By a walk; by a search and a ranking where there is a ranker."""
    if learner.ranker is None:
        return _go(learner.predict, batches)

    def rank(batch: Batch, count: int, predictions: np.ndarray, depths: np.ndarray) -> None:
        ranking = learner.rank(batch, count, BEAM, 1)
        predictions[:], depths[:] = ranking.labels[:, 0], ranking.asked

    return _go(rank, batches)


def train(options: Options, batches: Iterable[Batch], passes: int) -> tuple[Learner, float]:
    """As `lomtree train` does it, which keeps some examples for the last pass: a learner, and the
    seconds that it took."""

    def examples() -> Iterator[Numbered]:
        return ((batch, len(batch.labels)) for batch in batches)

    model = Model.new(options)
    begun = time.perf_counter()
    Trainer(model).run(examples(), passes, examples)
    return model.learner, time.perf_counter() - begun


def start(options: Options, examples: Examples) -> Learner:
    """A learner on one core, whose code is compiled: no time that is taken holds that."""
    batch = next(iter(examples.train))
    few = part(batch, 0, min(_FEW, len(batch.labels)))
    first = new_learner(options)
    learn(first, [few])
    predict(first, [few])
    return new_learner(options)  # `threads` is 1


def shape_of(learner: Learner) -> dict[str, Any]:
    """A ranking asks many more nodes than are on the way to one leaf: there the depth is that of
    the tree."""
    depths = learner.depths()
    shape: dict[str, Any] = {
        "internal_nodes": getattr(learner, "internal_nodes", None),
        "swaps": getattr(learner, "swaps", None),
        "largest_depth": depths.largest if depths else None,
    }
    return shape | ({"mean_depth": depths.mean} if depths and learner.ranker else {})


class Trained(NamedTuple):
    """What came of each pass; `best` is that with the least validation error."""

    learned: list[Measured]
    validated: list[Measured]
    best: int


def learn_and_validate(
    learner: Learner,
    examples: Examples,
    passes: int = PASSES,
    after: Callable[[], None] = lambda: None,
) -> Trained:
    """Until no pass brought a new best for some time; `after` is called after each."""
    learned: list[Measured] = []
    validated: list[Measured] = []
    best = 0
    while len(validated) < passes and len(validated) - best <= PATIENCE:
        learned.append(learn(learner, examples.train))
        validated.append(predict(learner, examples.validation))
        after()
        if validated[-1].error < validated[best].error:
            best = len(validated) - 1
    return Trained(learned, validated, best)


def run_trials(settings: list[Setting], dataset: Dataset, folder: Path) -> list[dict[str, Any]]:
    """The rows of settings that differ in R_S alone, the smallest first. Where nothing was swapped
    with one, nothing would be with a larger one: the tree is the same, and not trained again."""
    rows: list[dict[str, Any]] = []
    for setting in settings:
        if rows and rows[-1]["swaps"] == 0:
            rows.append(_same_tree(rows[-1], setting, dataset))
        else:
            begun = time.perf_counter()
            row = run_trial(setting, dataset, folder)
            rows.append(row | {"seconds": time.perf_counter() - begun})
    return rows


def _same_tree(row: dict[str, Any], setting: Setting, dataset: Dataset) -> dict[str, Any]:
    best = row["validation"].index(min(row["validation"])) + 1
    command = command_of(setting, row["classes"], best, dataset.suffix)
    own = {"setting": setting._asdict(), "key": setting.key, "command": command}
    return row | own | {"seconds": 0.0}


def run_trial(setting: Setting, dataset: Dataset, folder: Path) -> dict[str, Any]:
    """The row of a setting: errors and times of each pass, or of all passes together."""
    examples = read_set(dataset, folder)
    if setting.algorithm == "lomtree":
        return _run_default(setting, dataset, examples)
    learner = start(options_of(setting, examples.classes), examples)
    learned, validated, best = learn_and_validate(learner, examples, setting.passes)
    return _beginning(setting, examples) | {
        "progressive": [one.error for one in learned],
        "validation": [one.error for one in validated],
        "learn_seconds": [one.seconds for one in learned],
        "validation_seconds": [one.seconds for one in validated],
        "mean_depth": validated[-1].mean_depth,
        **shape_of(learner),
        "stopped_early": len(validated) < setting.passes,
        "command": command_of(setting, examples.classes, best + 1, dataset.suffix),
    }


def _beginning(setting: Setting, examples: Examples) -> dict[str, Any]:
    return {
        "setting": setting._asdict(),
        "key": setting.key,
        "version": PROGRAM,
        "classes": examples.classes,
        "examples": size_of(examples.train),
    }


def _run_default(setting: Setting, dataset: Dataset, examples: Examples) -> dict[str, Any]:
    """What later passes do depends on how many there will be, so all of them are one run."""
    options = options_of(setting, examples.classes)
    start(options, examples)
    learner, seconds = train(options, examples.train, setting.passes)
    validated = predict(learner, examples.validation)
    return _beginning(setting, examples) | {
        "passes": setting.passes,
        "validation": [validated.error],
        "learn_seconds": [seconds],
        "validation_seconds": [validated.seconds],
        **shape_of(learner),
        "stopped_early": False,
        "command": command_of(setting, examples.classes, setting.passes, dataset.suffix),
    }
