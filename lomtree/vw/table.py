"""The table: all rows, and how one is found by the name that was typed."""

from lomtree.vw import features, files, learning, strangers
from lomtree.vw.row import Row

TABLE: tuple[Row, ...] = (*files.ROWS, *learning.ROWS, *features.ROWS, *strangers.ROWS)

SECTIONS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    ("Data, models and output", files.ROWS),
    ("Learning", learning.ROWS),
    ("Features", features.ROWS),
    ("What is not here", strangers.ROWS),
)


def _plain(name: str) -> str:
    """The same for a dash and an underscore within a name."""
    return name[:2] + name[2:].replace("-", "_")


_BY_NAME = {_plain(name): row for row in TABLE for name in row.names}


def find_row(name: str) -> Row | None:
    """The row of an option, with dashes or with underscores."""
    return _BY_NAME.get(_plain(name))
