"""What a bound on the statistics costs: test errors of bible-verses with fewer and fewer rows.

    python -m scripts.reliability.bounds [--passes 5] [--write docs/reliability.md]

Reads the set from the folder named by LOMTREE_DATA. The first run has no bound and tells how many
rows there would be. Without the set nothing is measured, and nothing is written.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose
from scripts.command import add_write, parser_of, run_script
from scripts.report import table, write_section

PARTS = (1, 2, 4, 8)


def run(*arguments: object) -> bytes:
    command = [sys.executable, "-m", "lomtree", *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def train(source: Path, model: Path, passes: int, *bound: object) -> tuple[int, float]:
    """The rows of statistics in the end, and the test error."""
    run("train", source / "train.vw.gz", "--passes", passes, "--quiet", *bound, "-f", model)
    found = run("test", "-i", model, source / "test.vw.gz", "--quiet", "--json")
    rows = read_model(str(model), Purpose.LEARN).learner.state.tree.counts["living"][0]
    return int(rows), json.loads(found)["error"]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--passes", type=int, default=5)
    add_write(parser)
    given = parser.parse_args()
    source = Path(os.environ.get("LOMTREE_DATA", "data")) / "bible-verses"
    if not source.is_dir():
        print(f"bible-verses: data not available in {source.parent}", file=sys.stderr)
        return
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
    run_script(main)
