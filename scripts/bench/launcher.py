"""Run a command; its seconds, the most memory it held, in kilobytes, and its seconds of processor
time go to a file.

    python scripts/bench/launcher.py FILE COMMAND ...

Linux charges a process with the memory of whoever started it. So this one is kept small, whatever
the process that measures has in memory: it imports next to nothing, not even a parser of options.
"""

import os
import sys
import time


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    path, *command = sys.argv[1:]
    begun = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - begun
    with open(path, "w") as file:
        file.write(f"{seconds} {usage.ru_maxrss} {usage.ru_utime + usage.ru_stime}")
    sys.exit(os.waitstatus_to_exitcode(status) and 1)


if __name__ == "__main__":
    main()
