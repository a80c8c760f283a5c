"""Learners that have all data in memory beside this one: napkinXC and omikuji.

    python -m scripts.bench.beside_batch [SET ...] [--minutes 10] [--rounds 3]
                                         [--write docs/benchmarks.md]

They get tf-idf of length 1 (batch_matrix.py), as is usual for them, and are as their authors have
them by default (batch_learner.py). Their `train` is what learning takes once the data is in memory,
`a prediction` the mean over the test part. This program reads text, and is as it is by default,
with so many passes: `train` is the whole command, from text to a model on disk; `a prediction` is
what ranking takes, without reading. Each runs in a process of its own; memory is the most it held.

No run takes longer than --minutes, and no round begins that would hardly end by then: what takes
longer, or fails, is left out, with a sentence. So is a learner that is not installed, because there
is none for this Python (the extras `napkinxc` and `omikuji`). odp-like is too large for them. Reads
the sets of the folder named by LOMTREE_DATA, or those that scripts.reproduce.fetch has built.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from scipy.sparse import save_npz

from scripts.bench.batch_learner import LEARNERS
from scripts.bench.batch_matrix import Part, parts_of
from scripts.bench.beside_vw import error, rounds_within
from scripts.bench.costs import DEFAULT, run
from scripts.bench.regimes import DEFAULTS
from scripts.bench.regimes import SETS as ALL_SETS
from scripts.bench.texts import Texts, texts_of
from scripts.bench.timings import stages_in
from scripts.bench.vw_commands import predict, train
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section
from scripts.sets import data_folder, folder_of


class Set(NamedTuple):
    suffix: str
    passes: int  # of this program


SETS = {
    "isolet": Set("svm", 20),
    "aloi-438": Set("svm", 20),
    "clinc150": Set("vw", 10),
    "bible-verses": Set("vw", 5),
    "lemma-fi": Set("vw", 1),
}
TITLES = {"napkinxc": "napkinXC (PLT)", "omikuji": "omikuji (Parabel, 3 trees)"}


class Outcome(NamedTuple):
    error: float  # percent
    seconds: float  # of training
    microseconds: float  # of a prediction
    megabytes: float


class LeftOutError(Exception):
    """Why a learner has no row, in a sentence without its subject."""


def missing_learners() -> list[str]:
    return [name for name in LEARNERS if importlib.util.find_spec(name) is None]


def prepare(parts: tuple[Part, Part], folder: Path) -> None:
    """The files that batch_learner reads."""
    for name, part in zip(("train", "test"), parts, strict=True):
        save_npz(folder / f"{name}.npz", part.rows, compressed=False)
        np.save(folder / f"{name}.npy", part.labels)
    write_text(parts[0], max(int(part.labels.max()) for part in parts) + 1, folder / "train.txt")


def write_text(part: Part, classes: int, path: Path) -> None:
    """In the format of the XML repository. omikuji takes no rows without features."""
    filled = np.flatnonzero(np.diff(part.rows.indptr))
    part = Part(part.rows[filled], part.labels[filled])
    rows, starts = part.rows, part.rows.indptr.tolist()
    with open(path, "w", encoding="ascii") as file:
        file.write(f"{rows.shape[0]} {rows.shape[1]} {classes}\n")
        for number, label in enumerate(part.labels.tolist()):
            here = slice(starts[number], starts[number + 1])
            cells = zip(rows.indices[here].tolist(), rows.data[here].tolist(), strict=True)
            file.write(f"{label} {' '.join(f'{column}:{value:.6g}' for column, value in cells)}\n")


def batch_run(name: str, folder: Path, seconds: float) -> Outcome:
    command = [sys.executable, "-m", "scripts.bench.batch_learner", name, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise LeftOutError(f"was stopped after {seconds / 60:g} minutes") from None
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
        raise LeftOutError(f"failed with status {done.returncode}")
    return Outcome(**json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))


def our_run(texts: Texts, passes: int) -> Outcome:
    learned = run(train(texts, DEFAULT, "lomtree", DEFAULTS, "train", passes))
    predicted = run(predict(texts, DEFAULT, "test"))
    ranking = stages_in(predicted.said)["predict"].seconds
    return Outcome(
        error(texts, DEFAULT),
        learned.seconds,
        ranking / texts.lines["test"] * 1e6,
        max(learned.megabytes, predicted.megabytes),
    )


def measured(measure: Callable[[], Outcome], rounds: int, minutes: float) -> list[Outcome]:
    """Of as many rounds as there is time for; what was found before a round fails is kept."""
    found: list[Outcome] = []
    for _ in rounds_within(rounds, 60 * minutes):
        try:
            found.append(measure())
        except LeftOutError:
            if not found:
                raise
            break
        print(found[-1], file=sys.stderr, flush=True)
    return found


def row_of(name: str, learner: str, found: list[Outcome]) -> list[str]:
    columns = [list(column) for column in zip(*found, strict=True)]
    errors, seconds, microseconds, megabytes = columns
    return [
        name,
        learner,
        f"{median(errors):.2f}%",
        f"{median(seconds):.1f} s{spread_of(seconds)}",
        f"{median(microseconds):.1f} us{spread_of(microseconds)}",
        f"{median(megabytes):,.0f} MB",
        str(len(found)),
    ]


def spread_of(values: list[float]) -> str:
    """Half of how far runs differ."""
    half = (max(values) - min(values)) / median(values) / 2
    return f" (+-{half:.0%})" if len(values) > 1 else ""


def describe(rows: list[list[str]], sentences: list[str]) -> str:
    headings = ["set", "learner", "test error", "train", "a prediction", "memory", "runs"]
    listed = "".join(f"- {sentence}\n" for sentence in sentences)
    return table(headings, rows) + ("\n" if listed else "") + listed


def compare(name: str, source: Path, rounds: int, minutes: float) -> tuple[list, list[str]]:
    """Rows of a table, and what is to be said about what is not in them."""
    suffix, passes = SETS[name]
    sentences: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        texts = texts_of(source, suffix, work)
        our_run(texts, passes)  # may have to compile
        ours = measured(partial(our_run, texts, passes), rounds, minutes)
        rows = [row_of(name, f"lomtree, {passes} pass{'es' * (passes > 1)}", ours)]
        learners = [learner for learner in LEARNERS if learner not in missing_learners()]
        if learners:
            prepare(parts_of(source, suffix), work)
        for learner in learners:
            print(f"{name}, {learner}", file=sys.stderr, flush=True)
            try:
                found = measured(partial(batch_run, learner, work, 60 * minutes), rounds, minutes)
                rows.append(row_of(name, TITLES[learner], found))
            except LeftOutError as reason:
                sentences.append(f"{TITLES[learner]} {reason} on {name}.")
    return rows, sentences


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help=", ".join(SETS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=10.0, help="of one learner on one set")
    add_write(parser)
    given = parser.parse_args()
    if unknown := set(given.sets) - set(ALL_SETS):
        parser.error(f"no such set: {', '.join(sorted(unknown))}")
    absent = [f"{TITLES[name]} is not installed for this Python." for name in missing_learners()]
    for sentence in absent:
        print(sentence, file=sys.stderr)
    for name in given.sets or SETS:
        if name not in SETS:
            print(f"{name}: too large to be held in memory by others", file=sys.stderr)
            continue
        source = folder_of(name)
        if source is None:
            print(f"{name}: data not available in {data_folder()}", file=sys.stderr)
            continue
        rows, sentences = compare(name, source, given.rounds, given.minutes)
        text = describe(rows, absent + sentences)
        print(text)
        if given.write:
            write_section(given.write, f"batch {name}", text)


if __name__ == "__main__":
    run_script(main)
