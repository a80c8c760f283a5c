"""Try the paper's settings on fetched sets, on all cores, and note the errors of each pass.

    python -m scripts.reproduce.sweep [SET ...] [--grid quick|full] [--data build/reproduce/data]
                            [--results build/reproduce/runs.jsonl]

With SCHEDULER=ADDRESS the trainings run on a Dask cluster, whose workers see the same folders.
Each training is a line of the results as soon as it has ended; what is there is not run again, so a
sweep that was killed goes on with the same command. A setting is stopped when 3 passes in a row
have brought no new best validation error. Every line has the command that does the same by hand.
"""

import argparse
import os
import sys
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any

from tqdm import tqdm

from scripts.command import parser_of, run_script
from scripts.reproduce.catalog import CATALOG, Dataset, fetched, read_catalog
from scripts.reproduce.grid import GRIDS, Setting, settings
from scripts.reproduce.journal import Journal
from scripts.reproduce.trial import run_trial
from scripts.reproduce.workers import open_pool


def wanted(
    datasets: list[Dataset], folder: Path, grid: str, seed: int, journal: Journal
) -> list[tuple[Setting, Dataset]]:
    """The settings that have no result yet; those that take longest first, set by set."""
    done = {row["key"] for row in journal.rows()}
    largest_first = sorted(datasets, key=lambda one: -one.counts(folder).examples)
    jobs = []
    for dataset in largest_first:
        _features, examples, classes = dataset.counts(folder)
        data = dataset.fingerprint(folder)
        tried = settings(dataset.label, GRIDS[grid], classes, examples, seed, data)
        jobs += [(setting, dataset) for setting in tried if setting.key not in done]
    return jobs


def sweep(jobs: list[tuple[Setting, Dataset]], folder: Path, journal: Journal, cores: int) -> None:
    """Every job's row goes to the journal. The bar counts examples: sets differ in size."""
    sizes = {dataset.label: dataset.counts(folder).examples for _, dataset in jobs}
    total = sum(sizes[dataset.label] for _, dataset in jobs)
    with (
        open_pool(cores) as pool,
        tqdm(total=total, unit="example", unit_scale=True, desc="sweep") as bar,
    ):
        running = {pool.submit(run_trial, one, dataset, folder): dataset for one, dataset in jobs}
        try:
            for future in as_completed(running):
                row: dict[str, Any] = future.result()
                journal.add(row)
                bar.set_postfix_str(f"{row['setting']['set']} {row['setting']['algorithm']}")
                bar.update(sizes[running[future].label])
        except Exception:
            for future in running:  # the rest would fail as well
                future.cancel()
            pool.shutdown(wait=False)
            raise
        except KeyboardInterrupt:
            bar.close()
            print("interrupted; the same command goes on from here", file=sys.stderr, flush=True)
            os._exit(130)  # the workers follow; waiting for them might take minutes


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("sets", nargs="*", metavar="SET", help="[default: all that are fetched]")
    parser.add_argument("--grid", choices=GRIDS, default="quick")
    parser.add_argument("--data", type=Path, default=Path("build/reproduce/data"))
    parser.add_argument("--results", type=Path, default=Path("build/reproduce/runs.jsonl"))
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--catalog", type=Path, default=CATALOG, help=argparse.SUPPRESS)
    given = parser.parse_args()
    datasets = fetched(read_catalog(given.catalog), given.sets, given.data)
    journal = Journal(given.results)
    jobs = wanted(datasets, given.data, given.grid, given.seed, journal)
    if jobs:
        sweep(jobs, given.data, journal, given.cores)
    print(f"{len(jobs)} run, {len(journal.rows())} in {given.results}", file=sys.stderr)


if __name__ == "__main__":
    run_script(main)
