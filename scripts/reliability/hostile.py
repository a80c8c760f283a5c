"""The test suite where things are less comfortable than usual.

    python -m scripts.reliability.hostile [--only user|bounds|memory] [TESTS ...]

    user    not as root, so that what may not be read or written is not
    bounds  with kernels that check the bounds of arrays
    memory  with a limit on address space

Each is a run of pytest over TESTS, by default all; ends with status 1 if any of them fails.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scripts.command import parser_of, run_script

ROOT = Path(__file__).parents[2]
# In a name space where root is an ordinary user, who owns what root owns and has no privileges.
UNPRIVILEGED = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
ADDRESS_SPACE = 8 << 30  # bytes: what the tests need, and not what a mistake would take


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def run_tests(folder: Path, tests: list[str], before: Sequence[str] = (), **settings: Any) -> bool:
    """Whether all went well; `before` are words before the command."""
    environment = {
        **os.environ, **settings.pop("env", {}), "HYPOTHESIS_STORAGE_DIRECTORY": str(folder),
        "TMPDIR": str(folder),
    }  # fmt: skip
    pytest = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    pytest += ["-o", "faulthandler_timeout=0"]  # a test may have to compile everything
    command = [*before, *pytest, *tests]
    return subprocess.run(command, cwd=ROOT, env=environment, **settings).returncode == 0


def as_user(folder: Path, tests: list[str]) -> bool:
    own = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    return run_tests(folder, tests, [] if os.geteuid() else UNPRIVILEGED, env=own)


def with_bounds(folder: Path, tests: list[str]) -> bool:
    return run_tests(folder, tests, env={"NUMBA_BOUNDSCHECK": "1"})


def with_little_memory(folder: Path, tests: list[str]) -> bool:
    return run_tests(folder, tests, preexec_fn=limit_memory)


WAYS: dict[str, Callable[[Path, list[str]], bool]] = {
    "user": as_user,
    "bounds": with_bounds,
    "memory": with_little_memory,
}


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--only", choices=list(WAYS))
    parser.add_argument("tests", nargs="*", default=["tests"])
    arguments = parser.parse_args()
    failed = []
    for name in [arguments.only] if arguments.only else WAYS:
        with tempfile.TemporaryDirectory() as work:
            print(f"{name}:", flush=True)
            if not WAYS[name](Path(work), arguments.tests):
                failed.append(name)
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    run_script(main)
