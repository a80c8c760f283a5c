"""This program and Vowpal Wabbit's --log_multi side by side: whole commands, taken in turn.

    python scripts/bench_vw.py [SET ...]        (make bench: all sets that are there)

Reads the sets of the folder named by LOMTREE_DATA. Prints, for each set, seconds (best of --rounds)
and peak memory of training one pass and of predicting, test errors, and the ratios. VW gets the
same text with labels numbered from 1 (it takes no others) and libsvm lines in its own format.
"""

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETS = {"isolet": "svm", "aloi-438": "svm", "clinc150": "vw", "bible-verses": "vw"}


def run(command: list[str]) -> tuple[float, float]:
    """Seconds and peak MB of one command."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _pid, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return time.perf_counter() - begun, usage.ru_maxrss / 1024


def best(runs: list[tuple[float, float]]) -> tuple[float, float]:
    return min(seconds for seconds, _ in runs), min(memory for _, memory in runs)


def prepare(folder: Path, name: str, work: Path) -> tuple[dict[str, Path], dict[str, Path], int]:
    """Plain text for this program, the same with numbered labels for VW, and the classes."""
    numbers: dict[str, int] = {}
    ours, theirs = {}, {}
    for part in ("train", "test"):
        ours[part], theirs[part] = work / f"{part}.txt", work / f"{part}.vw"
        packed = folder / name / f"{part}.{SETS[name]}.gz"
        bar = "" if SETS[name] == "vw" else "| "
        with (
            gzip.open(packed, "rt") as source,
            open(ours[part], "w") as plain,
            open(theirs[part], "w") as numbered,
        ):
            for line in source:
                plain.write(line)
                label, rest = line.split(" ", 1)
                number = numbers.setdefault(label, len(numbers) + 1)
                numbered.write(f"{number} {bar}{rest}")
    return ours, theirs, len(numbers)


def error(answers: Path, truth: Path) -> float:
    with open(answers) as given, open(truth) as wanted:
        pairs = [(a.split()[0], b.split(" ", 1)[0]) for a, b in zip(given, wanted, strict=True)]
    return 100 * sum(a != b for a, b in pairs) / len(pairs)


def compare(name: str, folder: Path, rounds: int, bits: int) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        ours, theirs, classes = prepare(folder, name, work)
        answers = {"lomtree": work / "a.txt", "vw": work / "b.txt"}
        models = {"lomtree": work / "a.model", "vw": work / "b.model"}
        python = sys.executable
        vw = [python, "-m", "vowpalwabbit", "--quiet"]
        lom = [python, "-m", "lomtree"]
        commands = {
            ("train", "lomtree"): [
                *lom, "train", "--quiet", f"-b{bits}", f"-f{models['lomtree']}", str(ours["train"]),
            ],
            ("train", "vw"): [
                *vw, "--log_multi", str(classes), "-b", str(bits), "-d", str(theirs["train"]),
                "-f", str(models["vw"]),
            ],
            ("predict", "lomtree"): [
                *lom, "predict", f"-i{models['lomtree']}", f"-p{answers['lomtree']}",
                str(ours["test"]),
            ],
            ("predict", "vw"): [
                *vw, "-t", "-i", str(models["vw"]), "-d", str(theirs["test"]),
                "-p", str(answers["vw"]),
            ],
        }  # fmt: skip
        taken: dict[tuple[str, str], list[tuple[float, float]]] = {key: [] for key in commands}
        for _ in range(rounds):
            for key, command in commands.items():
                taken[key].append(run(command))
        report(name, bits, {key: best(runs) for key, runs in taken.items()})
        print(
            f"  error    lomtree {error(answers['lomtree'], ours['test']):6.2f} %            "
            f"vw {error(answers['vw'], theirs['test']):6.2f} %"
        )
        sizes = {who: models[who].stat().st_size / 2**20 for who in models}
        print(f"  model    lomtree {sizes['lomtree']:6.1f} MB           vw {sizes['vw']:6.1f} MB\n")


def report(name: str, bits: int, taken: dict[tuple[str, str], tuple[float, float]]) -> None:
    print(f"{name}, -b {bits}")
    for stage in ("train", "predict"):
        seconds, memory = taken[stage, "lomtree"]
        vw_seconds, vw_memory = taken[stage, "vw"]
        print(
            f"  {stage:8} lomtree {seconds:6.2f} s {memory:6.0f} MB   "
            f"vw {vw_seconds:6.2f} s {vw_memory:6.0f} MB   "
            f"{vw_seconds / seconds:5.2f} times as fast, {memory / vw_memory:5.2f} of the memory"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="*", metavar="SET", default=list(SETS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bits", type=int, nargs="*", default=[26, 28])
    arguments = parser.parse_args()
    folder = Path(os.environ.get("LOMTREE_DATA", "data"))
    for name in arguments.sets:
        if not (folder / name).is_dir():
            print(f"{name}: data not available in {folder}")
            continue
        for bits in arguments.bits:
            compare(name, folder, arguments.rounds, bits)


if __name__ == "__main__":
    main()
