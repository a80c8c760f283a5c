"""A scheduler and workers as an operator starts them: by the `dask` commands, each a process of its
own, which nobody starts again."""

import os
import subprocess
import sys
import time
from pathlib import Path

import lomtree as package

PROJECT = str(Path(package.__file__).parents[1])


class Operator:
    """What was started in a folder; all of it ends with the `with` block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = folder / "scheduler.json"
        self.workers: list[subprocess.Popen] = []

    def __enter__(self) -> "Operator":
        place = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", self.file)
        self.scheduler = self._start(PROJECT, "scheduler", *place)
        while not self.file.exists() and self.scheduler.poll() is None:
            time.sleep(0.05)
        return self

    def __exit__(self, *_error) -> None:
        for one in (*self.workers, self.scheduler):
            one.kill()
            one.wait()

    def start_worker(self, path: str = PROJECT) -> None:
        """Which imports lomtree from this path."""
        local = self._folder / f"worker-{len(self.workers)}"
        place = ("--scheduler-file", self.file, "--host", "127.0.0.1", "--local-directory", local)
        one = self._start(path, "worker", *place, "--nthreads", "1", "--no-nanny")
        self.workers.append(one)

    def _start(self, path: str, *arguments) -> subprocess.Popen:
        command = [Path(sys.executable).with_name("dask"), *arguments, "--no-dashboard"]
        return subprocess.Popen(
            command,
            env={**os.environ, "PYTHONPATH": path},
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
