"""What tests of running programs share: their lines, their messages, their signals."""

import signal

SECONDS = 1200  # for what never comes: others may need the processors, or stop all of this


def read_line(pipe) -> bytes:
    """The next line of a process, without waiting for it for ever."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(SECONDS)
    try:
        return pipe.readline()
    finally:
        signal.alarm(0)


def without(messages: bytes) -> bytes:
    """What was said, but for the line about compiling."""
    lines = messages.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(b"compiling"))


def reset_sigint() -> None:
    """A shell's background jobs ignore Ctrl-C, and so would their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def content(path) -> bytes:
    with open(path, "rb") as file:
        return file.read()
