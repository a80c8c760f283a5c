"""The error over the examples seen, beside scikit-learn's SGDClassifier, and the time of each.

    python -m scripts.python_stream [--set lemma-fi] [--batch 1000] [--plot build/python_stream.svg]

Written to be read from top to bottom, as a notebook is. Both learn the same stream by partial_fit,
from the same matrix that HashingVectorizer makes. Each batch is predicted before it is learned
(progressive validation), so nothing is tested on what was learned.

Without --set the data is what Python itself ships: the words of a Unicode character's name tell
its block of 128 code points (scripts/unicode_names.py). SGDClassifier has a column of weights for
each class, so its time grows with their number; with --set lemma-fi, 102,096 classes, it would take
days, so from 5,000 classes on it is left out, and the plot says so.

Needs the extras `sklearn` and, for the plot, `plots`.
"""

import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import lomtree
from scripts import unicode_names
from scripts.command import parser_of, run_script
from scripts.report import table

COLUMNS = 2**16  # SGDClassifier has a dense row of so many weights for each class
MOST_CLASSES = 5000  # for one column of weights a class


def read(name: str | None) -> tuple[list[str], list[str]]:
    """Texts and labels: of a set in VW text, or of the names of Unicode characters."""
    if name is None:
        lines = unicode_names.lines()
    else:
        import gzip

        path = Path(os.environ.get("LOMTREE_DATA", "data")) / name / "train.vw.gz"
        if not path.exists():
            raise SystemExit(f"{path}: data not available")
        with gzip.open(path, "rt") as file:
            lines = list(file)
    labels = [line.split(maxsplit=1)[0] for line in lines]
    return [line.partition("|")[2].partition(" ")[2] for line in lines], labels


def follow(model: Any, X: Any, y: np.ndarray, batch: int, **first: Any) -> tuple[list, float]:
    """(examples, error of the last batch) as the stream goes on, and the seconds it took."""
    points, begin = [], perf_counter()
    for start in range(0, X.shape[0], batch):
        rows, labels = X[start : start + batch], y[start : start + batch]
        if start:
            points.append((start, float(np.mean(model.predict(rows) != labels))))
        model.partial_fit(rows, labels, **(first if start == 0 else {}))
    return points, perf_counter() - begin


def draw(curves: dict[str, list], title: str, path: Path) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4))
    for name, points in curves.items():
        axes.plot(*zip(*points, strict=True), label=name)
    axes.set_xlabel("examples seen")
    axes.set_ylabel("error on the next batch")
    axes.set_ylim(0, 1)
    axes.set_title(title)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, bbox_inches="tight")


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--set", metavar="SET", help="a set of VW text in LOMTREE_DATA")
    parser.add_argument("--batch", type=int, default=1000, help="examples that come at once")
    parser.add_argument("--most", type=int, default=None, metavar="N", help="examples to take")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    given = parser.parse_args()

    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import SGDClassifier

    # The data: texts, their labels, and a matrix whose columns are hashes of words.
    texts, labels = read(given.set)
    texts, y = texts[: given.most], np.array(labels[: given.most])
    vectorizer = HashingVectorizer(
        n_features=COLUMNS, lowercase=False, token_pattern=r"[^ ]+", alternate_sign=False
    )
    X = vectorizer.transform(texts)
    classes = np.unique(y)
    title = f"{X.shape[0]:,} examples, {len(classes):,} classes"
    print(title, file=sys.stderr)

    # A LOMtree needs not be told which classes there will be.
    curves, times = {}, {}
    points, seconds = follow(lomtree.LomTreeClassifier(), X, y, given.batch)
    curves["LomTreeClassifier"], times["LomTreeClassifier"] = points, seconds

    # SGDClassifier does, and has a linear model for each of them.
    if len(classes) <= MOST_CLASSES:
        linear = SGDClassifier(loss="log_loss", random_state=0)
        points, seconds = follow(linear, X, y, given.batch, classes=classes)
        curves["SGDClassifier"], times["SGDClassifier"] = points, seconds
    else:
        title += "; SGDClassifier left out"

    # The error of the last tenth of the stream, and the time that all of it took.
    rows = []
    for name, points in curves.items():
        last = [error for seen, error in points if seen >= 0.9 * X.shape[0]]
        mean = np.mean([error for _, error in points])
        rows.append([name, f"{mean:.1%}", f"{np.mean(last):.1%}", f"{times[name]:.1f} s"])
    print(table(["model", "mean error", "error of the last tenth", "time"], rows))
    if given.plot:
        draw(curves, title, given.plot)


if __name__ == "__main__":
    run_script(main)
