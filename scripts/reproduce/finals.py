"""Train the settings that the sweep found best once more, alone on the machine, and test them once.

    python -m scripts.reproduce.finals [SET ...] [--grid quick] [--data build/reproduce/data]
                             [--results build/reproduce/runs.jsonl]
                             [--finals build/reproduce/finals.jsonl]

The best setting and number of passes of a grid is that with the least validation error. Once that
is known, the validation part is learned from as well: it belongs to the paper's 90%. Times are of
one core, without reading: what the paper's Tables 2 and 3 compare. A line of the finals is

best       an algorithm with its best setting: test error, training and test time
compact    the paper's LOMtree of at most k - 1 internal nodes: no more regressors than
           one-against-all has
hurried    one-against-all that stops learning after the time that `compact` took (Figure 1)
untrained  where k is too large to train one-against-all: its test time with next to no training
"""

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lomtree.examples.batch import Batch, part
from lomtree.learners.base import Learner
from lomtree.learners.oaa.learner import OaaLearner
from scripts.command import parser_of, run_script
from scripts.program import PROGRAM
from scripts.reproduce.catalog import CATALOG, PARTS, Dataset, fetched, read_catalog
from scripts.reproduce.examples import Examples, read_set, size_of
from scripts.reproduce.grid import (
    ALGORITHMS,
    GRIDS,
    Choice,
    Setting,
    best_of,
    rows_about,
    rows_of_grid,
)
from scripts.reproduce.journal import Journal
from scripts.reproduce.trial import command_of, learn, options_of, predict, shape_of, start, train

DEFAULT_RATE = 4.0  # of one-against-all where it was not swept
TIMED, VISITS = 5000, 5  # test examples that are timed, how often; the least time counts
TIMED_OAA, LEARNED = 500, 4096  # where k is too large to train it: what it is timed on and learns
STEP = 16  # examples that one-against-all learns between two looks at the clock


class Final(NamedTuple):
    kind: str
    setting: Setting
    passes: int
    validation: float | None  # the error by which it was chosen, if it was swept

    @classmethod
    def of(cls, kind: str, choice: Choice) -> "Final":
        return cls(kind, choice.setting, choice.passes, choice.error)

    @property
    def key(self) -> str:
        return f"{self.kind} {self.passes} {self.setting.key}"


def finals_of(rows: list[dict[str, Any]]) -> list[Final]:
    """What is to be measured on a set after its sweep; `hurried` comes after `compact`."""
    found = []
    for algorithm in ALGORITHMS:
        best = best_of(rows, algorithm=algorithm)
        if best:
            found.append(Final.of("best", best))
    compact = best_of(rows, algorithm="paper", nodes=1)
    if compact:
        found.append(Final.of("compact", compact))
        oaa = best_of(rows, algorithm="oaa")
        if oaa:
            return [*found, Final.of("hurried", oaa)]
        default = compact.setting._replace(
            algorithm="oaa", rate=DEFAULT_RATE, nodes=0, resistance=0
        )
        found.append(Final("hurried", default, default.passes, None))
        found.append(Final("untrained", default, 0, None))
    return found


def first(batches: Iterable[Batch], count: int) -> list[Batch]:
    """The first `count` examples."""
    found = []
    for batch in batches:
        found.append(part(batch, 0, min(count, len(batch.labels))))
        count -= len(found[-1].labels)
        if count <= 0:
            break
    return found


def microseconds(learner: Learner, test: Iterable[Batch], count: int) -> float:
    """Of one test example."""
    timed = first(test, count)
    visits = [predict(learner, timed) for _ in range(VISITS)]
    return 1e6 * min(one.seconds for one in visits) / visits[0].examples


def _small_steps(batches: Iterable[Batch]) -> Iterator[Batch]:
    for batch in batches:
        for begin in range(0, len(batch.labels), STEP):
            yield part(batch, begin, min(begin + STEP, len(batch.labels)))


def learn_for(
    learner: Learner, batches: Iterable[Batch], passes: int, budget: float
) -> dict[str, Any]:
    """Learn until the time is over, or the passes are; no step is begun after that, but the last
    one may end later. Without any time nothing is learned."""
    seconds, examples = 0.0, 0
    for _ in range(passes):
        for step in _small_steps(batches):
            if seconds >= budget:
                return {"train_seconds": seconds, "learned": examples}
            seconds += learn(learner, [step]).seconds
            examples += len(step.labels)
    return {"train_seconds": seconds, "learned": examples}


def measure(final: Final, examples: Examples, dataset: Dataset, budget: float) -> dict[str, Any]:
    """The row of a final; `budget` is the time of the compact LOMtree."""
    options = options_of(final.setting, examples.classes)
    learner: Learner = start(options, examples)
    row: dict[str, Any] = {"kind": final.kind, "key": final.key, "version": PROGRAM}
    row |= {"setting": final.setting._asdict(), "passes": final.passes}
    row |= {"classes": examples.classes, "validation": final.validation}
    training = examples.training
    if final.kind == "untrained":
        assert isinstance(learner, OaaLearner)
        # As it would be after a pass: all labels below the largest have a regressor, and are seen.
        few = first(examples.train, LEARNED)
        learn(learner, [part(few[0], 0, 1)._replace(labels=np.array([examples.classes - 1], "i4"))])
        learn(learner, few)
        learner.state.seen[: examples.classes] = 1
        return row | {"test_microseconds": microseconds(learner, examples.test, TIMED_OAA)}
    if final.kind == "hurried":
        row |= learn_for(learner, training, final.passes, budget) | {"budget": budget}
    else:
        if learner.ranker is None:
            seconds = sum(learn(learner, training).seconds for _ in range(final.passes))
        else:
            learner, seconds = train(options, training, final.passes)
        row |= {"train_seconds": seconds, "learned": final.passes * size_of(training)}
        row |= {"test_microseconds": microseconds(learner, examples.test, TIMED)}
        row["command"] = command_of(
            final.setting, examples.classes, final.passes, dataset.suffix, PARTS[:2]
        )
    tested = predict(learner, examples.test)
    row |= {"error": tested.error, "interval": tested.interval, "tested": tested.examples}
    return row | {"mean_depth": tested.mean_depth, **shape_of(learner)}


Measurements = dict[tuple[str, str], dict[str, Any]]  # by kind and algorithm


def measured(finals: list[Final], rows: list[dict[str, Any]]) -> Measurements:
    """The rows of these finals; other grids have others. One-against-all that was hurried is of
    one compact tree's time."""
    found: Measurements = {}
    for final in finals:
        budget = found.get(("compact", "paper"), {}).get("train_seconds")
        for row in rows:
            if row["key"] == final.key and (final.kind != "hurried" or row["budget"] == budget):
                found[final.kind, final.setting.algorithm] = row
    return found


def measure_all(
    dataset: Dataset, folder: Path, rows: list[dict[str, Any]], grid: str, to: Journal
) -> int:
    """Measure what a set lacks; how much that was."""
    run = 0
    data = dataset.fingerprint(folder)
    finals = finals_of(swept(dataset, folder, rows, grid))
    for final in finals:
        done = measured(finals, rows_about(to.rows(), dataset.label, data))
        if (final.kind, final.setting.algorithm) in done:
            continue
        compact = done.get(("compact", "paper"), {})
        print(f"{dataset.label:12} {final.kind:9} {final.setting.algorithm}", file=sys.stderr)
        begun = time.perf_counter()
        examples = read_set(dataset, folder)
        row = measure(final, examples, dataset, compact.get("train_seconds", 0.0))
        to.add(row | {"seconds": time.perf_counter() - begun})
        run += 1
    return run


def swept(
    dataset: Dataset, folder: Path, rows: list[dict[str, Any]], grid: str
) -> list[dict[str, Any]]:
    """What a grid's sweep says of a set as it is now."""
    _features, examples, classes = dataset.counts(folder)
    about = rows_about(rows, dataset.label, dataset.fingerprint(folder))
    return rows_of_grid(about, GRIDS[grid], classes, examples)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help="[default: all that are fetched]")
    parser.add_argument("--grid", choices=GRIDS, default="quick")
    parser.add_argument("--data", type=Path, default=Path("build/reproduce/data"))
    parser.add_argument("--results", type=Path, default=Path("build/reproduce/runs.jsonl"))
    parser.add_argument("--finals", type=Path, default=Path("build/reproduce/finals.jsonl"))
    parser.add_argument("--catalog", type=Path, default=CATALOG, help=argparse.SUPPRESS)
    given = parser.parse_args()
    rows, journal, run = Journal(given.results).rows(), Journal(given.finals), 0
    for one in fetched(read_catalog(given.catalog), given.sets, given.data):
        run += measure_all(one, given.data, rows, given.grid, journal)
    print(f"{run} run, {len(journal.rows())} in {given.finals}", file=sys.stderr)


if __name__ == "__main__":
    run_script(main)
