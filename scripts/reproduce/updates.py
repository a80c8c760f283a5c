"""What the paper's LOMtree needs to err no more than the paper says: losses and updates.

    python -m scripts.reproduce.updates [SET] [--write docs/results.md]

The paper names step sizes, but neither its loss nor how steps shrink. Algorithm 1 is trained with
each loss and update below, with two of the paper's step sizes, T = 16k - 1 and R_S = 4, on every
split of a fetched set (isolet). As everywhere, a setting is stopped when 3 passes in a row bring
nothing, and the step size and the pass with the least validation error are tested: means over the
splits.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from lomtree.core.options import choose_options
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section
from scripts.reproduce.catalog import CATALOG, Dataset, fetched, read_catalog
from scripts.reproduce.examples import Examples, read_set
from scripts.reproduce.trial import learn_and_validate, predict, start

RATES = (0.25, 1.0)
NODES, RESISTANCE = 16, 4.0
LOSSES = ("absolute", "logistic")
UPDATES: dict[str, dict[str, Any]] = {
    "constant step (--paper alone)": {},
    "step / sqrt(t)": {"power_t": 0.5},
    "step / t": {"power_t": 1.0},
    "adaptive": {"update": "adaptive", "power_t": 0.5},
    "adaptive and normalised, as vw by default": {
        "update": "adaptive",
        "power_t": 0.5,
        "scale": "max",
    },
    "the same, no score moved by more than 0.5": {
        "update": "adaptive",
        "power_t": 0.5,
        "scale": "max",
        "clip": 0.5,
    },
}


def errors_of(examples: Examples, update: dict[str, Any], loss: str) -> tuple[float, float]:
    """The least validation error, and the test error of what had it."""
    shape = {"max_nodes": NODES * examples.classes - 1, "swap_resistance": RESISTANCE}
    chosen = {"paper": True, "classes": examples.classes, "loss": loss} | shape | update
    return min(_trained(examples, chosen | {"learning_rate": rate}) for rate in RATES)


def _trained(examples: Examples, chosen: dict[str, Any]) -> tuple[float, float]:
    learner = start(choose_options(chosen), examples)
    tested: list[float] = []
    trained = learn_and_validate(
        learner, examples, after=lambda: tested.append(predict(learner, examples.test).error)
    )
    return trained.validated[trained.best].error, tested[trained.best]


def row_of(name: str, loss: str, splits: list[Dataset], data: Path) -> list[str]:
    pairs = [errors_of(read_set(one, data), UPDATES[name], loss) for one in splits]
    means = [sum(errors) / len(pairs) for errors in zip(*pairs, strict=True)]
    row = [name, loss, *(f"{mean:.2%}" for mean in means)]
    print(*row, file=sys.stderr, flush=True)
    return row


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("set", nargs="?", metavar="SET", default="isolet")
    parser.add_argument("--data", type=Path, default=Path("build/reproduce/data"))
    parser.add_argument("--catalog", type=Path, default=CATALOG, help=argparse.SUPPRESS)
    add_write(parser)
    given = parser.parse_args()
    splits = fetched(read_catalog(given.catalog), [given.set], given.data)
    if not splits:
        parser.error(f"{given.set} is not there: python -m scripts.reproduce.fetch {given.set}")
    rows = [row_of(name, loss, splits, given.data) for name in UPDATES for loss in LOSSES]
    text = table(["update", "loss", "validation error", "test error"], rows)
    print(text)
    if given.write:
        write_section(given.write, "updates", text)


if __name__ == "__main__":
    run_script(main)
