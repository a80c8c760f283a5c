"""kill -9 of workers at random moments of a training: are the bytes those of a quiet run?

    python -m scripts.reliability.worker_kills [--kills 20] [--seed 0] [--set SET] [--passes 3]
                            [--minutes 60] [--work DIR] [--write docs/distributed.md]

Clusters of two processes train the same model again and again; in each run a worker, drawn at
random, is killed after a random part of the time that a quiet run takes, until so many were. The
data is made, or it is that of a set of the folder named by LOMTREE_DATA. Kills are noted in the
work folder: a run that is short of time begins no more of them, and the next one goes on.
"""

import hashlib
import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from lomtree.cluster.connection import Cluster, connected
from lomtree.cluster.executors import OnDask
from lomtree.model.model_file import write_model
from scripts.command import add_write, parser_of, run_script
from scripts.reliability.drift import Drift
from scripts.report import table, write_section
from scripts.sharded_training import plain_text, train

FILES = 6
SAMPLE = 1 << 14


def write_files(work: Path, examples: int) -> list[str]:
    drift, paths = Drift(2000, 0.0), [work / f"part-{number}.vw" for number in range(FILES)]
    for path in paths:
        with path.open("wb") as file:
            file.writelines(drift.blocks(examples // FILES))
    return list(map(str, paths))


def digest_of(client: Any, paths: list[str], work: Path, passes: int) -> str:
    """Of the model that is trained."""
    model, _facts = train(OnDask(client), paths, passes, sample=SAMPLE)
    write_model(model, str(work / "model.lom"), predict_only=True)
    return hashlib.sha256((work / "model.lom").read_bytes()).hexdigest()


def kill_one(client: Any, seconds: float, rng: random.Random) -> None:
    time.sleep(seconds)
    pids = sorted(client.run(os.getpid).values())
    os.kill(rng.choice(pids), signal.SIGKILL)


def killed(client: Any, rng: random.Random, quiet: float, *training: Any) -> dict[str, Any]:
    """A training in which a worker is killed, which `quiet` would take so many seconds."""
    after = rng.uniform(0, quiet)
    killer = threading.Thread(target=kill_one, args=(client, after, rng))
    killer.start()
    digest = digest_of(client, *training)
    killer.join()
    return {"after": after, "digest": digest}


def run(given: Any, journal: Path, paths: list[str]) -> list[dict[str, Any]]:
    """What a quiet run has given, then each run with a kill; those that were there before, too."""
    end = time.monotonic() + 60 * given.minutes
    noted = [json.loads(line) for line in journal.read_text().splitlines()]

    def note(found: dict[str, Any]) -> None:
        noted.append(found)
        print(json.dumps(found), file=sys.stderr, flush=True)
        with journal.open("a") as file:
            file.write(json.dumps(found) + "\n")

    training = (paths, given.work, given.passes)
    if not noted:
        with connected(Cluster(workers=2)) as client:
            digest_of(client, *training)  # which may have to compile
            begun = time.perf_counter()
            digest = digest_of(client, *training)
            note({"quiet": time.perf_counter() - begun, "digest": digest})
    while len(noted) <= given.kills and time.monotonic() < end:
        rng = random.Random(f"{given.seed} {len(noted)}")
        # A new one each time: on a busy machine a worker that was killed may not come back.
        with connected(Cluster(workers=2)) as client:
            note(killed(client, rng, noted[0]["quiet"], *training))
    return noted


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--examples", type=int, default=60_000, help="if they are made")
    parser.add_argument("--set")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--work", type=Path, default=Path("build/worker_kills"))
    add_write(parser)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    name = given.set or "made data"
    journal = given.work / f"{name}-{given.passes}-{given.seed}.jsonl"
    journal.touch()
    if given.set:
        paths = [plain_text(given.set, given.work)]
    else:
        paths = write_files(given.work, given.examples)
    quiet, *kills = run(given, journal, paths)
    differ = sum(one["digest"] != quiet["digest"] for one in kills)
    row = [name, str(given.passes), str(len(kills)), f"{quiet['quiet']:.1f} s", str(differ)]
    text = table(["data", "passes", "kills", "a quiet run", "other bytes"], [row])
    print(text)
    if given.write:
        write_section(given.write, f"worker kills, {name}", text)


if __name__ == "__main__":
    run_script(main)
