"""Interactions and n-grams beside Vowpal Wabbit: whole commands with the same options, in turn.

    python -m scripts.bench.interactions [SET ...] [--rounds 3] [--write docs/benchmarks.md]

Both learn a tree alone (VW's --log_multi; --no-ranker here) and predict by one walk (--walk here).
Seconds are the best of the rounds, after one round that may have to compile; those of the processor
are what all cores worked. Small test parts are repeated up to 100,000 lines. Reads the sets of the
folder named by LOMTREE_DATA; of a large one the first lines.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from scripts.bench.costs import BOTH, US, VW, Cost, best, run
from scripts.bench.texts import Texts, texts_of
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section


class Case(NamedTuple):
    set: str
    suffix: str  # of its files
    passes: int
    lines: int  # of the training part, at the most
    options: tuple[str, ...]  # the same words for both programs


MOST_LINES = 10**9
CASES = (
    Case("aloi-438", "svm", 3, MOST_LINES, ("-q", "::")),
    Case("clinc150", "vw", 5, MOST_LINES, ("-q", "::")),
    Case("clinc150", "vw", 5, MOST_LINES, ("--ngram", "3", "--skips", "1")),
    Case("bible-verses", "vw", 1, 60_000, ("--ngram", "2")),
)
BITS = "24"


def commands_of(case: Case, texts: Texts, who: str) -> dict[str, list[str]]:
    part = "many" if texts.has_many else "test"
    train, test, model, out = (
        texts.of(name, who) for name in ("train", part, "model", "predictions")
    )
    passes = ["--passes", str(case.passes)]
    if who == US:
        lomtree = [sys.executable, "-m", "lomtree"]
        learn = [*lomtree, "train", "--quiet", "--no-ranker", "-b", BITS, *passes, *case.options]
        return {
            "train": [*learn, "-f", model, train],
            "predict": [*lomtree, "predict", "--quiet", "--walk", "-i", model, "-p", out, test],
        }
    vw = [sys.executable, "-m", "vowpalwabbit", "--quiet"]
    more = [*passes, "-c", "-k", "--holdout_off"] if case.passes > 1 else []
    learn = [*vw, "--log_multi", str(texts.classes), "-b", BITS, *case.options, *more]
    return {
        "train": [*learn, "-d", train, "-f", model],
        "predict": [*vw, "-t", "-i", model, "-d", test, "-p", out],
    }


def shorten(path: str, lines: int) -> None:
    with open(path, "rb") as file:
        kept = list(islice(file, lines))
    Path(path).write_bytes(b"".join(kept))


def error_of(texts: Texts, who: str) -> float:
    wrong = count = 0
    with open(texts.of("predictions", who)) as given, open(texts.of("test", who)) as wanted:
        for prediction, line in zip(given, wanted, strict=not texts.has_many):
            wrong += prediction.split()[0] != line.split(" ", 1)[0]
            count += 1
    return wrong / count


def least(costs: list[Cost]) -> Cost:
    return best(costs)._replace(processor=min(cost.processor for cost in costs))


def shown(cost: Cost) -> str:
    return f"{cost.seconds:.2f} s, processor {cost.processor:.2f} s, {cost.megabytes:.0f} MB"


def rows_of(case: Case, folder: Path, rounds: int) -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory() as work:
        texts = texts_of(folder / case.set, case.suffix, Path(work))
        for who in BOTH:
            shorten(texts.of("train", who), case.lines)
        commands = {who: commands_of(case, texts, who) for who in BOTH}
        costs: dict[tuple[str, str], list[Cost]] = {}
        for number in range(rounds + 1):
            for stage in commands[US]:
                for who in BOTH:
                    cost = run(commands[who][stage])
                    if number:
                        costs.setdefault((stage, who), []).append(cost)
                    said = f"{case.set} {' '.join(case.options)}, {stage}, {who}"
                    print(f"{said}: {cost.seconds:.2f} s", file=sys.stderr, flush=True)
        errors = {who: error_of(texts, who) for who in BOTH}
    for stage in commands[US]:
        ours, theirs = (least(costs[stage, who]) for who in BOTH)
        yield [
            case.set,
            f"`{' '.join(case.options)}`",
            f"train, passes: {case.passes}" if stage == "train" else stage,
            *map(shown, (ours, theirs)),
            f"{theirs.seconds / ours.seconds:.2f}",
            f"{theirs.processor / ours.processor:.2f}",
            *(f"{errors[who]:.2%}" if stage == "predict" else "" for who in (US, VW)),
        ]


def main() -> None:
    parser = parser_of(__doc__)
    known = list(dict.fromkeys(case.set for case in CASES))
    parser.add_argument("sets", nargs="*", metavar="SET", default=known)
    parser.add_argument("--rounds", type=int, default=3)
    add_write(parser)
    given = parser.parse_args()
    folder = Path(os.environ.get("LOMTREE_DATA", "data"))
    there = [name for name in given.sets if (folder / name).exists()]
    for name in set(given.sets) - set(there):
        print(f"{name}: data not available in {folder}", file=sys.stderr)
    cases = [case for case in CASES if case.set in there]
    rows = [row for case in cases for row in rows_of(case, folder, given.rounds)]
    headings = ["set", "options", "command", "lomtree", "VW", "times as fast", "by processor"]
    text = table([*headings, "test error", "VW's test error"], rows)
    print(text)
    if given.write:
        missing = [name for name in known if name not in there]
        write_section(given.write, "interactions and n-grams", text, missing)


if __name__ == "__main__":
    run_script(main)
