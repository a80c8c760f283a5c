"""The test suite where things are less comfortable than usual.

    python -m scripts.reliability.hostile [--only user|bounds|memory|all] [TESTS ...]
    python -m scripts.reliability.hostile --journal build/hostile.jsonl [--write FILE]

    user    not as root, so that what may not be read or written is not
    bounds  with kernels that check the bounds of arrays
    memory  with a limit on address space
    all     all of this in one run, which takes a third of the time

Each is a run of pytest over the files of TESTS, by default all; ends with status 1 if any of them
fails. With a journal a run that was ended goes on with the files that it had not come to, and those
that failed. A file whose tests end the run is noted as failed, and the others follow.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from scripts.command import add_write, parser_of, run_script
from scripts.reliability.noted_tests import FIGURES, entries_of, note, noted
from scripts.report import table, write_section

ROOT = Path(__file__).parents[2]
# In a name space where root is an ordinary user, who owns what root owns and has no privileges.
UNPRIVILEGED = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
ADDRESS_SPACE = 40 << 30  # bytes: two tests reserve 2^31 weights; a mistake would take more
PYTEST = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
PYTEST += ["-o", "faulthandler_timeout=0"]  # a test may have to compile everything
PYTEST += ["-p", "scripts.reliability.noted_tests", "--continue-on-collection-errors"]
ENDED = (0, 1)  # statuses of pytest when it came to the end of what it was given


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


class Way(NamedTuple):
    what: str
    before: Callable[[], list[str]] = list  # words before the command
    environment: Callable[[Path], dict[str, str]] = lambda _folder: {}
    settings: dict[str, Any] = {}  # noqa: RUF012  # never changed


WAYS = {
    "user": Way(
        "as an ordinary user",
        lambda: [] if os.geteuid() else UNPRIVILEGED,
        lambda folder: {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
    ),
    "bounds": Way("with bounds checks", environment=lambda _folder: {"NUMBA_BOUNDSCHECK": "1"}),
    "memory": Way(
        f"with {ADDRESS_SPACE >> 30} GB of address space", settings={"preexec_fn": limit_memory}
    ),
}


ALL = "all"


def way_of(name: str) -> Way:
    """One of them, or all at once."""
    if name != ALL:
        return WAYS[name]
    ways = WAYS.values()
    return Way(
        ", ".join(way.what for way in ways),
        lambda: [word for way in ways for word in way.before()],
        lambda folder: {key: one for way in ways for key, one in way.environment(folder).items()},
        {key: one for way in ways for key, one in way.settings.items()},
    )


def run_tests(name: str, files: list[str], folder: Path, journal: Path) -> int:
    """The status of pytest, which notes what it has done."""
    way = way_of(name)
    environment = {
        **os.environ, **way.environment(folder), "HYPOTHESIS_STORAGE_DIRECTORY": str(folder),
        "TMPDIR": str(folder), "NOTED_IN": str(journal.resolve()), "NOTED_AS": name,
    }  # fmt: skip
    command = [*way.before(), *PYTEST, *files]
    return subprocess.run(command, cwd=ROOT, env=environment, **way.settings).returncode


def go_on(name: str, files: list[str], journal: Path) -> None:
    """Run the files that have not gone well so far."""
    known = noted(entries_of(journal))
    left = [file for file in files if not went_well(known.get((name, file)))]
    while left:
        before = len(entries_of(journal))
        with tempfile.TemporaryDirectory() as folder:
            status = run_tests(name, left, Path(folder), journal)
        done = noted(entries_of(journal)[before:])
        left = [file for file in left if (name, file) not in done]
        if status in ENDED:
            return  # what is left has no tests
        if left:
            file = left.pop(0)
            what = [f"{file}: the run ended with status {status}"]
            note(journal, name, file, Counter(failed=1), what)


def went_well(entry: dict[str, Any] | None) -> bool:
    return entry is not None and not entry["figures"].get("failed")


def files_of(tests: list[str]) -> list[str]:
    """The files of tests in these files and folders, as pytest names them."""
    found = []
    for one in tests:
        path = (ROOT / one).resolve()
        found += sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
    return [str(path.relative_to(ROOT)) for path in found]


def report(names: list[str], journal: Path) -> tuple[str, list[str]]:
    """A table of all that is in the journal, and what failed."""
    entries, rows, failed = noted(entries_of(journal)), [], []
    for name in names:
        own = [entry for (way, _file), entry in sorted(entries.items()) if way == name]
        total = sum((Counter(entry["figures"]) for entry in own), Counter())
        rows.append([way_of(name).what, f"{len(own):,}", *(f"{total[one]:,}" for one in FIGURES)])
        failed += [f"{name}: {which}" for entry in own for which in entry["which"]]
    return table(["the suite", "files", *FIGURES], rows), failed


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--only", choices=[*WAYS, ALL])
    parser.add_argument("--journal", type=Path, help="what was done before, and by this run")
    parser.add_argument("tests", nargs="*", default=["tests"])
    add_write(parser)
    arguments = parser.parse_args()
    names = [arguments.only] if arguments.only else list(WAYS)
    with tempfile.TemporaryDirectory() as work:
        journal = arguments.journal or Path(work) / "journal.jsonl"
        journal.parent.mkdir(parents=True, exist_ok=True)
        for name in names:
            print(f"{name}:", flush=True)
            go_on(name, files_of(arguments.tests), journal)
        text, failed = report(names, journal)
    print(text)
    if arguments.write:
        write_section(arguments.write, "hostile", text)
    if failed:
        raise SystemExit("failed:\n" + "\n".join(failed))


if __name__ == "__main__":
    run_script(main)
