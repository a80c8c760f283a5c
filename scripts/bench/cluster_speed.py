"""Training on several workers of this machine beside one process: time, and the same bytes.

    python -m scripts.bench.cluster_speed [--set lemma-fi] [--passes 3] [--workers 1 2 4]
                            [--rounds 1] [--write docs/distributed.md]

Plain text, taken in turn; medians. One process is the whole command, on all cores, which starts in
0.2 s. For workers it is from the first task to the file written, without the start of a cluster.
Both read the text and write a model that predicts. Reads LOMTREE_DATA.
"""

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from lomtree.cluster.chunks import Manner, find_manner
from lomtree.cluster.connection import Cluster, connected
from lomtree.cluster.executors import OnDask
from lomtree.cluster.pipeline import Pipeline
from lomtree.cluster.roles import SAMPLE
from lomtree.cluster.training import finish, train_files
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN
from lomtree.model.model_file import write_model
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section


def alone(data: str, passes: int, model: str) -> float:
    """Seconds of the whole command."""
    command = [sys.executable, "-m", "lomtree", "train", data, "--passes", str(passes)]
    begun = time.perf_counter()
    subprocess.run([*command, "--quiet", "--predict-only", "-f", model], check=True)
    return time.perf_counter() - begun


def on_workers(data: str, passes: int, workers: int, model: str) -> tuple[float, str]:
    """Seconds from the first task to the file written, and a digest of it."""
    options = Options()
    manner = find_manner([data], Manner("auto", "stop", PLAIN, options.derived))
    with connected(Cluster(workers=workers)) as client:
        client.run(_warm)
        executor = OnDask(client)
        begun = time.perf_counter()
        pipeline = Pipeline(executor, options, passes, SAMPLE, 8)
        trained, _facts = train_files(executor, pipeline, [data], manner)
        finish(trained)
        write_model(trained.model, model, predict_only=True)
        seconds = time.perf_counter() - begun
    return seconds, hashlib.sha256(Path(model).read_bytes()).hexdigest()[:16]


def _warm() -> None:
    """Workers load what they need before the clock runs, as those of a cluster have."""
    import lomtree.cluster.tasks  # noqa: F401


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--set", default="lemma-fi")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rounds", type=int, default=1)
    add_write(parser)
    given = parser.parse_args()
    folder = Path(os.environ.get("LOMTREE_DATA", "data")) / given.set
    with tempfile.TemporaryDirectory() as work:
        data, model = f"{work}/train.vw", f"{work}/model.lom"
        with gzip.open(next(folder.glob("train.*")), "rb") as packed, open(data, "wb") as plain:
            shutil.copyfileobj(packed, plain)
        single, many, digests = [], {n: [] for n in given.workers}, set()
        for _ in range(given.rounds):
            single.append(alone(data, given.passes, model))
            print(f"one process: {single[-1]:.1f} s", file=sys.stderr)
            for workers in given.workers:
                seconds, digest = on_workers(data, given.passes, workers, model)
                print(f"{workers} workers: {seconds:.1f} s, {digest}", file=sys.stderr)
                many[workers].append(seconds)
                digests.add(digest)
    base = median(single)
    rows = [[given.set, "one process", f"{base:.1f} s", "", ""]]
    for workers, seconds in many.items():
        took = median(seconds)
        same = "the same" if len(digests) == 1 else "differ"
        rows.append([given.set, f"{workers} workers", f"{took:.1f} s", f"{base / took:.2f}", same])
    text = table(["set", "", "time", "times as fast", "bytes"], rows)
    print(text)
    if given.write:
        write_section(given.write, f"workers, {given.set}", text)


if __name__ == "__main__":
    run_script(main)
