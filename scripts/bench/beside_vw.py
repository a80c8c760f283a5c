"""This program and Vowpal Wabbit side by side: whole commands, taken in turn.

    python -m scripts.bench.beside_vw [SET ...] [--regimes larger equal defaults] [--minutes 60]
                                      [--write docs/benchmarks.md]

Reads the sets of the folder named by LOMTREE_DATA, or those that scripts.reproduce.fetch has built;
those that are in neither are left out, and their sections stay as they are. odp-like is made
(odp_like.py) and is the largest by far: a round of a regime takes a quarter of an hour, of lemma-fi
5 minutes, of bible-verses 2.

A regime is the size of both tables of weights (regimes.py). In each round all regimes of a set are
measured one after the other, and in each of them all stages: seconds (median of 5 rounds, of 3 for
odp-like, with half their range) and peak memory of training and predicting, the size of the last
model and test errors. Where targets are known (targets.py) it says whether they are reached. What
is printed also says where the time of our trees goes.

A set has a section of the file for each regime, which is written after each round: sets and regimes
can be measured one by one, and what a long run has found is kept. With --minutes no round of a set
begins that would hardly end by then.

This program is measured twice: the trees alone (--no-ranker, --walk), which learn and predict as VW
does, and as it is by default, with search and ranker. Both programs start Python first. `start` is
the time that one example takes; `once started` compares what the commands take beyond it. Small
test parts are also predicted from a file that repeats them up to 100,000 lines.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from math import inf
from pathlib import Path

from scripts.bench.costs import Comparison, Cost, run, typical
from scripts.bench.regimes import (
    REGIMES,
    ROUNDS,
    SETS,
    Regime,
    regimes_of,
    section_name,
    with_bits,
)
from scripts.bench.texts import Texts, made_texts, texts_of
from scripts.bench.vw_commands import VW_ALGORITHMS, programs_of, stages_of, warm_up
from scripts.bench.vw_section import describe, inner_stages
from scripts.command import add_write, parser_of, run_script
from scripts.report import write_section
from scripts.sets import data_folder, folder_of

CLASSES, FEATURES = 100_000, 500_000  # of what is made


class Measured:
    """What was found of one regime, round by round."""

    def __init__(self, texts: Texts, algorithm: str, regime: Regime, passes: int) -> None:
        self._texts, self._title = texts, regime.title
        self._programs = programs_of(algorithm)
        self._stages = stages_of(texts, algorithm, regime, passes)
        self._costs: dict[tuple[str, str], list[Cost]] = {
            (stage, who): [] for stage in self._stages for who in self._programs
        }

    def measure_round(self) -> None:
        for (stage, who), costs in self._costs.items():
            cost = run(self._stages[stage](who))
            costs.append(cost)
            said = f"{self._title}, {stage}, {who}: {cost.seconds:.2f} s, {cost.megabytes:.0f} MB"
            print(said, file=sys.stderr, flush=True)

    def comparison(self) -> Comparison:
        """Models and errors are those of the round before."""
        return Comparison(
            {key: typical(costs) for key, costs in self._costs.items()},
            {who: os.path.getsize(self._texts.of("model", who)) / 1e6 for who in self._programs},
            {who: error(self._texts, who) for who in self._programs},
        )


def rounds_within(rounds: int, seconds: float) -> Iterator[int]:
    """So many rounds, but after the first one none that would end later than in so many seconds if
    it took as long as the others."""
    begin = time.monotonic()
    for number in range(rounds):
        passed = time.monotonic() - begin
        if number and passed + passed / number > seconds:
            return
        yield number


def error(texts: Texts, who: str) -> float:
    wrong = count = 0
    with open(texts.of("predictions", who)) as given, open(texts.of("test", who)) as wanted:
        for prediction, line in zip(given, wanted, strict=True):
            wrong += prediction.split()[0] != line.split(" ", 1)[0]
            count += 1
    return 100 * wrong / count


def compare(name: str, given: argparse.Namespace) -> None:
    """Measure a set, and write down what is known after each round."""
    suffix, _, rounds, algorithms = SETS[name]
    regimes = with_bits(regimes_of(name, given.regimes), given.bits, given.vw_bits)
    source = folder_of(name)
    if given.algorithm not in algorithms:
        print(f"{name}: too many classes for {given.algorithm}", file=sys.stderr)
        return
    if suffix and source is None:
        print(f"{name}: data not available in {data_folder()}", file=sys.stderr)
        return
    if not regimes:
        print(f"{name}: none of these regimes", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        if suffix and source:
            texts = texts_of(source, suffix, work)
        else:
            texts = made_texts(given.examples, CLASSES, FEATURES, work)
        first = next(iter(regimes.values()))
        for command in warm_up(texts, given.algorithm, first, given.passes):
            run(command)
        measure_all(name, regimes, texts, rounds, given)


def measure_all(
    name: str, regimes: dict[str, Regime], texts: Texts, rounds: int, given: argparse.Namespace
) -> None:
    measured = {
        key: Measured(texts, given.algorithm, regime, given.passes)
        for key, regime in regimes.items()
    }
    told: dict[str, str] = {}
    for number in rounds_within(given.rounds or rounds, 60 * given.minutes):
        for key, regime in regimes.items():
            measured[key].measure_round()
            section = section_name(given.algorithm, name, key)
            own, runs = key == next(iter(SETS[name].regimes)), f"median of {number + 1}"
            found = measured[key].comparison()
            text = describe(name, regime, texts, runs, found, own)
            if given.write:
                write_section(given.write, section, text)
            told[key] = f"{text}\n{inner_stages(found)}"
    print("\n".join(told.values()))


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument(
        "--regimes", nargs="+", choices=REGIMES, help="all; small sets have no `larger`"
    )
    parser.add_argument("--algorithm", choices=VW_ALGORITHMS, default="lomtree")
    parser.add_argument("--rounds", type=int, help=f"{ROUNDS}; odp-like {SETS['odp-like'].rounds}")
    parser.add_argument("--minutes", type=float, default=inf, help="that a set may take")
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--bits", type=int, help="of our weight table, in the first regime alone")
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


if __name__ == "__main__":
    run_script(main)
