"""Test errors with the defaults: every algorithm; one walk and the search, one tree and three.

    python -m scripts.reproduce.accuracy [SET ...] [--write docs/results.md]

Reads the sets of the folder named by LOMTREE_DATA, or those that scripts.reproduce.fetch has built;
those that are in neither are left out, and a file that has results of theirs stays as it is.
Nothing but --algorithm, --passes, --trees and, for the paper's prediction, --walk is given. The
time is that of predicting one example on one core, as --timings tells it, without reading and
writing.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section
from scripts.sets import data_folder, folder_of

PASSES = {
    "isolet": (20,), "aloi-438": (20,), "clinc150": (10,), "sector-1826": (10,),
    "lshtc1-dry": (10,), "bible-verses": (5,), "lemma-fi": (1, 3),
}  # fmt: skip
RIVALS = ("rtree", "filter", "oaa")
LARGEST_FOR_RIVALS = 2000  # classes
TREES = 3
PREDICTIONS = {"one walk": ("--walk",), "default": ()}


def run(*arguments: object) -> tuple[bytes, str]:
    command = [sys.executable, "-m", "lomtree", *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True)
    return done.stdout, done.stderr.decode()


class Set:
    def __init__(self, source: Path, name: str, passes: int, model: Path) -> None:
        self._train = next(source.glob("train.*.gz"))
        self._test = next(source.glob("test.*.gz"))
        self._model = model
        self.name, self.passes = name, passes

    def train(self, *options: object) -> int:
        """Returns the number of classes."""
        run("train", self._train, "--passes", self.passes, *options, "--quiet", "-f", self._model)
        return json.loads(run("inspect", self._model, "--json")[0])["summary"]["labels"]

    def test(self, *how: object) -> dict:
        """The scores, and the microseconds of an example."""
        options = (*how, "--threads", 1, "--timings", "--json")
        out, err = run("test", "-i", self._model, self._test, *options)
        seconds = {name: float(s) for name, s in re.findall(r"^(\w+) +(\d+\.\d+)", err, re.M)}
        found = json.loads(out)
        spent = seconds["predict"] - seconds.get("compile", 0.0)
        return {**found, "microseconds": 1e6 * spent / found["examples"]}


def rows_of(one: Set) -> list[list[str]]:
    """A row for each way to learn and to predict."""
    rows = []
    for trees in (1, TREES):
        classes = one.train("--trees", trees)
        for prediction, how in PREDICTIONS.items():
            rows.append(_row(one, f"lomtree, {trees} tree{'s' * (trees > 1)}", prediction, how))
    for algorithm in RIVALS if classes <= LARGEST_FOR_RIVALS else ():
        one.train("--algorithm", algorithm, "--no-ranker")
        rows.append(_row(one, algorithm, "one walk" if algorithm != "oaa" else "default", ()))
    return [[one.name, f"{classes:,}", str(one.passes), *row] for row in rows]


def _row(one: Set, learner: str, prediction: str, how: tuple[str, ...]) -> list[str]:
    if prediction == "one walk":
        how = PREDICTIONS[prediction]
    found = one.test(*how)
    trust = ["", ""]
    if "log_loss" in found:
        trust = [f"{found['log_loss']:.3f}", f"{found['calibration_error']:.2%}"]
    error = f"{found['error']:.2%} +- {found['interval']:.2%}"
    return [learner, prediction, error, *trust, f"{found['microseconds']:.1f}"]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", default=list(PASSES))
    add_write(parser)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for name in given.sets:
            folder = folder_of(name)
            if folder is None:
                print(f"{name}: data not available in {data_folder()}", file=sys.stderr)
                continue
            for passes in PASSES[name]:
                rows += rows_of(Set(folder, name, passes, Path(work) / "model"))
    headings = ["set", "classes", "passes", "learner", "prediction", "test error", "log loss"]
    text = table([*headings, "calibration error", "us"], rows)
    print(text)
    if given.write:
        known = {row[0] for row in rows}
        write_section(given.write, "accuracy", text, [name for name in PASSES if name not in known])


if __name__ == "__main__":
    run_script(main)
