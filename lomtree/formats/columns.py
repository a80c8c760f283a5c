"""What each column of a table is for: a label, a number, a word, words, or nothing."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lomtree.core.errors import DataError
from lomtree.core.printable import printable
from lomtree.core.reading import LONGEST_NAME, MOST_COLUMNS, Reading
from lomtree.formats.translation import plain_name

# Roles. A feature is a number where its field is one, and else a word.
FEATURE, CATEGORICAL, TEXT, LABEL, TAG, IMPORTANCE, DROPPED = range(7)
_SHOWN = 10  # columns in a message


class Columns(NamedTuple):
    roles: np.ndarray  # int8[n]
    names: np.ndarray  # uint8[]; one behind the other, fit for VW text
    ends: np.ndarray  # int64[n + 1]; column i has the name names[ends[i]:ends[i + 1]]


def number_names(count: int) -> list[str]:
    """The names of columns without a header."""
    return [str(number + 1) for number in range(count)]


def assign_columns(
    names: list[str], reading: Reading, source: str, labels_required: bool
) -> tuple[Columns, Reading]:
    """The columns of a table, and how it is read now that they are known; DataError if they are not
    those that are wanted. An unnamed column has its number as its name."""
    names = [name or str(number + 1) for number, name in enumerate(names)]
    _check_names(names, reading, source, labels_required)
    features = set(reading.columns) or set(names) - set(reading.drop)
    features -= {reading.label, reading.tag, reading.importance}
    text, categorical = set(reading.text), set(reading.categorical)
    roles = []
    for name in names:
        role = FEATURE if name in features else DROPPED
        for one, purpose in (("label", LABEL), ("tag", TAG), ("importance", IMPORTANCE)):
            role = purpose if name == getattr(reading, one) else role
        if role == FEATURE:
            role = TEXT if name in text else role
            role = CATEGORICAL if name in categorical else role
        roles.append(role)
    if not features:
        raise DataError(f"{source}: there is no column beside that of the labels")
    plain = [plain_name(_encoded(name)) for name in names]
    columns = Columns(
        np.array(roles, np.int8),
        np.frombuffer(b"".join(plain), np.uint8),
        np.cumsum([0, *map(len, plain)], dtype=np.int64),
    )
    kept = tuple(name for name in names if name in features)
    return columns, reading if reading.columns else replace(reading, columns=kept)


def _encoded(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def check_count(count: int, source: str) -> None:
    """DataError if a table has too many columns."""
    if count > MOST_COLUMNS:
        raise DataError(f"{source}: has more than {MOST_COLUMNS:,} columns")


def _check_names(names: list[str], reading: Reading, source: str, labels_required: bool) -> None:
    check_count(len(names), source)
    known: set[str] = set()
    for name in names:
        if len(_encoded(name)) > LONGEST_NAME:
            raise DataError(f"{source}: a column has a name of more than {LONGEST_NAME} bytes")
        if name in known:
            raise DataError(f"{source}: two columns are named '{printable(name, 40)}'")
        known.add(name)
    wanted = [(name, "") for name in reading.columns]
    if not reading.columns:  # the first table: typing errors are told
        several = (*reading.text, *reading.categorical, *reading.drop)
        wanted = [(name, "") for name in several]
        wanted += [(reading.tag, " of the tags")]
    if labels_required:
        if not reading.label:
            raise DataError(
                f"{source}: --label COLUMN tells which column has the labels; {_there_are(names)}"
            )
        wanted += [(reading.importance, " of the importances"), (reading.label, " of the labels")]
    for name, purpose in reversed(wanted):
        if name and name not in known:
            raise DataError(
                f"{source}: the column '{printable(name, 40)}'{purpose} is missing; "
                f"{_there_are(names)}"
            )


def _there_are(names: list[str]) -> str:
    shown = ", ".join(printable(name, 40) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    hint = ""
    if len(names) == 1 and any(sign in names[0] for sign in ";\t|"):
        hint = " (--delimiter C tells what stands between the fields)"
    return f"the columns are {shown}{more}{hint}" if names else "there are no columns"
