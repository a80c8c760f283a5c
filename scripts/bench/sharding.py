"""Trees in shards beside the tree alone: test errors, the sizes of shards, what each step costs.

    python -m scripts.bench.sharding [SET ...] [--shards 8] [--work DIR] [--write FILE]
                            [--only alone|shards|errors|spread]

All tasks run in this process, one after the other. Times are those of the processor, so that what
else runs on the machine matters little. What has been made or measured is kept in the work folder
and not done again; `--only` does one step of it. Reads the sets of the folder named by
LOMTREE_DATA.
"""

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lomtree.cluster.chunks import Chunk, Manner, find_manner
from lomtree.cluster.executors import Inline
from lomtree.cluster.parsing import parse
from lomtree.cluster.roles import SAMPLE, Shares
from lomtree.cluster.tasks import RouteJob, TreePlan, count, route, sample_of, train_top
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN
from lomtree.features.scale_sums import scales_from
from lomtree.model.model_file import write_model
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section
from scripts.sets import folder_of
from scripts.sharded_training import SHARDS, train

PASSES = {"bible-verses": 5, "lemma-fi": 3, "lshtc1-dry": 10, "clinc150": 10}
SPREAD = (4, 8, 16, 32, 64)  # shards
MUST = ("bible-verses", "lemma-fi")


class Timed(Inline):
    """Notes how long the tasks of each kind take."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: dict[str, list[float]] = {}

    def submit(self, kind: str, number: Any, task: Any, *arguments: Any) -> Any:
        begun = time.process_time()
        result = task(*arguments)
        self.seconds.setdefault(kind, []).append(time.process_time() - begun)
        return result


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
    shards: int

    def data(self, part: str) -> str:
        return str(next(self.folder.glob(f"{part}.*")))

    def file(self, kind: str) -> Path:
        return self.work / f"{self.name}.{kind}"

    def make(self, kind: str) -> list[str]:
        """Do one of STEPS, if it was not done before; returns the cells of its row."""
        cells = self.file(kind)
        if not cells.exists():
            cells.write_text(json.dumps(STEPS[kind](self)))
        return json.loads(cells.read_text())

    def alone(self) -> list[str]:
        command = [sys.executable, "-m", "lomtree", "train", self.data("train"), "--quiet"]
        more = ["--predict-only", "--passes", str(PASSES[self.name]), "-f"]
        subprocess.run([*command, *more, str(self.file("alone.lom"))], check=True)
        return []

    def in_shards(self) -> list[str]:
        """Times and sizes."""
        begun, timed = time.process_time(), Timed()
        model, facts = train(timed, [self.data("train")], PASSES[self.name], self.shards)
        write_model(model, str(self.file("shards.lom")), predict_only=True)
        spent = {kind: sum(seconds) for kind, seconds in timed.seconds.items()}
        joined = time.process_time() - begun - sum(spent.values())
        learned = [part.examples for part in model.learner.parts[1:]]
        examples = sum(one.examples for one in facts)
        return [
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

    def errors(self) -> list[str]:
        self.make("alone")
        self.make("shards")
        models = (self.file("alone.lom"), self.file("shards.lom"))
        single, many = (error_of(str(model), self.data("test")) for model in models)
        errors = [self.name, str(PASSES[self.name]), f"{single:.2%}", f"{many:.2%}"]
        return [*errors, f"{100 * (many - single):+.2f}"]

    def spread(self) -> list[str]:
        """The largest shard by the mean, for several numbers of shards: only tops are trained."""
        data, options = self.data("train"), Options()
        manner = find_manner([data], Manner("auto", "stop", PLAIN, options.derived))
        parsed = parse(Chunk(data), manner)
        scales = scales_from(options, count(options, parsed))
        shares = Shares.of(options, parsed.facts.examples, SAMPLE)
        sample = sample_of(parsed, options, shares, 0)
        cells = [self.name]
        for shards in SPREAD:
            plan = TreePlan(options, PASSES[self.name])
            top = train_top(plan, scales, [sample], shards)
            routed = route(parsed, RouteJob(options, shares), scales, top, 0)
            sizes = np.diff(routed.cuts)
            cells.append(f"{sizes.max() / sizes.mean():.2f}")
        return cells


STEPS = {
    "alone": Step.alone,
    "shards": Step.in_shards,
    "errors": Step.errors,
    "spread": Step.spread,
}


def size_of_text(path: str) -> int:
    with gzip.open(path, "rb") as file:
        return sum(len(line) for line in file)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", default=list(MUST))
    parser.add_argument("--shards", type=int, default=SHARDS)
    parser.add_argument("--work", type=Path, default=Path("build/sharding"))
    parser.add_argument("--only", choices=STEPS, help="do this step, no more")
    add_write(parser)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    steps = [
        Step(name, folder, given.work, given.shards)
        for name in given.sets
        if (folder := folder_of(name)) is not None
    ]
    if given.only:
        for step in steps:
            print(*step.make(given.only))
        return
    headings = ["set", "passes", "one tree", f"{given.shards} shards", "points"]
    text = table(headings, [step.make("errors") for step in steps]) + "\n"
    columns = ["set", "classes", "bytes of text", "parsed", "parsed a second", "routed", "learned"]
    columns += ["top", "largest shard", "put together", "model"]
    text += table(columns, [step.make("shards") for step in steps]) + "\n"
    spread = [f"{shards} shards" for shards in SPREAD]
    text += table(["largest shard", *spread], [step.make("spread") for step in steps])
    print(text)
    if given.write:
        missing = set(MUST) - {step.name for step in steps}
        write_section(given.write, "shards", text, sorted(missing))


if __name__ == "__main__":
    run_script(main)
