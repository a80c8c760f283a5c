"""kill -9 at random moments of commands that write: is everything still there?

    python -m scripts.reliability.kill [--kills 50] [--write docs/reliability.md]
    python -m scripts.reliability.kill --kills 250 --seed 2 --journal build/kills.jsonl

A training that saves checkpoints is started again and again with --resume, and killed after a
random time, until it was killed so often. After each kill the model must be the whole one of before
or another whole one, and nothing else may lie in its folder; the last run is left alone, and its
model must be, byte for byte, that of a run that was never interrupted. As often all other commands
that write are killed (a training that goes on, one that writes a cache, predictions or weights into
a file, a conversion): their file must be the one of before or the one of a run that was never
interrupted. With a journal, runs with different seeds add up.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from lomtree.core.errors import ModelError
from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose
from scripts.command import add_write, parser_of, run_script
from scripts.reliability.drift import Drift
from scripts.reliability.journal import add_up
from scripts.report import table, write_section

LATEST = 1.5  # times what a run in one go takes, which saves no checkpoints


class Counts(NamedTuple):
    kills: int
    old: int  # kills that left the file as it was before the run
    new: int  # kills that left a newer one
    none: int  # kills before there was one
    copy: int  # whole ones under another name, left by a kill in the instant before the renaming
    examples: int
    checkpoints: int
    seconds: float  # of a run in one go


def train(data: Path, model: Path, every: int, resume: bool) -> list[str]:
    more = ["--save-every", str(every), "--resume"] if resume else []
    return [
        sys.executable, "-m", "lomtree", "train", str(data), "--quiet", "--passes", "2", "-b", "20",
        "--max-statistics", "30000", *more, "-f", str(model),
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


def kill_often(kills: int, lines: int, seed: int, folder: Path) -> Counts:
    rng, data, model = random.Random(seed), folder / "data.vw", folder / "model" / "m.lom"
    model.parent.mkdir()
    data.write_bytes(b"".join(Drift(500, 0.5).blocks(lines)))
    subprocess.run(train(data, folder / "whole.lom", 0, False), check=True)  # compiles, too
    begun = time.perf_counter()
    subprocess.run(train(data, folder / "whole.lom", 0, False), check=True)
    took = time.perf_counter() - begun
    every = max(1, lines // 20)
    done, fates = 0, {"old": 0, "new": 0, "none": 0, "copy": 0}
    before = None
    while done < kills:
        process = subprocess.Popen(train(data, model, every, True))
        time.sleep(LATEST * took * rng.random())
        process.kill()
        if process.wait() == 0:  # it had ended: from the beginning again
            check_last(model, folder)
            before = None
            model.unlink()
            continue
        done += 1
        after = whole(model)
        fates["none" if after is None else "old" if after == before else "new"] += 1
        for name in set(os.listdir(model.parent)) - {model.name}:
            read_model(str(model.parent / name), Purpose.LEARN)  # whole: killed in the very instant
            (model.parent / name).unlink()
            fates["copy"] += 1
        if after is not None and read_model(str(model), Purpose.LEARN).unfinished is None:
            check_last(model, folder)  # killed between the last write and the end
            after = None
            model.unlink()
        before = after
    subprocess.run(train(data, model, every, True), check=True)
    check_last(model, folder)
    return Counts(done, *fates.values(), 2 * lines, 2 * lines // every, took)


def others(data: Path, model: Path) -> dict[str, list[str]]:
    """Commands whose last word is the file that they write."""
    lomtree = [sys.executable, "-m", "lomtree"]
    return {
        "train -i": [*lomtree, "train", str(data), "--quiet", "-i", str(model), "-f"],
        "train": [*lomtree, "train", str(data), "--quiet", "-b", "20", "-f"],
        "train --cache": [
            *lomtree, "train", str(data), "--quiet", "-b", "20", "-f", os.devnull, "--cache",
        ],
        "predict -p": [*lomtree, "predict", "--quiet", "-i", str(model), str(data), "-p"],
        "inspect --weights": [*lomtree, "inspect", str(model), "--quiet", "--weights"],
        "convert": [*lomtree, "convert", str(data), "--quiet", "--to", "fasttext"],
    }  # fmt: skip


def kill_others(kills: int, lines: int, seed: int, folder: Path) -> Counter:
    """So many kills of the other commands in turn; what they left."""
    rng, data, model = random.Random(seed), folder / "other.vw", folder / "whole.lom"
    data.write_bytes(b"".join(Drift(500, 0.5).blocks(lines)))
    fates: Counter = Counter()
    expected, took = {}, {}
    for name, words in others(data, model).items():
        for _ in range(2):  # the first one compiles
            (folder / "expected").unlink(missing_ok=True)
            begun = time.perf_counter()
            subprocess.run([*words, str(folder / "expected")], check=True)
            took[name] = time.perf_counter() - begun
        expected[name] = (folder / "expected").read_bytes()
        (folder / "expected").unlink()
    for number in range(kills):
        name, words = list(others(data, model).items())[number % len(expected)]
        own = folder / f"killed-{number}"
        own.mkdir()
        target = own / "file"
        if name not in ("train --cache", "convert"):  # which replace no other file
            target.write_bytes(b"the old file")
        process = subprocess.Popen([*words, str(target)], stderr=subprocess.DEVNULL)
        time.sleep(LATEST * took[name] * rng.random())
        process.kill()
        process.wait()
        left = {path.name: path.read_bytes() for path in own.iterdir()}
        after = left.pop("file", b"the old file")
        if after not in (b"the old file", expected[name]):
            raise SystemExit(f"{name}: the file is neither the old nor the new one")
        if any(content != expected[name] for content in left.values()):
            raise SystemExit(f"{name}: left {list(left)}")
        fates["other kills"] += 1
        fates["other new"] += after == expected[name]
        fates["other copies"] += len(left)
    return fates


def check_last(model: Path, folder: Path) -> None:
    if model.read_bytes() != (folder / "whole.lom").read_bytes():
        raise SystemExit("the model is not that of a run in one go")


def report(entry: Counts, total: Counter) -> str:
    rows = [
        ["kill -9", f"{total['kills']:,}"],
        ["before the first checkpoint", f"{total['none']:,}"],
        ["left the checkpoint of before", f"{total['old']:,}"],
        ["left a newer one", f"{total['new']:,}"],
        ["left a second copy of it", f"{total['copy']:,}"],
        [f"kill -9 of {', '.join(others(Path(), Path()))}", f"{total['other kills']:,}"],
        [
            "left the file of before",
            f"{total['other kills'] - total['other new']:,}",
        ],
        ["left the new one", f"{total['other new']:,}"],
        ["left a second copy of it", f"{total['other copies']:,}"],
        ["files that were not whole", "0"],
        ["the last model is that of a run in one go", "yes, byte for byte"],
    ]
    return (
        f"`lomtree train data.vw --passes 2 --save-every {entry.examples // entry.checkpoints} "
        f"--resume` over {entry.examples:,} examples ({entry.checkpoints} checkpoints, "
        f"{entry.seconds:.1f} s in one go), killed after random times and started again:\n\n"
    ) + table(["", ""], rows)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--lines", type=int, default=200_000, help="of the data")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--journal", type=Path, help="of runs with other seeds, which add up")
    add_write(parser)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        entry = kill_often(given.kills, given.lines, given.seed, Path(folder))
        counts = kill_others(given.kills, given.lines, given.seed, Path(folder))
    fates = {name: getattr(entry, name) for name in ("kills", "none", "old", "new", "copy")}
    text = report(entry, add_up(given.journal, "kills", given.seed, counts + Counter(fates)))
    print(text)
    if given.write:
        write_section(given.write, "kills", text)


if __name__ == "__main__":
    run_script(main)
