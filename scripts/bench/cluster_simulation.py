"""Time and memory of a training on many workers, from what was measured on one machine.

    python -m scripts.bench.cluster_simulation [--from docs/distributed.md] [--set lemma-fi]
                            [--examples 1000000000] [--classes 1000000] [--write FILE]

Reads what scripts.bench.sharding has put into the document, and measures what a task costs the
scheduler. How many tasks there are is counted from the shuffle itself. Shards of the measured
spread go to the workers that are free first, the largest first. The model, and the time to put it
together, grow with the number of classes.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

from lomtree.cluster.chunks import chunk_bytes_for
from lomtree.cluster.connection import Cluster, connected
from lomtree.cluster.pipeline import MOST_SHARDS
from lomtree.cluster.shuffle import send
from scripts.command import add_write, parser_of, run_script
from scripts.report import cells_of, table, write_section

WORKERS = (16, 64, 256)
PASSES = 1
NETWORK = 1e9  # bytes a second that a worker sends: 10 Gbit/s
TASKS = 2000  # that are timed
EACH = (
    7  # tasks of a chunk beside the shuffle: parse, facts, count and its sums, sample, apart, route
)


class Measured(NamedTuple):
    """The columns of the second table of scripts.bench.sharding, behind the set's name."""

    classes: float
    text: float  # bytes an example, as text
    piece: float  # the same, parsed
    parsed: float  # examples a second of one core, counted too
    routed: float
    learned: float
    top: float  # seconds
    largest: float  # shard, of the mean
    joined: float  # seconds until the parts are one model, in its file
    model: float  # MB


def read(path: Path, name: str) -> Measured:
    for row in cells_of(path.read_text(encoding="utf-8")):
        if row[0] == name and len(row) == len(Measured._fields) + 1:
            return Measured(*(float(cell.replace(",", "").split()[0]) for cell in row[1:]))
    raise SystemExit(f"{path} has no row of {name}: run scripts.bench.sharding --write first")


def seconds_a_task() -> float:
    """Of the processor, for a task with next to nothing to do: those of the scheduler and the
    client, which are in this process."""
    with connected(Cluster(workers=1)) as client:
        client.gather(client.map(abs, range(TASKS), pure=False))
        begun = time.process_time()
        client.gather(client.map(abs, range(TASKS), pure=False))
        return (time.process_time() - begun) / TASKS


def tasks_of(chunks: int, shards: int) -> int:
    """How many tasks a training has."""
    sent: list[Any] = []
    send(lambda *task: sent.append(task), 0, [None] * chunks, [True] * shards)
    return EACH * chunks + len(sent) + shards


def makespan(sizes: list[float], workers: int) -> float:
    """When the last worker is done, if the next task goes to the one that is free first."""
    busy = [0.0] * min(workers, len(sizes))
    for size in sorted(sizes, reverse=True):
        free = busy.index(min(busy))
        busy[free] += size
    return max(busy)


def row(measured: Measured, examples: int, classes: int, workers: int, task: float) -> list[Any]:
    shards, text = MOST_SHARDS, int(examples * measured.text)
    tasks = tasks_of(text // chunk_bytes_for(text) + 1, shards)
    mean = examples / shards
    spread = [
        mean * (1 + (measured.largest - 1) * (2 * n / (shards - 1) - 1)) for n in range(shards)
    ]
    read_seconds = examples / measured.parsed / workers
    moved = examples * measured.piece / workers / NETWORK
    route = examples / measured.routed / workers + moved
    scheduled = tasks * task
    learn = makespan([size * PASSES / measured.learned for size in spread], workers)
    joined = measured.joined * classes / measured.classes
    total = read_seconds + measured.top + max(route, scheduled) + learn + joined
    alone = examples * (1 / measured.parsed + PASSES / measured.learned)
    memory = 2 * max(spread) * measured.piece / 1e9
    model = measured.model * classes / measured.classes / 1e3
    minutes = [read_seconds, route, scheduled, learn, joined, total]
    cells = [
        str(workers),
        f"{tasks:,}",
        *(f"{one / 60:.1f}" for one in minutes),
        f"{alone / total:.0f}",
    ]
    return [*cells, f"{memory:.1f} GB", f"{model:.0f} GB"]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--from", dest="document", type=Path, default=Path("docs/distributed.md"))
    parser.add_argument("--set", default="lemma-fi")
    parser.add_argument("--examples", type=int, default=10**9)
    parser.add_argument("--classes", type=int, default=10**6)
    add_write(parser)
    given = parser.parse_args()
    measured, task = read(given.document, given.set), seconds_a_task()
    rows = [row(measured, given.examples, given.classes, n, task) for n in WORKERS]
    headings = [
        "workers",
        "tasks",
        "parse",
        "route",
        "scheduler",
        "learn",
        "put together",
        "minutes in all",
    ]
    text = table([*headings, "times one core", "a worker's examples", "client's model"], rows)
    text += f"\nA task costs scheduler and client {1e3 * task:.2f} ms of the processor.\n"
    print(text)
    if given.write:
        write_section(given.write, "simulation", text)


if __name__ == "__main__":
    run_script(main)
