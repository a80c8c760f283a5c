"""Trees in shards beside the tree alone: test errors, the sizes of shards, what each step costs.

    python -m scripts.bench.sharding [SET ...] [--shards 8] [--only alone|shards] [--write FILE]

All tasks run in this process, one after the other, so their times are those of one core. Reads the
sets of the folder named by LOMTREE_DATA.
"""

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lomtree.cluster.chunks import Chunk, Manner, find_manner
from lomtree.cluster.executors import Inline
from lomtree.cluster.parsing import parse
from lomtree.cluster.pipeline import Pipeline
from lomtree.cluster.roles import SAMPLE, Shares
from lomtree.cluster.tasks import RouteJob, TreePlan, count, route, sample_of, train_top
from lomtree.cluster.training import finish, train_files
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN
from lomtree.features.scale_sums import scales_from
from lomtree.model.model import Model
from lomtree.model.model_file import write_model
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section

PASSES = {"bible-verses": 5, "lemma-fi": 3, "lshtc1-dry": 10, "clinc150": 10}
SHARDS = (4, 8, 16, 32, 64)
MUST = ("bible-verses", "lemma-fi")


class Timed(Inline):
    """Notes how long the tasks of each kind take."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: dict[str, list[float]] = {}

    def submit(self, kind: str, number: Any, task: Any, *arguments: Any) -> Any:
        begun = time.perf_counter()
        result = task(*arguments)
        self.seconds.setdefault(kind, []).append(time.perf_counter() - begun)
        return result


def train(data: str, passes: int, shards: int) -> tuple[Model, Timed, Any]:
    executor, options = Timed(), Options()
    manner = find_manner([data], Manner("auto", "stop", PLAIN, options.derived))
    pipeline = Pipeline(executor, options, passes, SAMPLE, shards)
    trained, facts = train_files(executor, pipeline, [data], manner)
    finish(trained)
    return trained.model, executor, facts


def error_of(model: str, test: str) -> float:
    command = [sys.executable, "-m", "lomtree", "test", "--quiet", "--json", "-i", model, test]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["error"])


class Step(NamedTuple):
    """What is done with a set, each in a file of the folder `work`: what is there is not done
    again, so that steps can be timed apart."""

    name: str
    folder: Path
    work: Path

    def data(self, part: str) -> str:
        return str(next((self.folder / self.name).glob(f"{part}.*")))

    def file(self, kind: str) -> Path:
        return self.work / f"{self.name}.{kind}"

    def train_alone(self) -> None:
        command = [sys.executable, "-m", "lomtree", "train", self.data("train"), "--quiet"]
        more = ["--predict-only", "--passes", str(PASSES[self.name]), "-f"]
        subprocess.run([*command, *more, str(self.file("alone.lom"))], check=True)

    def train_shards(self, shards: int) -> None:
        """And note times and sizes."""
        begun = time.perf_counter()
        model, timed, facts = train(self.data("train"), PASSES[self.name], shards)
        write_model(model, str(self.file("shards.lom")), predict_only=True)
        spent = {kind: sum(seconds) for kind, seconds in timed.seconds.items()}
        joined = time.perf_counter() - begun - sum(spent.values())
        learned = [part.examples for part in model.learner.parts[1:]]
        examples = sum(one.examples for one in facts)
        costs = [
            self.name,
            f"{len(model.labels):,}",
            f"{size_of_text(self.data('train')) / examples:.0f}",
            f"{sum(one.nbytes for one in facts) / examples:.0f}",
            f"{examples / (spent['parse'] + spent['count']):,.0f}",
            f"{examples / spent['route']:,.0f}",
            f"{sum(learned) / spent['shard']:,.0f}",
            f"{spent['top']:.1f} s",
            f"{max(learned) * len(learned) / sum(learned):.2f}",
            f"{joined:.1f} s",
            f"{self.file('shards.lom').stat().st_size / 1e6:.0f} MB",
        ]
        self.file("costs").write_text(json.dumps(costs))

    def errors(self, shards: int) -> list[str]:
        if not self.file("alone.lom").exists():
            self.train_alone()
        if not self.file("costs").exists():
            self.train_shards(shards)
        kinds = ("alone.lom", "shards.lom")
        single, many = (error_of(str(self.file(kind)), self.data("test")) for kind in kinds)
        errors = [self.name, str(PASSES[self.name]), f"{single:.2%}", f"{many:.2%}"]
        return [*errors, f"{100 * (many - single):+.2f}"]

    def costs(self) -> list[str]:
        return json.loads(self.file("costs").read_text())


def size_of_text(path: str) -> int:
    with gzip.open(path, "rb") as file:
        return sum(len(line) for line in file)


def imbalance(name: str, folder: Path) -> list[str]:
    """The largest shard by the mean, for several numbers of shards: the top alone is trained."""
    data = str(next((folder / name).glob("train.*")))
    options = Options()
    manner = find_manner([data], Manner("auto", "stop", PLAIN, options.derived))
    parsed = parse(Chunk(data), manner)
    scales = scales_from(options, count(options, parsed))
    shares = Shares.of(options, parsed.facts.examples, SAMPLE)
    sample = sample_of(parsed, options, shares, 0)
    cells = [name]
    for shards in SHARDS:
        top = train_top(TreePlan(options, 1), scales, [sample], shards)
        routed = route(parsed, RouteJob(options, shares), scales, top, 0)
        sizes = np.diff(routed.cuts)
        cells.append(f"{sizes.max() / sizes.mean():.2f}")
    return cells


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", default=list(MUST))
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--work", type=Path, default=Path("build/sharding"))
    parser.add_argument("--only", choices=("alone", "shards"), help="train these models, no more")
    add_write(parser)
    given = parser.parse_args()
    folder = Path(os.environ.get("LOMTREE_DATA", "data"))
    there = [name for name in given.sets if (folder / name).exists()]
    given.work.mkdir(parents=True, exist_ok=True)
    steps = [Step(name, folder, given.work) for name in there]
    if given.only:
        for step in steps:
            step.train_alone() if given.only == "alone" else step.train_shards(given.shards)
        return
    headings = ["set", "passes", "one tree", f"{given.shards} shards", "points"]
    text = table(headings, [step.errors(given.shards) for step in steps]) + "\n"
    columns = ["set", "classes", "bytes of text", "parsed", "parsed a second", "routed", "learned"]
    columns += ["top", "largest shard", "put together", "model"]
    text += table(columns, [step.costs() for step in steps]) + "\n"
    spread = [f"{shards} shards" for shards in SHARDS]
    text += table(["largest shard", *spread], [imbalance(name, folder) for name in there])
    print(text)
    if given.write:
        write_section(given.write, "shards", text, [one for one in MUST if one not in there])


if __name__ == "__main__":
    run_script(main)
