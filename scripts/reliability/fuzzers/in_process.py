"""Commands in this process: as many as one likes, and none takes the time to start Python."""

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout

from lomtree import __main__ as program

# What no input may lead to. The last one protects the file that is there, but a training that
# leaves a model which cannot be read is lost all the same.
MISTAKES = ("a mistake in the program", "could not be read again")


def run(*arguments: object) -> tuple[int, str]:
    """The status of a command, and what it said on stderr; RuntimeError if that is no sentence."""
    sys.argv = ["lomtree", *map(str, arguments)]
    said, status = io.StringIO(), 0
    with open(os.devnull, "w") as out, redirect_stdout(out), redirect_stderr(said):
        try:
            program.main()
        except SystemExit as end:
            status = int(end.code or 0)
    lines = said.getvalue().splitlines()
    sentence = lines[-1] if lines else ""
    if (
        status not in (0, 1, 2)
        or (status and "lomtree: " not in sentence and "Error: " not in sentence)
        or any(mistake in sentence for mistake in MISTAKES)  # bounds checks among them
    ):
        raise RuntimeError(f"{arguments[0]} ended with {status}: {lines[-1:]}")
    return status, said.getvalue()
