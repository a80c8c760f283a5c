"""Train and test a learner that has all data in memory; what it took goes to a file as JSON.

    python -m scripts.bench.batch_learner napkinxc|omikuji FOLDER

FOLDER has train.npz and test.npz, their labels as train.npy and test.npy, and train.txt in the
format of the XML repository, as beside_batch.py makes them. The learner is as its authors have it
by default: PLT of napkinXC, Parabel of omikuji (three trees). Both learn with all cores; omikuji
begins with reading its text, since it offers no other way, and predicts one example after the
other, with one core. Memory is the most that the process held.
"""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, load_npz

from scripts.command import parser_of, run_script

LEARNERS = ("napkinxc", "omikuji")


def megabytes() -> float:
    """The most that this process held; not what it was charged for whoever started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


def napkinxc(folder: Path) -> Callable[[], Any]:
    from napkinxc.models import PLT

    labels = np.load(folder / "train.npy").tolist()
    rows = load_npz(folder / "train.npz")
    model = PLT(str(folder / "napkinxc"), seed=0)

    def train() -> PLT:
        model.fit(rows, labels)
        return model

    return train


def omikuji(folder: Path) -> Callable[[], Any]:
    import omikuji

    return lambda: omikuji.Model.train_on_data(str(folder / "train.txt"))


def predictions(name: str, model: Any, rows: csr_matrix) -> Callable[[], list[int]]:
    """What predicts the best labels of the rows, once they are as the learner wants them."""
    if name == "napkinxc":
        return lambda: [found[0] for found in model.predict(rows, top_k=1)]
    pairs = [
        list(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        for row in (rows[number] for number in range(rows.shape[0]))
    ]
    return lambda: [model.predict(one, top_k=1)[0][0] for one in pairs]


def measure(name: str, folder: Path) -> dict[str, float]:
    train = (napkinxc if name == "napkinxc" else omikuji)(folder)
    begun = time.perf_counter()
    model = train()
    trained = time.perf_counter()
    predict = predictions(name, model, load_npz(folder / "test.npz"))
    if name == "napkinxc":
        model.load()
    ready = time.perf_counter()
    found = predict()
    ended = time.perf_counter()
    labels = np.load(folder / "test.npy")
    return {
        "error": 100 * float(np.mean(np.array(found) != labels)),
        "seconds": trained - begun,
        "microseconds": (ended - ready) / len(labels) * 1e6,
        "megabytes": megabytes(),
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("learner", choices=LEARNERS)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    found = measure(given.learner, given.folder)
    (given.folder / f"{given.learner}.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    run_script(main)
