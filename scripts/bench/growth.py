"""Time per example and memory as classes and examples grow: a million classes, one pass.

    python -m scripts.bench.growth [--plot docs/growth.svg] [--write docs/benchmarks.md]
                                                                        (about half an hour)

Everything goes through the program, from text to labels and back, each command a process of its own
with one thread. The text is made (made.py): features and their number in an example are the same
for all k. Over the classes there are A_CLASS examples of each, LEAST in all at least; over the
examples there are FIXED classes.

`lomtree train --no-ranker` learns all in one pass: that is the memory. Then all have been seen,
and the time that counts is what --timings calls learn in windows at the end of the stream, which
`lomtree train -i` learns one after the other; the best of them, because in some a table doubles.
Predicting is the best of as many runs of `lomtree test --walk` on examples of their own. What does
not depend on k (reading, parsing, scaling) is in a column beside.
"""

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from scripts.bench.costs import Cost, run
from scripts.bench.growth_plot import draw
from scripts.bench.made import Classes
from scripts.bench.targets import GROWTH
from scripts.bench.timings import stages_in
from scripts.command import add_write, parser_of, run_script
from scripts.picture import require_matplotlib
from scripts.report import table, write_section

CLASSES = [10**e for e in range(2, 7)]
EXAMPLES = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000]
A_CLASS, LEAST = 6, 60_000  # examples
FIXED = 10_000  # classes, where the examples grow
SHORTEST, LONGEST = 20_000, 100_000  # examples of a window; in between there is one of each class
FROM, TO = 10**4, 10**6  # between which k targets.GROWTH bounds what is beyond log k


class Point(NamedTuple):
    classes: int
    examples: int
    text: float  # microseconds per example: to read, parse and scale
    learn: float
    predict: float
    depth: float  # mean of the leaves that examples come to
    error: float
    training: float  # megabytes
    prediction: float
    seconds: float  # of the command that trains


def program(*arguments: str) -> Cost:
    return run([sys.executable, "-m", "lomtree", *arguments, "--threads", "1", "--timings"])


def microseconds(cost: Cost, examples: int, *names: str) -> float:
    stages = stages_in(cost.said)
    return sum(stages[name].seconds for name in names) / examples * 1e6


def write(classes: Classes, examples: int, path: Path) -> str:
    """The next examples of the stream."""
    with open(path, "wb") as file:
        file.writelines(classes.text(examples))
    return str(path)


def measure(classes: int, examples: int, bits: int, rounds: int) -> Point:
    window = min(max(classes, SHORTEST), LONGEST, examples)
    stream = Classes(classes, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        model, data = f"{folder}/model", Path(folder) / "data.vw"
        text = write(stream, examples, data)
        trained = program("train", "--no-ranker", "--quiet", "-b", str(bits), "-f", model, text)
        windows = [
            program("train", "--quiet", "-i", model, "-f", model, write(stream, window, data))
            for _ in range(rounds)
        ]
        text = write(stream, window, data)
        tested = [program("test", "-i", model, "--walk", "--json", text) for _ in range(rounds)]
    result = json.loads(tested[0].printed)
    return Point(
        classes,
        examples,
        min(microseconds(cost, window, "read", "parse", "scale") for cost in windows),
        min(microseconds(cost, window, "learn") for cost in windows),
        min(microseconds(cost, window, "predict") for cost in tested),
        result["mean_depth"],
        result["error"],
        trained.megabytes,
        min(cost.megabytes for cost in tested),
        trained.seconds,
    )


def exponent(x: list[float], y: list[float]) -> float:
    """p of the power x^p that is nearest to y, on logarithmic scales."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def beyond_logarithm(low: int, high: int, before: float, after: float) -> float:
    """How many times more it takes, apart from the growth of log k."""
    return after / before / (np.log(high) / np.log(low))


def rows_of(points: list[Point]) -> str:
    headings = [
        "classes", "examples", "learn, us", "predict, us", "text, us", "depth", "test error",
        "training, MB", "prediction, MB", "command, s",
    ]  # fmt: skip
    rows = [
        [
            f"{p.classes:,}", f"{p.examples:,}", f"{p.learn:.2f}", f"{p.predict:.2f}",
            f"{p.text:.2f}", f"{p.depth:.1f}", f"{p.error:.1%}", f"{p.training:,.0f}",
            f"{p.prediction:,.0f}", f"{p.seconds:.1f}",
        ]
        for p in points
    ]  # fmt: skip
    return table(headings, rows)


def powers(points: list[Point], variable: str, letter: str) -> Iterator[str]:
    """How times and memory grow, over all points."""
    if len(points) < 2:
        return
    x = [getattr(point, variable) for point in points]
    for name, text in (
        ("learn", "the time to learn an example"),
        ("predict", "the time to predict one"),
        ("depth", "the depth"),
        ("training", "the memory to train"),
        ("prediction", "the memory to predict"),
    ):
        power = exponent(x, [getattr(point, name) for point in points])
        yield f"{text} grows like {letter}^{power:.2f}"


def statements(points: list[Point]) -> Iterator[str]:
    """Whether the time grows like log k, as far as it was measured."""
    found = {point.classes: point for point in points}
    if not {FROM, TO} <= set(found):
        return
    for name, bound in GROWTH.items():
        times = [getattr(found[k], name) for k in (FROM, TO)]
        beyond = beyond_logarithm(FROM, TO, *times)
        yield (
            f"to {name}, time per example at {TO:,} over {FROM:,} classes, beyond what log k "
            f"explains: {beyond:.2f} times (bound {bound}): "
            f"{'reached' if beyond <= bound else 'not reached'}"
        )
    largest = found[TO]
    yield (
        f"{TO:,} classes: one pass over {largest.examples:,} examples took "
        f"{largest.seconds:,.0f} s and {largest.training / 1024:.1f} GB"
    )


def describe(over_classes: list[Point], over_examples: list[Point]) -> str:
    parts = []
    if over_classes:
        parts.append(f"Over the classes k:\n\n{rows_of(over_classes)}")
        parts.append(listed([*powers(over_classes, "classes", "k"), *statements(over_classes)]))
    if over_examples:
        parts.append(f"Over the examples n, {FIXED:,} classes:\n\n{rows_of(over_examples)}")
        parts.append(listed(powers(over_examples, "examples", "n")))
    return "\n".join(filter(None, parts))


def listed(sentences: Iterable[str]) -> str:
    return "".join(f"- {sentence}.\n" for sentence in sentences)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--classes", type=int, nargs="*", default=CLASSES, metavar="K")
    parser.add_argument("--examples", type=int, nargs="*", default=EXAMPLES, metavar="N")
    parser.add_argument("--bits", type=int, default=26, help="at most 2^BITS weights")
    parser.add_argument("--rounds", type=int, default=5, help="windows, and runs to predict")
    add_write(parser)
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw it: .svg or .png")
    given = parser.parse_args()
    if given.plot:
        require_matplotlib(parser)
    measure(2, 100, given.bits, 1)  # compiles
    sizes = [(k, max(LEAST, A_CLASS * k)) for k in given.classes]
    over_classes, over_examples = [], []
    for points, some in (
        (over_classes, sizes),
        (over_examples, [(FIXED, n) for n in given.examples]),
    ):
        for classes, examples in some:
            points.append(measure(classes, examples, given.bits, given.rounds))
            print(points[-1], file=sys.stderr, flush=True)
    text = describe(over_classes, over_examples)
    print(text)
    if given.write:
        write_section(given.write, "growth", text)
    if given.plot:
        draw(over_classes, over_examples, given.plot)


if __name__ == "__main__":
    run_script(main)
