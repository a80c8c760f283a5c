"""What Python's side costs beside the command line: fit, predict, and one row at a time.

    python -m scripts.bench.python_api [SET ...] [--rounds 5] [--write docs/benchmarks.md]

A set becomes a CSR matrix and the same numbers as libsvm text. In one process, in turn:

    fit      fit(X, y) beside what `lomtree train --quiet` does with the examples once parsed; also
             with shuffle=True, the default, which orders the rows first
    predict  predict(X) beside what `lomtree predict` does from reading to writing, once started
    one row  predict(X[i]) of rows one by one, beside their share of predict(X) on one core

All with as many cores as there are, but for one row. The best of so many rounds; ratios are worth
more than seconds. Needs the extra `sklearn`; reads the sets of the folder named by LOMTREE_DATA.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import lomtree
from lomtree.evaluation.output import label_lines
from lomtree.evaluation.predict import Search
from lomtree.examples.batch import copy
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
        for predicted in lomtree.predict_all(model, reader, Search(16, 1)):
            out.write(label_lines(model.labels, predicted))


def measure(folder: Path, suffix: str, rounds: int, work: Path) -> dict[str, float]:
    columns: dict[int, int] = {}
    train, test = (read(folder / f"{part}.{suffix}.gz", columns) for part in ("train", "test"))
    for part, name in ((train, "train"), (test, "test")):
        write_text(part, work / f"{name}.svm")
    batches = list(lomtree.examples_of(train.X, train.y))
    fitted = lomtree.LomTreeClassifier(n_jobs=-1, shuffle=False).fit(train.X, train.y)
    fitted.save(work / "m.lom")
    model = lomtree.read_model(str(work / "m.lom"), execution=lomtree.Execution(CORES))
    alone = lomtree.load(work / "m.lom")
    rows = [test.X[number] for number in range(min(ROWS, test.X.shape[0]))]
    some = test.X[: len(rows)]
    jobs: dict[str, Callable[[], object]] = {
        "parsed": lambda: learn_parsed(batches),
        "fit": lambda: lomtree.LomTreeClassifier(n_jobs=-1, shuffle=False).fit(train.X, train.y),
        "fit, shuffled": lambda: lomtree.LomTreeClassifier(n_jobs=-1).fit(train.X, train.y),
        "text": lambda: predict_text(model, work / "test.svm"),
        "predict": lambda: fitted.predict(test.X),
        "rows": lambda: [alone.predict(row) for row in rows],
        "rows at once": lambda: alone.predict(some),
    }
    best = dict.fromkeys(jobs, float("inf"))
    for number in range(rounds + 1):  # the first may have to compile
        for name, job in jobs.items():
            took = seconds(job)
            best[name] = min(best[name], took) if number else best[name]
            print(f"{folder.name}, {name}: {took:.3f} s", file=sys.stderr)
    return best | {"row": best["rows"] / len(rows), "row at once": best["rows at once"] / len(rows)}


def rows_of(name: str, best: dict[str, float]) -> list[list[str]]:
    def row(what: str, ours: float, beside: str, theirs: float, unit: str = "s") -> list[str]:
        scale = 1e6 if unit == "us" else 1
        times = [f"{scale * ours:.3g} {unit}", f"{beside}: {scale * theirs:.3g} {unit}"]
        return [name, what, *times, f"{theirs / ours:.2f}"]

    return [
        row("fit", best["fit"], "learning parsed examples", best["parsed"]),
        row("fit, shuffled", best["fit, shuffled"], "learning parsed examples", best["parsed"]),
        row("predict", best["predict"], "predicting text", best["text"]),
        row("predict one row", best["row"], "share of all at once", best["row at once"], "us"),
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
            best = measure(folder / name, SETS.get(name, "vw"), given.rounds, Path(work))
        rows += rows_of(name, best)
    text = table(["set", "what", "Python", "beside", "times as fast"], rows)
    print(text)
    if given.write:
        write_section(given.write, "python", text, [name for name in SETS if name not in there])


if __name__ == "__main__":
    run_script(main)
