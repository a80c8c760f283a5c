"""This program and Vowpal Wabbit side by side: whole commands, taken in turn.

    python -m scripts.bench.beside_vw [SET ...] [--minutes 20] [--write docs/benchmarks.md]

Reads the sets of the folder named by LOMTREE_DATA, or those that scripts.reproduce.fetch has built;
those that are in neither are left out, and their sections stay as they are. odp-like is made
(odp_like.py), is the largest by far (a round takes a quarter of an hour) and gets one.

For each set: seconds (median of --rounds) and peak memory of training and predicting, the size of
the last model, test errors, where this program's time goes, and whether the targets are reached.
Every set has its own section of the file, which is written after each round: sets can be measured
one by one, and what a long run has found is kept. With --minutes no round begins that would hardly
end by then.

This program learns and predicts as VW does: trees alone (--no-ranker), one walk (--walk);
ranker_cost.py measures the rest. Both start Python first. `start` is the time that one example
takes; `once started` compares what the commands take beyond it. Small test parts are also predicted
from a file that repeats them up to 100,000 lines.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from math import inf
from pathlib import Path
from typing import NamedTuple

from scripts.bench.costs import BOTH, US, VW, Comparison, Cost, run, typical
from scripts.bench.targets import verdicts
from scripts.bench.texts import Texts, made_texts, texts_of
from scripts.bench.timings import Stage, stages_in
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section
from scripts.sets import data_folder, folder_of

Bits = dict[str, int]  # of the weight table of each program


class Set(NamedTuple):
    suffix: str | None  # of its files; None: it is made
    bits: Bits
    rounds: int = 3
    algorithms: tuple[str, ...] = ("lomtree", "oaa")


# On the small sets neither program fills its table. On the large ones VW needs what it is given
# here: it errs much more with less. Ours does not, and has its own default.
SMALL, LARGE = {US: 22, VW: 22}, {US: 26, VW: 28}
SETS = {
    "isolet": Set("svm", SMALL),
    "aloi-438": Set("svm", SMALL),
    "clinc150": Set("vw", SMALL),
    "bible-verses": Set("vw", LARGE, algorithms=("lomtree",)),
    "lemma-fi": Set("vw", LARGE, algorithms=("lomtree",)),
    "odp-like": Set(None, LARGE, rounds=1, algorithms=("lomtree",)),
}
CLASSES, FEATURES = 100_000, 500_000  # of what is made
VW_ALGORITHMS = {"lomtree": "--log_multi", "oaa": "--oaa"}


def train(texts: Texts, who: str, algorithm: str, bits: Bits, part: str, passes: int) -> list[str]:
    data, model = texts.of(part, who), texts.of("model", who)
    if who == US:
        return [
            sys.executable, "-m", "lomtree", "train", "--quiet", "--timings", "--algorithm",
            algorithm, "--no-ranker", f"-b{bits[who]}", "--passes", str(passes), "-f", model, data,
        ]  # fmt: skip
    more = ["--passes", str(passes), "-c", "-k", "--holdout_off"] if passes > 1 else []
    return [
        sys.executable, "-m", "vowpalwabbit", "--quiet", VW_ALGORITHMS[algorithm],
        str(texts.classes), "-b", str(bits[who]), "-d", data, "-f", model, *more,
    ]  # fmt: skip


def predict(texts: Texts, who: str, part: str) -> list[str]:
    data, model, predictions = (texts.of(name, who) for name in (part, "model", "predictions"))
    if who == US:
        return [
            sys.executable, "-m", "lomtree", "predict", "--walk", "--timings", "-i", model,
            "-p", predictions, data,
        ]  # fmt: skip
    return [
        sys.executable, "-m", "vowpalwabbit", "--quiet", "-t", "-i", model, "-d", data,
        "-p", predictions,
    ]  # fmt: skip


def stages_of(texts: Texts, algorithm: str, bits: Bits, passes: int) -> dict[str, Callable]:
    """The command of each stage, given who runs it; the last one predicts the test part."""
    stages = {
        "start of training": lambda who: train(texts, who, algorithm, bits, "one", 1),
        "train, 1 pass": lambda who: train(texts, who, algorithm, bits, "train", 1),
        f"train, {passes} passes": lambda who: train(texts, who, algorithm, bits, "train", passes),
        "start of prediction": lambda who: predict(texts, who, "one"),
        "predict many": lambda who: predict(texts, who, "many"),
        "predict": lambda who: predict(texts, who, "test"),
    }
    if not texts.has_many:
        del stages["predict many"]
    return stages


def rounds_within(rounds: int, seconds: float) -> Iterator[int]:
    """So many rounds, but after the first one none that would end later than in so many seconds if
    it took as long as the others."""
    begin = time.monotonic()
    for number in range(rounds):
        passed = time.monotonic() - begin
        if number and passed + passed / number > seconds:
            return
        yield number


def measure(
    texts: Texts, stages: dict[str, Callable], rounds: Iterable[int]
) -> Iterator[Comparison]:
    """What is known after each round."""
    costs: dict[tuple[str, str], list[Cost]] = {(s, w): [] for s in stages for w in BOTH}
    for _ in rounds:
        for stage, command in stages.items():
            for who in BOTH:
                cost = run(command(who))
                costs[stage, who].append(cost)
                print(
                    f"{stage}, {who}: {cost.seconds:.2f} s, {cost.megabytes:.0f} MB",
                    file=sys.stderr,
                    flush=True,
                )
        yield Comparison(
            {key: typical(found) for key, found in costs.items()},
            {who: os.path.getsize(texts.of("model", who)) / 1e6 for who in BOTH},
            {who: error(texts, who) for who in BOTH},
        )


def error(texts: Texts, who: str) -> float:
    wrong = count = 0
    with open(texts.of("predictions", who)) as given, open(texts.of("test", who)) as wanted:
        for prediction, line in zip(given, wanted, strict=True):
            wrong += prediction.split()[0] != line.split(" ", 1)[0]
            count += 1
    return 100 * wrong / count


def side_by_side(found: Comparison) -> str:
    rows = []
    for stage in found.stages:
        rate = None if stage.startswith("start") else found.once_started(stage)
        rows.append([
            stage,
            *(cost_in_words(found.costs[stage, who]) for who in BOTH),
            f"{found.faster(stage):.2f}", f"{rate:.2f}" if rate else "",
            f"{found.memory(stage):.2f}",
        ])  # fmt: skip
    share = found.megabytes[US] / found.megabytes[VW]
    sizes = [f"{found.megabytes[who]:.1f} MB" for who in BOTH]
    rows.append(["the last model", *sizes, "", "", f"{share:.2f}"])
    rows.append(["test error", *(f"{found.errors[who]:.2f}%" for who in BOTH), "", "", ""])
    return table(["stage", "lomtree", "VW", "times as fast", "once started", "MB of VW's"], rows)


def cost_in_words(cost: Cost) -> str:
    spread = f" (+-{cost.spread / 2:.0%})" if cost.spread else ""
    return f"{cost.seconds:.2f} s{spread}, {cost.megabytes:.0f} MB"


def inner_stages(found: Comparison) -> str:
    """Where our time goes, by what our commands say."""
    commands = [stage for stage in found.stages if not stage.startswith("start")]
    columns = [stages_in(found.costs[command, US].said) for command in commands]
    names = list(dict.fromkeys(name for column in columns for name in column))
    names.sort(key="whole run".__eq__)
    rows = [[name, *(cell(column.get(name)) for column in columns)] for name in names]
    return table(["stage of lomtree", *commands], rows)


def cell(stage: Stage | None) -> str:
    if stage is None:
        return ""
    return f"{stage.seconds:.2f} s" + (f", {stage.rates}" if stage.rates else "")


def describe(name: str, bits: Bits, texts: Texts, rounds: int, found: Comparison) -> str:
    text = (
        f"### {name}\n\n{texts.classes:,} classes, {texts.lines['train']:,} examples to train with "
        f"and {texts.lines['test']:,} to test, `-b {bits[US]}` ({bits[VW]} for VW), median of "
        f"{rounds}:\n\n"
        f"{side_by_side(found)}\n{inner_stages(found)}"
    )
    lines = [f"- {sentence}\n" for sentence in verdicts(name, found)]
    return text + ("\n" if lines else "") + "".join(lines)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument("--algorithm", choices=VW_ALGORITHMS, default="lomtree")
    parser.add_argument("--rounds", type=int, help="3; odp-like 1")
    parser.add_argument("--minutes", type=float, default=inf, help="that a set may take")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--bits", type=int, help="of our weight table, in any set")
    parser.add_argument("--vw-bits", type=int, help="of VW's")
    parser.add_argument(
        "--examples", type=int, default=1_000_000, help="of odp-like, to train with"
    )
    add_write(parser)
    given = parser.parse_args()
    if unknown := set(given.sets) - set(SETS):
        parser.error(f"no such set: {', '.join(sorted(unknown))}")
    for name in given.sets or SETS:
        compare(name, given)


def compare(name: str, given: argparse.Namespace) -> None:
    """Measure a set, and write down what is known after each round."""
    suffix, bits, rounds, algorithms = SETS[name]
    bits = {US: given.bits or bits[US], VW: given.vw_bits or bits[VW]}
    source = folder_of(name)
    if given.algorithm not in algorithms:
        print(f"{name}: too many classes for {given.algorithm}", file=sys.stderr)
        return
    if suffix and source is None:
        print(f"{name}: data not available in {data_folder()}", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if suffix and source:
            texts = texts_of(source, suffix, work)
        else:
            texts = made_texts(given.examples, CLASSES, FEATURES, work)
        stages = stages_of(texts, given.algorithm, bits, given.passes)
        found = measure(texts, stages, rounds_within(given.rounds or rounds, 60 * given.minutes))
        for done, comparison in enumerate(found, 1):
            text = describe(name, bits, texts, done, comparison)
            if given.write:
                write_section(given.write, f"vw {given.algorithm} {name}", text)
    print(text)


if __name__ == "__main__":
    run_script(main)
