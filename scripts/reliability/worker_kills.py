"""kill -9 of workers at random moments of a training: are the bytes those of a quiet run?

    python -m scripts.reliability.worker_kills [--kills 20] [--seed 0] [--set SET] [--passes 3]
                            [--write docs/distributed.md]

A cluster of two processes trains the same model again and again; in each run a worker, drawn at
random, is killed after a random part of the time that a quiet run takes, until so many were. The
data is made, or it is that of a set of the folder named by LOMTREE_DATA.
"""

import gzip
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from lomtree.cluster.chunks import Manner
from lomtree.cluster.connection import Cluster, connected
from lomtree.cluster.executors import OnDask
from lomtree.cluster.pipeline import Pipeline
from lomtree.cluster.training import finish, train_files
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN
from lomtree.model.model_file import write_model
from scripts.command import add_write, parser_of, run_script
from scripts.reliability.drift import Drift
from scripts.report import table, write_section

FILES = 6


def write_files(work: str, examples: int) -> list[str]:
    drift, paths = Drift(2000, 0.0), []
    for number in range(FILES):
        paths.append(f"{work}/part-{number}.vw")
        with open(paths[-1], "wb") as file:
            file.writelines(drift.blocks(examples // FILES))
    return paths


def copy_set(work: str, name: str) -> list[str]:
    """The training data as plain text, which is cut into chunks."""
    folder = Path(os.environ.get("LOMTREE_DATA", "data")) / name
    with (
        gzip.open(next(folder.glob("train.*")), "rb") as packed,
        open(f"{work}/train.vw", "wb") as plain,
    ):
        shutil.copyfileobj(packed, plain)
    return [f"{work}/train.vw"]


def trained(client, paths: list[str], work: str, passes: int) -> bytes:
    executor, options = OnDask(client), Options()
    manner = Manner("vw", "stop", PLAIN, options.derived)
    pipeline = Pipeline(executor, options, passes, 1 << 14, 8)
    result, _facts = train_files(executor, pipeline, paths, manner)
    finish(result)
    write_model(result.model, f"{work}/model.lom", predict_only=True)
    return Path(f"{work}/model.lom").read_bytes()


def kill_one(client, seconds: float, rng: random.Random) -> None:
    time.sleep(seconds)
    pids = sorted(client.run(os.getpid).values())
    os.kill(rng.choice(pids), signal.SIGKILL)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--examples", type=int, default=60_000, help="if they are made")
    parser.add_argument("--set", help="one of VW's text")
    parser.add_argument("--passes", type=int, default=3)
    add_write(parser)
    given = parser.parse_args()
    rng, differ = random.Random(given.seed), 0
    with tempfile.TemporaryDirectory() as work, connected(Cluster(workers=2)) as client:
        paths = copy_set(work, given.set) if given.set else write_files(work, given.examples)
        trained(client, paths, work, given.passes)  # which may have to compile
        begun = time.perf_counter()
        wanted = trained(client, paths, work, given.passes)
        quiet = time.perf_counter() - begun
        for number in range(given.kills):
            after = rng.uniform(0, quiet)
            killer = threading.Thread(target=kill_one, args=(client, after, rng))
            killer.start()
            same = trained(client, paths, work, given.passes) == wanted
            killer.join()
            client.wait_for_workers(2)
            differ += not same
            print(f"kill {number + 1} after {after:.1f} s: {same}", file=sys.stderr, flush=True)
    data = given.set or f"{given.examples:,} made examples"
    rows = [[data, str(given.passes), str(given.kills), f"{quiet:.1f} s", str(differ)]]
    text = table(["data", "passes", "kills", "a quiet run", "other bytes"], rows)
    print(text)
    if given.write:
        write_section(given.write, f"worker kills, {given.set or 'made data'}", text)


if __name__ == "__main__":
    run_script(main)
