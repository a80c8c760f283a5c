"""kill -9 of workers at random moments of a training: are the bytes those of a quiet run?

    python -m scripts.reliability.worker_kills [--kills 20] [--seed 0] [--write docs/distributed.md]

A cluster of two processes trains the same model again and again; in each run a worker, drawn at
random, is killed after a random part of the time that a quiet run takes, until so many were.
"""

import os
import random
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


def trained(client, paths: list[str], work: str) -> bytes:
    executor, options = OnDask(client), Options(bits=20)
    manner = Manner("vw", "stop", PLAIN, options.derived)
    pipeline = Pipeline(executor, options, 3, 1 << 14, 8)
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
    parser.add_argument("--examples", type=int, default=60_000)
    add_write(parser)
    given = parser.parse_args()
    rng, differ = random.Random(given.seed), 0
    with tempfile.TemporaryDirectory() as work, connected(Cluster(workers=2)) as client:
        paths = write_files(work, given.examples)
        trained(client, paths, work)  # which may have to compile
        begun = time.perf_counter()
        wanted = trained(client, paths, work)
        quiet = time.perf_counter() - begun
        for number in range(given.kills):
            after = rng.uniform(0, quiet)
            killer = threading.Thread(target=kill_one, args=(client, after, rng))
            killer.start()
            same = trained(client, paths, work) == wanted
            killer.join()
            client.wait_for_workers(2)
            differ += not same
            print(f"kill {number + 1} after {after:.1f} s: {same}", file=sys.stderr, flush=True)
    rows = [[str(given.kills), f"{given.examples:,}", f"{quiet:.1f} s", str(differ)]]
    text = table(["kills", "examples", "a quiet run", "other bytes"], rows)
    print(text)
    if given.write:
        write_section(given.write, "worker kills", text)


if __name__ == "__main__":
    run_script(main)
