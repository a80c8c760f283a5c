"""Is a process still at work? By what the system says of its threads, never by the clock.

On a busy machine everything takes longer, and a process may be stopped for a while: then its
threads wait for a processor, or to be continued. One that waits for something which never comes
sleeps, and so does whatever it has started.
"""

import os
import select
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

SLEEPS = 600  # looks, a second from each other, at all of which nothing of it is awake
ASLEEP = "SZX"  # the states of a thread that waits for others, and of one that has ended


def wait_awake(child: int, looks: int = SLEEPS, seconds: float = 1.0) -> bool:
    """Wait for the end of a child, which can then be asked for its status; False if it sleeps."""
    descriptor = os.pidfd_open(child)
    try:
        left = looks
        while left and not select.select([descriptor], [], [], seconds)[0]:
            left = left - 1 if is_asleep(child) else looks
        return bool(left)
    finally:
        os.close(descriptor)


def is_asleep(process: int) -> bool:
    """Whether no thread of it, or of a process that it has started, has or wants a processor."""
    children = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it may have ended
            children[int(_fields(path)[1])].append(int(path.name))
    family = [process]
    for member in family:
        family += children[member]
    return all(state in ASLEEP for member in family for state in _states(member))


def _states(process: int) -> list[str]:
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            found.append(_fields(task)[0])
    return found


def _fields(folder: Path) -> list[str]:
    """What the system says behind the name, which may have spaces: state, parent, ..."""
    return (folder / "stat").read_text().rpartition(")")[2].split()
