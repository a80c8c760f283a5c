"""What the parts of the program are worth, on held-out parts of the training data.

    python -m scripts.reproduce.held_out [SET ...] [--write docs/choices.md]

A part of each training file is held out at random (by a seed), and each variant is trained on the
rest and tested on it, with the default prediction. Test parts are never looked at. Reads the sets
of the folder named by LOMTREE_DATA.
"""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section

PASSES = {"isolet": 20, "aloi-438": 20, "clinc150": 10, "sector-1826": 10, "lshtc1-dry": 10}
SHARE = 0.2  # held out
VARIANTS = {
    "default": ((), ()),
    "beam 8": ((), ("--beam", "8")),
    "beam 4": ((), ("--beam", "4")),
    "no ranker": (("--no-ranker",), ()),
    "no ranker, one walk": (("--no-ranker",), ("--walk",)),
    "scale l2": (("--scale", "l2"), ()),
    "scale none": (("--scale", "none"), ()),
    "3 trees": (("--trees", "3"), ()),
    "oaa": (("--algorithm", "oaa"), ()),
}


def split(source: Path, work: Path, seed: int) -> tuple[Path, Path]:
    """Two files with the lines of a training file: to learn from, and held out."""
    file = next(source.glob("train.*.gz"))
    draw = random.Random(seed)
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    with gzip.open(file) as lines:
        for line in lines:
            parts[draw.random() < SHARE].append(line)
    paths = work / "learned", work / "held_out"
    for path, part in zip(paths, parts, strict=True):
        path.write_bytes(b"".join(part))
    return paths


def run(*arguments: object) -> bytes:
    command = [sys.executable, "-m", "lomtree", *map(str, arguments), "--quiet"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def error_of(name: str, variant: str, learned: Path, held_out: Path, model: Path) -> float:
    training, testing = VARIANTS[variant]
    run("train", learned, "--passes", PASSES[name], *training, "-f", model)
    return json.loads(run("test", "-i", model, held_out, *testing, "--json"))["error"]


def row_of(name: str, folder: Path, seeds: int) -> list[str]:
    """The mean errors of the variants over so many splits."""
    sums = dict.fromkeys(VARIANTS, 0.0)
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as work:
            learned, held_out = split(folder / name, Path(work), seed)
            for variant in VARIANTS:
                sums[variant] += error_of(name, variant, learned, held_out, Path(work) / "model")
    return [name, *(f"{total / seeds:.2%}" for total in sums.values())]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", default=list(PASSES))
    parser.add_argument("--seeds", type=int, default=3, help="splits of each set (3)")
    add_write(parser)
    given = parser.parse_args()
    folder = Path(os.environ.get("LOMTREE_DATA", "data"))
    there = [name for name in given.sets if (folder / name).exists()]
    for name in set(given.sets) - set(there):
        print(f"{name}: data not available in {folder}", file=sys.stderr)
    rows = [row_of(name, folder, given.seeds) for name in there]
    text = table(["set", *VARIANTS], rows)
    print(text)
    if given.write:
        missing = [name for name in PASSES if name not in there]
        write_section(given.write, "held out", text, missing)


if __name__ == "__main__":
    run_script(main)
