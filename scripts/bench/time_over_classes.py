"""Time per example over the number of classes k: trees grow like log k, one-against-all like k?

    python -m scripts.bench.time_over_classes [--plot FILE.svg] [--write docs/benchmarks.md]
                                                              (about 4 minutes, 3 GB)

The data is made (made.py). Learning is timed at the end of a stream, when a tree has its size,
predicting on examples of their own: one thread, best of many batches. "Cached" is the time to
predict an example many times in a row: what it would be if memory were as fast as the cache. Tables
and what follows from them go to stdout, progress to stderr. --plot draws the picture (pip install
'lomtree[plots]').
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.options import LOSSES, Options
from lomtree.examples.batch import Batch, pick
from lomtree.learners.base import Learner
from lomtree.learners.factory import new_learner
from scripts import report
from scripts.bench.made import Classes
from scripts.command import add_write, parser_of, run_script
from scripts.picture import GUIDE, load_pyplot, look, name_point, require_matplotlib, save

TREES = [name for name in ALGORITHMS if name != "oaa"]
STAGES = ("learn", "predict", "cached")

BITS = 28  # one-against-all with 2^17 classes has room for all features

LEAST, A_CLASS = 40_000, 6  # examples that a tree learns: so many, or so many a class
OAA_LEARNS = 4096  # by then most regressors are sure of their no, whatever k is
LAST = 8  # batches at the end of the stream, at least, that are timed
SECONDS = 1.2  # of predicting, over all visits
FEW = 16  # examples that are predicted many times in a row


class Measured(NamedTuple):
    learn: float  # microseconds per example
    predict: float
    cached: float
    depth: float  # mean over the examples, of the leaves


def timed(work, batch: Batch) -> tuple[float, float]:
    """Microseconds per example of learn or predict, and the mean depth."""
    count = len(batch.labels)
    predictions, depths = np.zeros(count, np.int32), np.zeros(count, np.int32)
    begun = time.perf_counter()
    work(batch, count, predictions, depths)
    return (time.perf_counter() - begun) / count * 1e6, float(depths.mean())


def start(algorithm: str, k: int, loss: str, seed: int) -> Learner:
    learner = new_learner(Options(algorithm=algorithm, classes=k, loss=loss, bits=BITS, seed=seed))
    if algorithm == "oaa":
        # A prediction is sought among the labels seen; to see them all would take minutes.
        learner.state.seen[:k] = 1
    return learner


def visits(k: int) -> int:
    """How often to measure: machines have slow minutes, but many classes take long themselves."""
    return max(1, min(3, 17 - k.bit_length()))


def measure(algorithm: str, k: int, loss: str, seed: int, least: int = LEAST) -> Measured:
    classes, learner = Classes(k, seed), start(algorithm, k, loss, seed)
    size, examples = 4096, max(least, A_CLASS * k)
    if algorithm == "oaa":
        size = max(64, min(4096, (1 << 20) // k))
        examples = min(least, OAA_LEARNS) + LAST * size
    batches = -(-examples // size)
    learning = [timed(learner.learn, classes.batch(size))[0] for _ in range(batches)]
    fresh = [classes.batch(size) for _ in range(8)]
    in_a_row = pick(fresh[0], np.repeat(np.arange(FEW), size // FEW))
    predicting, cached = [], []
    until = time.perf_counter() + (SECONDS / visits(k) if least == LEAST else 0.0)
    while not cached or time.perf_counter() < until:
        predicting += [timed(learner.predict, batch) for batch in fresh]
        cached += [timed(learner.predict, in_a_row)[0] for _ in range(4)]
    return Measured(
        min(learning[-max(LAST, batches // 4) :]),  # some batches pay for the growth of tables
        min(taken for taken, _ in predicting),
        min(cached),
        float(np.mean([depth for _, depth in predicting])),
    )


Table = dict[str, dict[int, Measured]]  # by algorithm and log2 k


def measure_all(exponents: list[int], loss: str, seed: int) -> Table:
    table: Table = {algorithm: {} for algorithm in ALGORITHMS}
    for algorithm in ALGORITHMS:
        measure(algorithm, FEW, loss, seed, least=1)  # compiles
    for sweep in range(3):
        part = [exponent for exponent in exponents if sweep < visits(1 << exponent)]
        for algorithm in ALGORITHMS:
            for exponent in part:
                measured = measure(algorithm, 1 << exponent, loss, seed)
                before = table[algorithm].get(exponent, measured)
                table[algorithm][exponent] = Measured(*map(min, measured, before))
                print(
                    f"{algorithm:8} k = 2^{exponent:<2}  learn {measured.learn:8.2f}  "
                    f"predict {measured.predict:8.2f}  cached {measured.cached:8.2f} us  "
                    f"depth {measured.depth:5.2f}",
                    file=sys.stderr,
                    flush=True,
                )
    return table


def cell(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def columns_of(table: Table, exponents: list[int], names: list[str], kinds: tuple) -> str:
    """A table of one row for each k, one column for each kind of number and name."""
    rows = [
        [f"{1 << e:,}", *(cell(getattr(table[name][e], kind)) for kind in kinds for name in names)]
        for e in exponents
    ]
    return report.table(["k", *(f"{kind} {name}" for kind in kinds for name in names)], rows)


def describe(table: Table, exponents: list[int]) -> str:
    return (
        "Microseconds per example:\n\n"
        + columns_of(table, exponents, list(ALGORITHMS), STAGES[:2])
        + "\nMean depth of the leaves, and microseconds to predict what is in the cache:\n\n"
        + columns_of(table, exponents, TREES, ("depth", "cached"))
        + "\n"
        + "".join(f"{line}\n" for line in growth(table, exponents))
    )


def slope(x: list[int], y: list[float]) -> float:
    return float(np.polyfit(x, y, 1)[0])


def growth(table: Table, exponents: list[int]) -> Iterator[str]:
    """How each time grows: a power of k for one-against-all, so much per doubling for trees."""
    middle = len(exponents) // 2
    lower, upper = exponents[: middle + 1], exponents[middle:]
    for stage in ("learn", "predict"):
        times = [float(np.log2(getattr(table["oaa"][exponent], stage))) for exponent in upper]
        yield (
            f"- oaa, {stage}: from 2^{upper[0]} to 2^{upper[-1]} classes the time grows like "
            f"k^{slope(upper, times):.2f}."
        )
    last = exponents[-1]
    first = 9 if 9 in exponents[:-1] else exponents[0]
    for name in TREES:
        deeper = table[name][last].depth / table[name][first].depth
        yield (
            f"- {name}: from 2^{first} to 2^{last} classes log k grows {last / first:.2f} times, "
            f"the mean depth {deeper:.2f} times, the time"
        )
        for stage in STAGES:
            taken = {exponent: getattr(table[name][exponent], stage) for exponent in exponents}
            low, high = (slope(part, [taken[e] for e in part]) for part in (lower, upper))
            power = slope(upper, [float(np.log2(taken[exponent])) for exponent in upper])
            yield (
                f"  - to {'predict what is ' if stage == 'cached' else ''}{stage} "
                f"{taken[last] / taken[first]:.2f} times; each doubling of k adds "
                f"{slope(exponents, list(taken.values())):.2f} us ({low:.2f} in the lower half, "
                f"{high:.2f} in the upper, there like k^{power:.2f})."
            )


def draw(table: Table, exponents: list[int], path: Path) -> None:
    pyplot = load_pyplot()
    figure, panels = pyplot.subplots(1, 2, figsize=(9.5, 4.4), sharey=True, layout="constrained")
    for panel, stage in zip(panels, STAGES, strict=False):
        for name in ALGORITHMS:
            taken = [getattr(table[name][exponent], stage) for exponent in exponents]
            # The tree alone, walked: what the figures of results.md call the paper's.
            style = look("paper" if name == "lomtree" else name)
            panel.plot(exponents, taken, label=name, **style)
        draw_guides(panel, table, exponents, stage)
        panel.set(title=f"to {stage}", xlabel="classes k", yscale="log", xticks=exponents[::2])
        panel.set_xticklabels([f"$2^{{{exponent}}}$" for exponent in exponents[::2]])
        panel.set_xlim(exponents[0] - 0.5, exponents[-1] + 2.2)
    panels[0].set_ylabel("microseconds per example")
    panels[0].legend(loc="upper left")
    save(figure, path)


def draw_guides(panel, table: Table, exponents: list[int], stage: str) -> None:
    """What k would be, through one-against-all's last time, and log k, through the Rtree's first;
    beside predicting, the Rtree without the waiting for memory."""
    along = np.array(exponents)
    upper, last = along[len(along) // 2 :], along[-1]
    oaa, tree = getattr(table["oaa"][last], stage), getattr(table["rtree"][along[0]], stage)
    lines = [
        (upper, oaa * 2.0 ** (upper - last), "-", "k", "center"),
        (along, tree * along / along[0], "-", "log k", "bottom"),
    ]
    if stage == "predict":
        cached = np.array([table["rtree"][exponent].cached for exponent in exponents])
        lines.append((along, cached, "--", "rtree,\ncached", "top"))
    for x, y, line, text, side in lines:
        panel.plot(x, y, color=GUIDE, linestyle=line, linewidth=1, zorder=1)
        name_point(panel, text, (last, y[-1]), (9, 0), color="0.3", va=side)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--smallest", type=int, default=5, metavar="N", help="from 2^N classes")
    parser.add_argument("--largest", type=int, default=17, metavar="N", help="up to 2^N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--loss", choices=LOSSES, default="logistic", help="absolute: no regressor is ever sure"
    )
    add_write(parser)
    parser.add_argument(
        "--plot",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="draw it: .svg or .png; may be given twice",
    )
    arguments = parser.parse_args()
    if not 4 <= arguments.smallest <= arguments.largest - 2 <= 15:
        parser.error("expected 4 <= --smallest, --smallest + 2 <= --largest and --largest <= 17")
    if arguments.plot:
        require_matplotlib(parser)
    exponents = list(range(arguments.smallest, arguments.largest + 1))
    table = measure_all(exponents, arguments.loss, arguments.seed)
    text = describe(table, exponents)
    print(text)
    if arguments.write:
        report.write_section(arguments.write, "time over classes", text)
    for path in arguments.plot:
        draw(table, exponents, path)


if __name__ == "__main__":
    run_script(main)
