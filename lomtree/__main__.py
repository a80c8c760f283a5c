"""The program: runs a command and turns what goes wrong into one line and an exit status."""

import contextlib
import os
import sys

import click

from lomtree.cli import cli
from lomtree.errors import LomtreeError, OptionError

INTERRUPTED = 130
CLOSED_PIPE = 141


def _fail(message: str, status: int) -> int:
    with contextlib.suppress(OSError, AttributeError):  # closed, or never there (`2>&-`)
        sys.stderr.write(f"lomtree: {message}\n")
    return status


def _run() -> int:
    try:
        return cli.main(prog_name="lomtree", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted", INTERRUPTED)
    except OptionError as error:
        return _fail(str(error), 2)
    except LomtreeError as error:
        return _fail(str(error), 1)
    except MemoryError:
        return _fail("not enough memory", 1)
    except BrokenPipeError:
        return CLOSED_PIPE
    except OSError as error:
        return _fail(f"{error.filename or 'input or output'}: {error.strerror or error}", 1)


def main() -> None:
    status = _run()
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        # Nobody reads any more: let Python's own flush at the end go nowhere, quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = status or CLOSED_PIPE
    sys.exit(status)


def program() -> None:
    """main(), and then the end, at once: taking hundreds of megabytes apart first helps nobody."""
    try:
        main()
    except SystemExit as end:
        with contextlib.suppress(OSError, AttributeError):
            sys.stderr.flush()
        os._exit(int(end.code or 0))


if __name__ == "__main__":
    program()
