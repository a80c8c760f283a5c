"""What a bound on the statistics costs: test errors of bible-verses with fewer and fewer rows.

    python scripts/bounds.py [--passes 5] [--write RELIABILITY.md]

Reads the set from the folder named by LOMTREE_DATA. The first run has no bound and tells how many
rows there would be.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from report import table, write_section

from lomtree.model_file import read_model

PARTS = (1, 2, 4, 8)


def run(*arguments: object) -> bytes:
    command = [sys.executable, "-m", "lomtree", *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def train(source: Path, model: Path, passes: int, *bound: object) -> tuple[int, float]:
    """The rows of statistics in the end, and the test error."""
    run("train", source / "train.vw.gz", "--passes", passes, "--quiet", *bound, "-f", model)
    found = run("test", "-i", model, source / "test.vw.gz", "--quiet", "--json")
    rows = read_model(str(model), learning=True).learner.state.tree.counts["living"][0]
    return int(rows), json.loads(found)["error"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the table into this file")
    given = parser.parse_args()
    source = Path(os.environ.get("LOMTREE_DATA", "data")) / "bible-verses"
    rows, wanted = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            bound = ("--max-statistics", wanted // part) if wanted else ()
            used, error = train(source, Path(folder) / "model", given.passes, *bound)
            wanted = wanted or used
            name = f"{wanted // part:,}, 1/{part} of that" if part > 1 else f"none: {used:,} rows"
            rows.append([name, f"{error:.2%}"])
    text = table(["--max-statistics", f"test error, {given.passes} passes"], rows)
    print(text)
    if given.write:
        write_section(given.write, "bounds", text)


if __name__ == "__main__":
    main()
