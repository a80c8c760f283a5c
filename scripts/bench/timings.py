"""What `lomtree ... --timings` says, for scripts."""

import re
from typing import NamedTuple

ROW = re.compile(r"(\S.*?) +(\d+\.\d{3}) *(.*)")


class Stage(NamedTuple):
    seconds: float
    rates: str


def stages_in(said: str) -> dict[str, Stage]:
    """The rows among other lines, by the name of the stage."""
    rows = [ROW.fullmatch(line) for line in said.splitlines()]
    return {row[1]: Stage(float(row[2]), row[3]) for row in rows if row}
