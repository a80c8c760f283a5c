"""Try the paper's settings on fetched sets, on all cores, and note the errors of each pass.

    python -m scripts.reproduce.sweep [SET ...] [--grid quick|full] [--data build/reproduce/data]
                            [--results build/reproduce/runs.jsonl]

With SCHEDULER=ADDRESS the trainings run on a Dask cluster, whose workers see the same folders.
Each training is a line of the results as soon as it has ended; what is there is not run again, so a
sweep that was killed goes on with the same command. A setting is stopped when 3 passes in a row
have brought no new best validation error. Settings that differ in R_S alone are one training as
long as no node is recycled. Every line has the command that does the same by hand.
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
from scripts.reproduce.trial import run_trials
from scripts.reproduce.workers import open_pool

Job = tuple[list[Setting], Dataset]  # settings that differ in R_S alone


def wanted(
    datasets: list[Dataset], folder: Path, grid: str, seed: int, journal: Journal
) -> list[Job]:
    """The settings that have no result yet; those that take longest first, set by set."""
    done = {row["key"] for row in journal.rows()}
    largest_first = sorted(datasets, key=lambda one: -one.counts(folder).examples)
    jobs: list[Job] = []
    for dataset in largest_first:
        _features, examples, classes = dataset.counts(folder)
        data = dataset.fingerprint(folder)
        alike: dict[Setting, list[Setting]] = {}
        for setting in settings(dataset.label, GRIDS[grid], classes, examples, seed, data):
            if setting.key not in done:
                alike.setdefault(setting._replace(resistance=0), []).append(setting)
        jobs += [(sorted(some), dataset) for some in alike.values()]
    return jobs


def sweep(jobs: list[Job], folder: Path, journal: Journal, cores: int) -> None:
    """Every job's rows go to the journal. The bar counts examples: sets differ in size."""
    sizes = {dataset.label: dataset.counts(folder).examples for _, dataset in jobs}
    total = sum(len(some) * sizes[dataset.label] for some, dataset in jobs)
    with (
        open_pool(cores) as pool,
        tqdm(total=total, unit="example", unit_scale=True, desc="sweep") as bar,
    ):
        running = {
            pool.submit(run_trials, some, dataset, folder): dataset for some, dataset in jobs
        }
        try:
            for future in as_completed(running):
                rows: list[dict[str, Any]] = future.result()
                for row in rows:
                    journal.add(row)
                chosen = rows[0]["setting"]
                bar.set_postfix_str(f"{chosen['set']} {chosen['algorithm']}")
                bar.update(len(rows) * sizes[running[future].label])
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
    print(
        f"{sum(len(some) for some, _ in jobs)} run, {len(journal.rows())} in {given.results}",
        file=sys.stderr,
    )


if __name__ == "__main__":
    run_script(main)
