"""What Python's side costs beside the command line: fit, predict, and one row at a time.

    python -m scripts.bench.python_api [SET ...] [--rounds 5] [--write docs/benchmarks.md]

A set becomes a CSR matrix and the same numbers as libsvm text. In one process, in turn:

    fit      fit(X, y) with shuffle=False beside what `lomtree train --quiet` does with the examples
             once parsed; and by default, which orders the rows first, beside the same with the
             examples in that order
    predict  predict(X) beside what `lomtree predict` does from reading to writing, once started
    one row  predict(X[i]) of rows one by one, by default and by a walk, beside what the compiled
             code of it takes alone: the rest is Python's

All with as many cores as there are, but for one row. Each round does everything once, every second
one in the opposite order; the medians of the rounds are shown, and those of the ratios of each
round, with the smallest and largest. Needs the extra `sklearn`; reads the sets of the folder named
by LOMTREE_DATA.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import lomtree
from lomtree.arrays.classes import coded
from lomtree.arrays.raw_row import RowReader
from lomtree.arrays.rows import SparseRows
from lomtree.arrays.visits import visits
from lomtree.core.constants import BEAM
from lomtree.evaluation.output import label_lines
from lomtree.evaluation.predict import Search
from lomtree.examples.batch import copy
from lomtree.learners.tree.one_example import OneExampleRanker, OneExampleWalker
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section

SETS = {"bible-verses": "vw", "clinc150": "vw", "isolet": "svm"}
ROWS = 2000  # that are asked for one by one
CORES = os.cpu_count() or 1


class Part(NamedTuple):
    X: Any  # a CSR matrix
    y: np.ndarray


def read(path: Path, columns: dict[int, int]) -> Part:
    """A part of a set; features get columns in the order in which they come."""
    from scipy import sparse  # not for --help

    lengths, indices, values, labels = [], [], [], []
    for examples in lomtree.open(str(path)):
        batch = copy(examples.batch, examples.count)
        labels += [examples.labels.word(number).decode() for number in range(examples.count)]
        last = batch.starts[1:] - 1  # the constants
        inner = np.ones(len(batch.features), bool)
        inner[last] = False
        found = batch.features[inner].tolist()
        indices.append(np.array([columns.setdefault(one, len(columns)) for one in found], np.int32))
        values.append(batch.values[inner])
        lengths.append(np.diff(batch.starts) - 1)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    shape = (len(labels), 2**20)
    X = sparse.csr_matrix((np.concatenate(values), np.concatenate(indices), starts), shape=shape)
    return Part(X, np.array(labels))


def write_text(part: Part, path: Path) -> None:
    """As libsvm text."""
    X, y = part.X, part.y
    with path.open("w") as file:
        for row in range(X.shape[0]):
            inner = slice(X.indptr[row], X.indptr[row + 1])
            words = zip(X.indices[inner].tolist(), X.data[inner].tolist(), strict=True)
            file.write(f"{y[row]} " + " ".join(f"{j}:{v:.9g}" for j, v in words) + "\n")


def seconds(work: Callable[[], object]) -> float:
    begin = perf_counter()
    work()
    return perf_counter() - begin


def learn_parsed(batches: list[lomtree.Examples]) -> None:
    """What the command line does once its examples are parsed."""
    model = lomtree.Model.new(lomtree.Options(), lomtree.Execution(CORES, progressive=False))
    trainer = lomtree.Trainer(model)
    trainer.run(lomtree.number_examples(batches, model.labels))


def predict_text(model: lomtree.Model, path: Path) -> None:
    """What the command line does once it has started."""
    reader = lomtree.Reader([str(path)], "libsvm", threads=CORES)
    with open(os.devnull, "wb") as out:
        for predicted in lomtree.predict_all(model, reader, Search(BEAM, 1)):
            out.write(label_lines(model.labels, predicted))


class Alone:
    """The compiled code of a prediction, for rows one by one; only that is timed."""

    def __init__(self, model: lomtree.Model, rows: Any) -> None:
        self._rows = rows
        self._reader = RowReader(int(np.diff(rows.indptr).max()))
        batch = self._reader.batch
        self._ranker = OneExampleRanker(model.learner, batch, BEAM, 1)
        self._walker = OneExampleWalker(model.learner, batch)

    def rank(self) -> float:
        return self._timed(self._ranker.rank)

    def walk(self) -> float:
        return self._timed(self._walker.walk)

    def _timed(self, work: Callable[[], object]) -> float:
        total, X = 0.0, self._rows
        for begin, end in pairwise(X.indptr):
            self._reader.put_sparse(X.indices[begin:end], X.data[begin:end], X.shape[1])
            self._reader.read()
            total += seconds(work)
        return total


def jobs_of(train: Part, test: Part, work: Path) -> dict[str, Callable[[], float]]:
    """What is measured, each a function that returns its seconds."""

    def timed(job: Callable[[], object]) -> Callable[[], float]:
        return lambda: seconds(job)

    order = visits(SparseRows(train.X), coded(train.y), None, 0)[0]
    parsed, in_order = (
        list(lomtree.examples_of(X, y)) for X, y in (train, (train.X[order], train.y[order]))
    )
    fitted = lomtree.LomTreeClassifier(n_jobs=-1, shuffle=False).fit(train.X, train.y)
    fitted.save(work / "m.lom")
    model = lomtree.read_model(str(work / "m.lom"), execution=lomtree.Execution(CORES))
    ranking, walking = (lomtree.load(work / "m.lom") for _ in range(2))
    walking.set_params(walk=True)
    some = test.X[:ROWS]
    rows = [some[number] for number in range(some.shape[0])]
    alone = Alone(lomtree.read_model(str(work / "m.lom")), some)
    return {
        "parsed": timed(lambda: learn_parsed(parsed)),
        "fit": timed(
            lambda: lomtree.LomTreeClassifier(n_jobs=-1, shuffle=False).fit(train.X, train.y)
        ),
        "parsed, shuffled": timed(lambda: learn_parsed(in_order)),
        "fit, shuffled": timed(lambda: lomtree.LomTreeClassifier(n_jobs=-1).fit(train.X, train.y)),
        "text": timed(lambda: predict_text(model, work / "test.svm")),
        "predict": timed(lambda: fitted.predict(test.X)),
        "row": timed(lambda: [ranking.predict(row) for row in rows]),
        "row alone": alone.rank,
        "walk": timed(lambda: [walking.predict(row) for row in rows]),
        "walk alone": alone.walk,
    }


def measure(folder: Path, suffix: str, rounds: int, work: Path) -> dict[str, list[float]]:
    """The seconds of each job, round by round; those of rows are of one row."""
    columns: dict[int, int] = {}
    train, test = (read(folder / f"{part}.{suffix}.gz", columns) for part in ("train", "test"))
    write_text(test, work / "test.svm")
    taken: dict[str, list[float]] = {}
    few = (Part(part.X[:ROWS], part.y[:ROWS]) for part in (train, test))
    for job in jobs_of(*few, work).values():  # what was never run is compiled now
        job()
    jobs = jobs_of(train, test, work)
    for number in range(rounds):
        for name in reversed(jobs) if number % 2 else jobs:
            taken.setdefault(name, []).append(jobs[name]())
            print(f"{folder.name}, {name}: {taken[name][-1]:.3f} s", file=sys.stderr)
    count = min(ROWS, test.X.shape[0])
    per_row = {name: [took / count for took in taken[name]] for name in ROWWISE}
    return taken | per_row


ROWWISE = ("row", "row alone", "walk", "walk alone")


def rows_of(name: str, taken: dict[str, list[float]]) -> list[list[str]]:
    def row(what: str, ours: str, beside: str, theirs: str, unit: str = "s") -> list[str]:
        scale = 1e6 if unit == "us" else 1
        mine, other = (f"{scale * median(taken[one]):.3g} {unit}" for one in (ours, theirs))
        ratios = sorted(b / a for a, b in zip(taken[ours], taken[theirs], strict=True))
        spread = f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
        return [name, what, mine, f"{beside}: {other}", spread]

    parsed, compiled = "learning parsed examples", "the compiled code alone"
    return [
        row("fit, shuffle=False", "fit", parsed, "parsed"),
        row("fit", "fit, shuffled", f"{parsed} in its order", "parsed, shuffled"),
        row("predict", "predict", "predicting text", "text"),
        row("predict one row", "row", compiled, "row alone", "us"),
        row("predict one row, walk=True", "walk", compiled, "walk alone", "us"),
    ]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", default=list(SETS))
    parser.add_argument("--rounds", type=int, default=5)
    add_write(parser)
    given = parser.parse_args()
    folder = Path(os.environ.get("LOMTREE_DATA", "data"))
    there = [name for name in given.sets if (folder / name).exists()]
    for name in set(given.sets) - set(there):
        print(f"{name}: data not available in {folder}", file=sys.stderr)
    rows = []
    for name in there:
        with tempfile.TemporaryDirectory() as work:
            taken = measure(folder / name, SETS.get(name, "vw"), given.rounds, Path(work))
        rows += rows_of(name, taken)
    text = table(["set", "what", "Python", "beside", "times as fast"], rows)
    print(text)
    if given.write:
        write_section(given.write, "python", text, [name for name in SETS if name not in there])


if __name__ == "__main__":
    run_script(main)
