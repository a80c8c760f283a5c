"""Training on several workers of this machine beside one process: time, and the same bytes.

    python -m scripts.bench.cluster_speed [--set lemma-fi] [--passes 3] [--workers 1 2 4]
                            [--rounds 1] [--work DIR] [--write docs/distributed.md]

Plain text, taken in turn; medians. One process is the whole command, on all cores, which starts in
0.2 s. For workers it is from the first task to the file written, without the start of a cluster.
Both read the text and write a model that predicts. What was measured is kept in the work folder,
and further rounds are added to it. Reads LOMTREE_DATA.
"""

import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from lomtree.cluster.connection import Cluster, connected
from lomtree.cluster.executors import OnDask
from lomtree.model.model_file import write_model
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section
from scripts.sharded_training import plain_text, train

ALONE = 0  # workers


def alone(data: str, passes: int, model: str) -> float:
    """Seconds of the whole command."""
    command = [sys.executable, "-m", "lomtree", "train", data, "--passes", str(passes)]
    begun = time.perf_counter()
    subprocess.run([*command, "--quiet", "--predict-only", "-f", model], check=True)
    return time.perf_counter() - begun


def on_workers(data: str, passes: int, workers: int, model: str) -> float:
    """Seconds from the first task to the file written."""
    with connected(Cluster(workers=workers)) as client:
        client.run(_warm)
        begun = time.perf_counter()
        trained, _facts = train(OnDask(client), [data], passes)
        write_model(trained, model, predict_only=True)
        return time.perf_counter() - begun


def _warm() -> None:
    """Workers load what they need before the clock runs, as those of a cluster have."""
    import lomtree.cluster.tasks  # noqa: F401


def measure(data: str, passes: int, workers: int, model: Path) -> dict[str, Any]:
    if workers == ALONE:
        seconds = alone(data, passes, str(model))
    else:
        seconds = on_workers(data, passes, workers, str(model))
    digest = hashlib.sha256(model.read_bytes()).hexdigest()[:16]
    return {"workers": workers, "seconds": seconds, "digest": digest}


def rows_of(name: str, measured: list[dict[str, Any]]) -> list[list[str]]:
    """A row for one process, and one for each number of workers."""
    seconds: dict[int, list[float]] = {}
    for one in measured:
        seconds.setdefault(one["workers"], []).append(one["seconds"])
    digests = {one["digest"] for one in measured if one["workers"] != ALONE}
    same, base = "the same" if len(digests) == 1 else "differ", median(seconds.get(ALONE, [0.0]))
    rows = []
    for workers, took in sorted(seconds.items()):
        place = f"{workers} workers" if workers != ALONE else "one process"
        compared = [f"{base / median(took):.2f}", same] if workers != ALONE else ["", ""]
        rows.append([name, place, str(len(took)), f"{median(took):.1f} s", *compared])
    return rows


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--set", default="lemma-fi")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=1, help="0: report what was measured before")
    parser.add_argument("--work", type=Path, default=Path("build/cluster_speed"))
    add_write(parser)
    given = parser.parse_args()
    data = plain_text(given.set, given.work)
    journal = given.work / f"{given.set}-{given.passes}.jsonl"
    for _ in range(given.rounds):
        for workers in (ALONE, *given.workers):
            found = measure(data, given.passes, workers, given.work / "model.lom")
            print(json.dumps(found), file=sys.stderr, flush=True)
            with journal.open("a") as file:
                file.write(json.dumps(found) + "\n")
    measured = [json.loads(line) for line in journal.read_text().splitlines()]
    headings = ["set", "", "rounds", "time", "times as fast", "bytes"]
    text = table(headings, rows_of(given.set, measured))
    print(text)
    if given.write:
        write_section(given.write, f"workers, {given.set}", text)


if __name__ == "__main__":
    run_script(main)
