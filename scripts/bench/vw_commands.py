"""The commands that are compared: of this program's trees alone, of all of it by default, of VW.

The trees alone (--no-ranker, --walk) learn and predict as VW's --log_multi does. DEFAULT is the
program without these options: training with the ranker, and prediction by search and ranker.
"""

import sys
from collections.abc import Callable

from scripts.bench.costs import DEFAULT, US, VW
from scripts.bench.regimes import Regime
from scripts.bench.texts import Texts

VW_ALGORITHMS = {"lomtree": "--log_multi", "oaa": "--oaa"}
LOMTREE = [sys.executable, "-m", "lomtree"]
VOWPAL = [sys.executable, "-m", "vowpalwabbit", "--quiet"]

Command = Callable[[str], list[str]]  # given who runs it


def programs_of(algorithm: str) -> tuple[str, ...]:
    """In turn; one-against-all is compared in one way alone."""
    return (US, DEFAULT, VW) if algorithm == "lomtree" else (US, VW)


def train(
    texts: Texts, who: str, algorithm: str, regime: Regime, part: str, passes: int
) -> list[str]:
    data, model, bits = texts.of(part, who), texts.of("model", who), regime.option(who)
    if who == VW:
        more = ["--passes", str(passes), "-c", "-k", "--holdout_off"] if passes > 1 else []
        start = [*VOWPAL, VW_ALGORITHMS[algorithm], str(texts.classes), *bits]
        return [*start, "-d", data, "-f", model, *more]
    alone = ["--no-ranker"] if who == US else []
    start = [*LOMTREE, "train", "--quiet", "--timings", "--algorithm", algorithm, *alone, *bits]
    return [*start, "--passes", str(passes), "-f", model, data]


def predict(texts: Texts, who: str, part: str) -> list[str]:
    data, model, predictions = (texts.of(name, who) for name in (part, "model", "predictions"))
    if who == VW:
        return [*VOWPAL, "-t", "-i", model, "-d", data, "-p", predictions]
    walk = ["--walk"] if who == US else []
    return [*LOMTREE, "predict", *walk, "--timings", "-i", model, "-p", predictions, data]


def stages_of(texts: Texts, algorithm: str, regime: Regime, passes: int) -> dict[str, Command]:
    """The command of each stage, given who runs it; the last one predicts the test part."""
    stages = {
        "start of training": lambda who: train(texts, who, algorithm, regime, "one", 1),
        "train, 1 pass": lambda who: train(texts, who, algorithm, regime, "train", 1),
        f"train, {passes} passes": lambda who: train(
            texts, who, algorithm, regime, "train", passes
        ),
        "start of prediction": lambda who: predict(texts, who, "one"),
        "predict many": lambda who: predict(texts, who, "many"),
        "predict": lambda who: predict(texts, who, "test"),
    }
    if not texts.has_many:
        del stages["predict many"]
    return stages


def warm_up(texts: Texts, algorithm: str, regime: Regime, passes: int) -> list[list[str]]:
    """Commands over the test part, so that nothing that is timed has to compile."""
    return [
        command
        for who in programs_of(algorithm)
        if who != VW
        for command in (
            train(texts, who, algorithm, regime, "test", passes),
            predict(texts, who, "test"),
        )
    ]
