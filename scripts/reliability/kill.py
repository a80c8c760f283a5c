"""kill -9 at random moments of commands that write: is everything still there?

    python -m scripts.reliability.kill [--kills 50] [--write docs/reliability.md]
    python -m scripts.reliability.kill --kills 250 --seed 2 --journal build/kills.jsonl
    python -m scripts.reliability.kill --kills 0 --journal build/kills.jsonl  # its table alone

A training that saves checkpoints is started again and again with --resume, and killed, until it was
killed so often. After each kill the model must be the whole one of before or another whole one, and
nothing else may lie in its folder; when it comes to its end its model must be, byte for byte, that
of a run that was never interrupted. As often all other commands that write are killed: their file
must be the one of before or that of a run that was never interrupted.

Half of the kills come after a random time; the other half at a random step, just before a file is
made, named, synced or removed. A tenth is of processes of their own, from Python's start on; the
others are children of this one (killing.py). With a journal, runs with different seeds add up.
"""

import importlib.util
import os
import random
import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lomtree.core.errors import ModelError
from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose
from scripts.command import add_write, parser_of, run_script
from scripts.reliability.drift import Drift
from scripts.reliability.journal import add_up, total_of
from scripts.reliability.killing import is_killed, load_everything, process_is_killed, run
from scripts.report import table, write_section

LATEST = 1.3  # times what a quiet run takes
PROCESSES = 0.1  # of the kills
START = 0.5  # seconds: about what Python and the libraries take to start
AT_A_STEP = 0.5  # of the kills of children
MOST_STEPS = 40  # of the largest command; others end before
OLD = b"the old file"
CHECKPOINTS = 20  # of a pass


class Killer:
    """Kills at moments that are drawn."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.took: dict[str, float] = {}  # seconds of a command in one go

    def kill(self, name: str, words: list[str]) -> bool:
        """Whether the command was killed before it had ended."""
        rng, seconds = self.rng, LATEST * self.took[name] * self.rng.random()
        if rng.random() < PROCESSES:
            return process_is_killed(words, START * rng.random() + seconds)
        step = rng.randrange(1, MOST_STEPS) if rng.random() < AT_A_STEP else 0
        return is_killed(words, step, seconds)


def train(data: Path, model: Path, every: int = 0) -> list[str]:
    more = ["--save-every", str(every), "--resume"] if every else []
    return [
        "train", str(data), "--quiet", "--passes", "2", "-b", "14", "--max-statistics", "3000",
        *more, "-f", str(model),
    ]  # fmt: skip


def whole(model: Path) -> bytes | None:
    """The file's bytes, None if there is none; the script ends if it is not a whole model."""
    if not model.exists():
        return None
    try:
        read_model(str(model), Purpose.LEARN)
    except ModelError as error:
        raise SystemExit(f"not whole after a kill: {error}") from None
    return model.read_bytes()


def copies(folder: Path, name: str, check: Callable[[Path], object]) -> int:
    """How many whole ones are there under another name: killed in the instant before the renaming.
    They are removed."""
    others = [path for path in folder.iterdir() if path.name != name]
    for path in others:
        check(path)
        path.unlink()
    return len(others)


def kill_checkpoints(kills: int, lines: int, killer: Killer, folder: Path) -> Counter:
    data, model, last = folder / "data.vw", folder / "model" / "m.lom", folder / "whole.lom"
    every = max(1, lines // CHECKPOINTS)
    killer.took["checkpoints"] = run(train(data, folder / "model" / "timed.lom", every))
    (folder / "model" / "timed.lom").unlink()
    fates, before = Counter(kills=0), None
    while fates["kills"] < kills:
        killed = killer.kill("checkpoints", train(data, model, every))
        fates["kills"] += killed
        after = whole(model)
        if killed:
            fates["none" if after is None else "old" if after == before else "new"] += 1
        fates["copy"] += copies(model.parent, model.name, whole)
        if after is not None and read_model(str(model), Purpose.LEARN).unfinished is None:
            if after != last.read_bytes():
                raise SystemExit("the model is not that of a run in one go")
            fates["ends"] += 1  # from the beginning again
            after = None
            model.unlink()
        before = after
    run(train(data, model, every))
    if model.read_bytes() != last.read_bytes():
        raise SystemExit("the model is not that of a run in one go")
    return fates


def commands(data: Path, model: Path) -> dict[str, tuple[list[str], str]]:
    """All other commands that write: their words, in which FOLDER is where they do; and the name of
    the file."""
    quiet, tables = "--quiet", ["-b", "14"]
    found = {
        "train": ["train", str(data), quiet, *tables, "-f", "FOLDER/file"],
        "train -i": ["train", str(data), quiet, "-i", str(model), "-f", "FOLDER/file"],
        "train --cache": [
            "train", str(data), quiet, *tables, "-f", os.devnull, "--cache", "FOLDER/file",
        ],
        "train -p": ["train", str(data), quiet, *tables, "-f", os.devnull, "-p", "FOLDER/file"],
        "predict -p": ["predict", quiet, "-i", str(model), str(data), "-p", "FOLDER/file"],
        "predict --into": ["predict", quiet, "-i", str(model), str(data), "--into", "FOLDER"],
        "inspect --weights": ["inspect", str(model), quiet, "--weights", "FOLDER/file"],
        "compact": ["compact", str(model), quiet, "-f", "FOLDER/file"],
        "convert": ["convert", str(data), quiet, "--to", "fasttext", "FOLDER/file"],
        "vw -f": ["vw", "--oaa", "3", "-b", "14", "-d", str(data), quiet, "-f", "FOLDER/file"],
    }  # fmt: skip
    if importlib.util.find_spec("matplotlib") is not None:
        found["inspect --plot"] = ["inspect", str(model), quiet, "--plot", "FOLDER/file.svg"]
    names = {"predict --into": f"{data.name}.txt", "inspect --plot": "file.svg"}
    return {name: (words, names.get(name, "file")) for name, words in found.items()}


MAKES_ALONE = ("train --cache", "convert", "predict --into")  # these replace no other file


def kill_others(kills: int, killer: Killer, folder: Path) -> Counter:
    """So many kills of the other commands in turn; what they left."""
    own, expected = folder / "own", {}
    own.mkdir()
    kinds = commands(folder / "data.vw", folder / "whole.lom")

    def placed(words: list[str]) -> list[str]:
        return [word.replace("FOLDER", str(own)) for word in words]

    for name, (words, file) in kinds.items():
        load_everything(placed(words), own)
        killer.took[name] = run(placed(words))
        expected[name] = (own / file).read_bytes()
        (own / file).unlink()
    fates: Counter = Counter()
    names = list(kinds)
    while fates["other kills"] < kills:
        name = names[fates["other tries"] % len(names)]
        words, file = kinds[name]
        old = b"" if name in MAKES_ALONE else OLD
        if old:
            (own / file).write_bytes(old)
        killed = killer.kill(name, placed(words))
        after = (own / file).read_bytes() if (own / file).exists() else b""
        if after != expected[name] and (after != old or not killed):
            raise SystemExit(f"{name}: the file is neither the old nor the new one")
        left = copies(own, file, partial(_check_same, name, expected[name]))
        (own / file).unlink(missing_ok=True)
        fates += Counter(
            {
                "other tries": 1, "other kills": killed,
                "other new": killed and after == expected[name], "other copies": left,
            }
        )  # fmt: skip
    return fates


def _check_same(name: str, expected: bytes, path: Path) -> None:
    if path.read_bytes() != expected:
        raise SystemExit(f"{name}: left {path.name}")


def report(total: Counter, lines: int) -> str:
    names = ", ".join(commands(Path("data"), Path()))
    rows = [
        ["kill -9 of a training with checkpoints", f"{total['kills']:,}"],
        ["before the first checkpoint", f"{total['none']:,}"],
        ["left the checkpoint of before", f"{total['old']:,}"],
        ["left a newer one", f"{total['new']:,}"],
        ["left a second copy of it", f"{total['copy']:,}"],
        ["came to its end, with the model of a run in one go", f"{total['ends'] + 1:,} times"],
        [f"kill -9 of {names}", f"{total['other kills']:,}"],
        ["left the file of before", f"{total['other kills'] - total['other new']:,}"],
        ["left the new one", f"{total['other new']:,}"],
        ["left a second copy of it", f"{total['other copies']:,}"],
        ["files that were not whole", "0"],
    ]
    every = max(1, lines // CHECKPOINTS)
    return (
        f"`lomtree train data.vw --passes 2 --save-every {every} --resume` over {2 * lines:,} "
        "examples, killed and started again; and all other commands that write:\n\n"
    ) + table(["", ""], rows)


def kill_all(given: Namespace) -> Counter:
    """What was killed, and what that left."""
    killer = Killer(given.seed)
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        (folder / "model").mkdir()
        (folder / "data.vw").write_bytes(b"".join(Drift(200, 0.5).blocks(given.lines)))
        load_everything(train(folder / "data.vw", folder / "model" / "m.lom"), folder / "model")
        run(train(folder / "data.vw", folder / "whole.lom"))
        fates = kill_checkpoints(given.kills, given.lines, killer, folder)
        return fates + kill_others(given.kills, killer, folder)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--lines", type=int, default=4_000, help="of the data")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--journal", type=Path, help="of runs with other seeds, which add up")
    add_write(parser)
    given = parser.parse_args()
    if given.kills:
        total = add_up(given.journal, "kills", given.seed, kill_all(given))
    else:
        total = total_of(given.journal, "kills")
    text = report(total, given.lines)
    print(text)
    if given.write:
        write_section(given.write, "kills", text)


if __name__ == "__main__":
    run_script(main)
