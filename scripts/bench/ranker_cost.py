"""What the ranker costs: training with and without it, and the default prediction beside a walk.

    python -m scripts.bench.ranker_cost [SET ...] [--rounds 3] [--write docs/benchmarks.md]

Whole commands from text, taken in turn; medians. With Vowpal Wabbit installed (the extra `bench`)
its --log_multi, trained once with as many passes, predicts in turn with them. Reads the sets of
the folder named by LOMTREE_DATA.
"""

import importlib.util
import json
import os
import sys
import tempfile
from pathlib import Path

from scripts.bench.costs import US, VW, Cost, run, typical
from scripts.bench.texts import Texts, texts_of
from scripts.bench.vw_section import cost_in_words
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section

PASSES = {"bible-verses": 1, "lemma-fi": 1, "isolet": 20, "aloi-438": 20, "clinc150": 10}
SUFFIX = {
    "bible-verses": "vw", "lemma-fi": "vw", "isolet": "svm", "aloi-438": "svm", "clinc150": "vw",
}  # fmt: skip


def commands_of(texts: Texts, passes: int) -> dict[str, list[str]]:
    """What is measured, by its name."""
    lomtree = [sys.executable, "-m", "lomtree"]
    train, test = texts.of("train", US), texts.of("test", US)
    model, small, out = (texts.of(name, US) for name in ("model", "small", "predictions"))
    learn = [*lomtree, "train", "--quiet", "--passes", str(passes), train]
    found = {
        "train": [*learn, "-f", model],
        "train, no ranker": [*learn, "--no-ranker", "-f", small],
        "predict": [*lomtree, "predict", "-i", model, test, "-p", out],
        "predict --walk": [*lomtree, "predict", "--walk", "-i", model, test, "-p", out],
    }
    if importlib.util.find_spec("vowpalwabbit"):
        vw = [sys.executable, "-m", "vowpalwabbit", "--quiet"]
        more = ["--passes", str(passes), "-c", "-k", "--holdout_off"] if passes > 1 else []
        data, file = texts.of("train", VW), texts.of("model", VW)
        run([*vw, "--log_multi", str(texts.classes), "-b", "28", "-d", data, "-f", file, *more])
        test, out = texts.of("test", VW), texts.of("predictions", VW)
        found["VW's predict"] = [*vw, "-t", "-i", file, "-d", test, "-p", out]
    return found


def measure(commands: dict[str, list[str]], rounds: int) -> dict[str, Cost]:
    """The median of each, after one run that may have to compile."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            cost = run(command)
            print(f"{name}: {cost.seconds:.2f} s, {cost.megabytes:.0f} MB", file=sys.stderr)
            if number:
                costs[name].append(cost)
    return {name: typical(some) for name, some in costs.items()}


def rows_of(name: str, folder: Path, rounds: int) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as work:
        texts = texts_of(folder / name, SUFFIX[name], Path(work))
        costs = measure(commands_of(texts, PASSES[name]), rounds)
        scored = [sys.executable, "-m", "lomtree", "test", "--quiet", "--json", "-i"]
        test = texts.of("test", US)
        error = json.loads(run([*scored, texts.of("model", US), test]).printed)["error"]
    beside = {"train": "train, no ranker", "predict": "VW's predict"}
    rows = []
    for line, cost in costs.items():
        other = costs.get(beside.get(line, ""))
        ratio = f"{cost.seconds / other.seconds:.2f} of {beside[line]}" if other else ""
        memory = f"{cost.megabytes / other.megabytes:.2f}" if other else ""
        row = [name, str(PASSES[name]), line, cost_in_words(cost)]
        rows.append([*row, ratio, memory, f"{error:.2%}" if line == "predict" else ""])
    return rows


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", default=list(PASSES))
    parser.add_argument("--rounds", type=int, default=3)
    add_write(parser)
    given = parser.parse_args()
    folder = Path(os.environ.get("LOMTREE_DATA", "data"))
    there = [name for name in given.sets if (folder / name).exists()]
    for name in set(given.sets) - set(there):
        print(f"{name}: data not available in {folder}", file=sys.stderr)
    rows = [row for name in there for row in rows_of(name, folder, given.rounds)]
    headings = ["set", "passes", "command", "cost", "time beside", "memory beside"]
    text = table([*headings, "test error"], rows)
    print(text)
    if given.write:
        missing = [name for name in PASSES if name not in there]
        write_section(given.write, "what the ranker costs", text, missing)


if __name__ == "__main__":
    run_script(main)
