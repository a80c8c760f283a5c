"""The program: runs a command and turns what goes wrong into one line and an exit status.

Next to nothing is imported before there is someone to catch a Ctrl-C.
"""

import contextlib
import errno
import os
import signal
import sys

from lomtree.core.errors import LomtreeError, OptionError, Stopped
from lomtree.system.threads import ENDING

CLOSED_PIPE = 141

# Nothing here multiplies matrices: threads that numpy starts to wait for some would only take the
# second core while the program starts.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _fail(message: str, status: int) -> int:
    with contextlib.suppress(OSError, AttributeError):  # closed, or never there (`2>&-`)
        sys.stderr.write(f"lomtree: {message}\n")
    return status


def _run() -> int:
    settings: dict[str, bool] = {}
    try:
        from lomtree.cli.main import cli

        return cli.main(prog_name="lomtree", standalone_mode=False, obj=settings) or 0
    except BaseException as error:
        if settings.get("debug"):
            error.__suppress_context__ = False  # also what was behind the sentence
            import traceback

            with contextlib.suppress(OSError, AttributeError):
                traceback.print_exception(error)
        return _status_of(error)


def _status_of(error: BaseException) -> int:
    """Say in a sentence what went wrong."""
    stopped = _stop_behind(error)
    if stopped is not None:
        return _fail(stopped.word + stopped.advice, stopped.status)
    import click

    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, OptionError):
        return _fail(str(error), 2)
    if isinstance(error, LomtreeError):
        return _fail(str(error), 1)
    if _is_shortage(error):
        return _fail("not enough memory", 1)
    if isinstance(error, BrokenPipeError):
        return CLOSED_PIPE
    if isinstance(error, OSError):
        return _fail(f"{error.filename or 'input or output'}: {error.strerror or error}", 1)
    if not isinstance(error, Exception):
        raise error
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return _fail(f"a mistake in the program, {reason[:200]} (lomtree --debug shows where)", 1)


def _stop_behind(error: BaseException | None) -> Stopped | None:
    """What stopped the run. Libraries may stumble while they are being left: that is no news."""
    while error is not None and not isinstance(error, Stopped):
        error = error.__cause__ or error.__context__
    return error


def _is_shortage(error: BaseException | None) -> bool:
    """Whether it was memory that was missing: for an array, a thread, a file or a library. What
    loads a library may say something else about what the system has said."""
    if error is None:
        return False
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    signs = ("can't start new thread", "failed to map segment", "annot allocate memory")
    said = isinstance(error, RuntimeError | ImportError | OSError)
    if said and any(sign in str(error) for sign in signs):
        return True
    return _is_shortage(error.__cause__ or error.__context__)


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


def _stop(number: int, _frame: object) -> None:
    """Once is enough, whichever comes next: what is under way is cleaned up now."""
    for other in ENDING:
        signal.signal(other, _stay)
    raise Stopped(number)


def _stay(_number: int, _frame: object) -> None:
    """Leave a signal aside. (Where it is on its way already when it begins to be ignored, Python
    complains.)"""


def program() -> None:
    """main(), and then the end, at once: taking hundreds of megabytes apart first helps nobody."""
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # labels and paths are bytes, whatever the locale can write
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore
    try:
        main()
    except SystemExit as end:
        with contextlib.suppress(OSError, AttributeError):
            sys.stderr.flush()
        os._exit(int(end.code or 0))


if __name__ == "__main__":
    program()
