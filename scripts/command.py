"""What the command lines of all scripts have in common."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path


class MistakeError(Exception):
    """Of the user's, in a sentence."""


UNREAD = 141  # what a shell reports of a program whose output nobody reads any more


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """A parser whose --help shows the script's docstring as it is written."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawTextHelpFormatter
    )


def add_write(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="put it into this file too, in a marked section"
    )


def run_script(main: Callable[[], None]) -> None:
    """Call a script's main. It ends without a word if nobody reads its output: `| head` is no
    mistake. What is wrong with a file of the user's is a sentence."""
    try:
        try:
            main()
        except MistakeError as mistake:
            print(mistake, file=sys.stderr)
            sys.exit(2)
        finally:
            sys.stdout.flush()  # here, where it can be caught, and not when Python ends
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the rest of it
        sys.exit(UNREAD)
