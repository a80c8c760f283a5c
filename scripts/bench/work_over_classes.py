"""Work per prediction over the number of classes k: the paper's first hypothesis without the memory
of a machine, and errors beside the least possible.

    python -m scripts.bench.work_over_classes [--exponents 8 12 16 20] [--sets SET ...]
                                              [--write docs/benchmarks.md]

Made classes can be learned: a class is a word of 4 letters of an alphabet of k^(1/4), and every
such word is a class. An example is its class's word in which each letter is another one with
probability NOISE; its features are the letters with their places, and the pairs and triples of
neighbours. Nobody can do better than to read what is written, so the least possible error, Bayes',
is 1 - (1 - NOISE)^4. There are 6 examples of each class. The sets are real, as they are in the
folder named by LOMTREE_DATA or as scripts.reproduce.fetch has built them. One pass over each.

Counted per prediction: regressors of nodes asked; labels compared by a ranking, each with two
numbers a feature; and weights fetched, which is features times regressors, and twice features times
labels. (A ranking also reads up to 1,024 postings of lists, whatever k is.) One-against-all asks k
regressors. The microseconds are of one core, and grow with the memory that weights take. Exponent
20, a million classes, takes some minutes and 10 GB.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lomtree.core.constants import BEAM
from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT, Batch, part
from lomtree.examples.label_index import LabelIndex
from lomtree.learners.base import Learner
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section
from scripts.reproduce.examples import Stream
from scripts.reproduce.finals import first
from scripts.reproduce.trial import train
from scripts.sets import data_folder, folder_of

LETTERS = 4
NOISE = 0.01
A_CLASS = 6  # examples to learn from, of each class
SIZE = 8192  # examples of a batch
TESTED, COUNTED = 20_000, 200  # examples; those whose candidates are counted
FEATURES = 3 * LETTERS - 3 + 1  # letters, pairs, triples, and the constant
MADE = "made words"
SETS = ("isolet", "clinc150", "aloi-438", "lshtc1-dry", "bible-verses", "lemma-fi")
BAYES = 1 - (1 - NOISE) ** LETTERS


class Words:
    """Examples of k = alphabet^4 classes, without end."""

    def __init__(self, exponent: int, seed: int) -> None:
        self.alphabet = 1 << (exponent // LETTERS)
        self.classes = self.alphabet**LETTERS
        self._random = np.random.default_rng([seed, exponent])

    def batch(self, count: int) -> Batch:
        labels = self._random.integers(self.classes, size=count)
        return as_batch(self.written(labels), labels, self.alphabet)

    def written(self, labels: np.ndarray) -> np.ndarray:
        """int[count, LETTERS]: the letters of these classes, some of them wrong."""
        powers = self.alphabet ** np.arange(LETTERS)
        letters = labels[:, None] // powers % self.alphabet
        wrong = self._random.random(letters.shape) < NOISE
        others = self._random.integers(1, self.alphabet, size=letters.shape)
        return np.where(wrong, (letters + others) % self.alphabet, letters)


def as_batch(letters: np.ndarray, labels: np.ndarray, alphabet: int) -> Batch:
    columns = []
    for length in (1, 2, 3):
        for begin in range(LETTERS - length + 1):
            number = letters[:, begin : begin + length] @ alphabet ** np.arange(length)
            place = 8 * length + begin
            columns.append((number * 64 + place) * 2654435761 % 2**32)
    count = len(labels)
    columns.append(np.full(count, CONSTANT))
    features = np.column_stack(columns).astype(np.uint32)
    return Batch(
        np.arange(count + 1, dtype=np.int64) * FEATURES,
        features.reshape(-1),
        np.ones(count * FEATURES, np.float32),
        labels.astype(np.int32),
        np.ones(count, np.float32),
    )


class Work(NamedTuple):
    """Means over test examples."""

    name: str
    classes: int
    features: float  # of an example
    walk_error: float
    error: float
    depth: float  # regressors that a walk asks
    asked: float  # regressors that a search asks
    compared: float  # labels
    walk_microseconds: float
    microseconds: float

    @property
    def walk_weights(self) -> float:
        return self.features * self.depth

    @property
    def weights(self) -> float:
        return self.features * (self.asked + 2 * self.compared)


def measure(exponent: int, seed: int = 0, tested: int = TESTED) -> Work:
    """On made words."""
    words = Words(exponent, seed)

    def examples() -> Iterator[Batch]:
        left = A_CLASS * words.classes
        while left > 0:
            yield words.batch(min(SIZE, left))
            left -= SIZE

    options = Options(classes=words.classes, seed=seed)
    learner, _seconds = train(options, examples(), passes=1)
    return work_of(MADE, words.classes, learner, [words.batch(tested)])


def measure_set(name: str, folder: Path, tested: int = TESTED) -> Work:
    """On a real set: its classes are those that training has."""
    paths = [next(folder.glob(f"{part}.*.gz")) for part in ("train", "test")]
    labels = LabelIndex()
    learner, _seconds = train(Options(), Stream(paths[:1], "auto", labels), passes=1)
    classes = len(labels)
    return work_of(name, classes, learner, first(Stream(paths[1:], "auto", labels), tested))


def work_of(name: str, classes: int, learner: Learner, test: list[Batch]) -> Work:
    few = part(test[0], 0, min(COUNTED, len(test[0].labels)))
    predict_both(learner, few)  # what compiles is not timed
    compared = [learner.candidates(part(few, one, one + 1))[1] for one in range(len(few.labels))]
    sums = np.sum([predict_both(learner, batch) for batch in test], axis=0)
    means = sums / sum(len(batch.labels) for batch in test)
    return Work(name, classes, *map(float, means[:5]), float(np.mean(compared)), *means[5:])


def predict_both(learner: Learner, batch: Batch) -> list[float]:
    """Sums over the examples: features, errors of walks and of rankings, regressors that these
    asked, and microseconds of both."""
    count = len(batch.labels)
    labels, depths = np.empty((2, count), np.int32)
    begun = time.perf_counter()
    learner.predict(batch, count, labels, depths)
    walked = time.perf_counter()
    ranking = learner.rank(batch, count, BEAM, 1)
    ended = time.perf_counter()
    return [
        float(batch.starts[count] - batch.starts[0]),
        float(np.sum(labels != batch.labels)),
        float(np.sum(ranking.labels[:, 0] != batch.labels)),
        float(depths.sum()),
        float(ranking.asked.sum()),
        1e6 * (walked - begun),
        1e6 * (ended - walked),
    ]


def describe(found: list[Work]) -> str:
    headings = ["set", "k", "features", "Bayes' error", "error", "one walk", "regressors"]
    headings += ["one walk: regressors", "labels compared", "weights", "one walk: weights"]
    headings += ["one-against-all: weights", "us", "one walk: us"]
    rows = []
    for one in found:
        errors = [f"{error:.2%}" for error in (one.error, one.walk_error)]
        least = f"{BAYES:.2%}" if one.name == MADE else "not known"
        counts = [f"{number:,.1f}" for number in (one.asked, one.depth, one.compared)]
        fetched = (one.weights, one.walk_weights, one.features * one.classes)
        times = [f"{taken:.1f}" for taken in (one.microseconds, one.walk_microseconds)]
        weights = [f"{number:,.0f}" for number in fetched]
        first = [one.name, f"{one.classes:,}", f"{one.features:.1f}", least]
        rows.append([*first, *errors, *counts, *weights, *times])
    return table(headings, rows) + growth([one for one in found if one.name == MADE])


def growth(found: list[Work]) -> str:
    """How much more is done at the largest k than at the smallest, of made words."""
    if len(found) < 2:
        return ""
    first, last = found[0], found[-1]
    logs = np.log2(last.classes) / np.log2(first.classes)
    said = [f"log k {logs:.2f}"]
    for name, what in (("walk_weights", "one walk"), ("weights", "a default prediction")):
        times = getattr(last, name) / getattr(first, name)
        said.append(f"the weights that {what} fetches {times:.2f}")
    for name, what in (("walk_microseconds", "one walk"), ("microseconds", "a default prediction")):
        times = getattr(last, name) / getattr(first, name)
        said.append(f"the time of {what} {times:.2f}")
    return (
        f"\nMade words, from {first.classes:,} to {last.classes:,} classes: k grows "
        f"{last.classes / first.classes:,.0f} times, {', '.join(said)} times.\n"
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--exponents", type=int, nargs="*", default=[8, 12, 16, 20], metavar="N", help="k = 2^N"
    )
    parser.add_argument("--sets", nargs="*", default=list(SETS), metavar="SET")
    parser.add_argument("--seed", type=int, default=0)
    add_write(parser)
    given = parser.parse_args()
    if any(one % LETTERS or not LETTERS <= one <= 20 for one in given.exponents):
        parser.error(f"exponents are multiples of {LETTERS} from {LETTERS} to 20")
    found, missing = [], []
    for exponent in sorted(given.exponents):
        found.append(measure(exponent, given.seed))
        print(*found[-1], file=sys.stderr, flush=True)
    for name in given.sets:
        if folder := folder_of(name):
            found.append(measure_set(name, folder))
            print(*found[-1], file=sys.stderr, flush=True)
        else:
            print(f"{name}: data not available in {data_folder()}", file=sys.stderr)
            missing.append(name)
    text = describe(found)
    print(text)
    if given.write:
        write_section(given.write, "work over classes", text, missing)


if __name__ == "__main__":
    run_script(main)
