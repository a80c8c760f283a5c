"""The sentence for one of VW's options that was typed to a command which does not have it."""

from lomtree.vw.row import Outcome, Row
from lomtree.vw.table import find_row


def answer_to(name: str, command: str) -> str | None:
    """`name` as it was typed, with dashes or underscores; None if VW has no such option either."""
    row = find_row(name)
    if row is None:
        return None
    typed = next(known for known in row.names if find_row(known) is row and _same(known, name))
    shown = f"VW's {typed} {row.argument}".rstrip()
    if row.outcome is not Outcome.OPTION:
        return f"{shown}: {row.sentence}"
    return f"{shown} is {_place(row, command)}" + (f": {row.sentence}" if row.sentence else "")


def _same(known: str, name: str) -> bool:
    return known.replace("_", "-") == name.replace("_", "-")


def _place(row: Row, command: str) -> str:
    """Where the option is here, and what it is called."""
    own = getattr(row, command, "")
    words = (own or row.train).replace("{}", row.argument)
    return f"{words} here" if own else f"lomtree train's {words}, which the model keeps"
