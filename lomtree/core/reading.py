"""How a source becomes examples, beyond its format's name: what the columns of a table are for.

A model keeps it, so that the data it is asked about later is read as its training data was.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from lomtree.core.errors import OptionError

LONGEST_NAME = 1000  # bytes of a column's name
MOST_COLUMNS = 1_000_000

# The columns that are no features, and those that are, in a way of their own.
_SINGLE = ("label", "importance", "tag")
_SEVERAL = ("text", "categorical", "drop")
TABLE_OPTIONS = (*_SINGLE, *_SEVERAL, "header", "quotes", "delimiter")


@dataclass(frozen=True)
class Reading:
    """Columns are known by their names or, in a table without a header, by their numbers from 1."""

    label: str = ""  # empty: none is named
    importance: str = ""
    tag: str = ""
    text: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    header: bool = True
    quotes: bool = True
    delimiter: str = ""  # empty: the format's own
    first_label: bool = False  # of several labels of fastText's text
    columns: tuple[str, ...] = ()  # those that are features, once a table was read

    def __post_init__(self) -> None:
        """OptionError with the reason, in words, if that makes no sense."""
        named = [getattr(self, name) for name in _SINGLE if getattr(self, name)]
        named += [column for name in _SEVERAL for column in getattr(self, name)]
        known: set[str] = set()
        for column in named:
            if column in known:
                raise OptionError(f"the column '{column}' is named for two purposes")
            known.add(column)
            if not self.header and not _is_number(column):
                raise OptionError(
                    f"columns without a header have numbers from 1, but '{column}' is none"
                )
        delimiter = self.delimiter
        if delimiter and (len(delimiter.encode()) != 1 or delimiter in '"\r\n\0'):
            raise OptionError(f"--delimiter must be one ASCII character, not {delimiter!r}")

    @property
    def is_of_table(self) -> bool:
        """Whether anything here has a meaning for tables alone."""
        return any(getattr(self, name) != getattr(PLAIN, name) for name in TABLE_OPTIONS)

    def changed(self, given: Mapping[str, Any]) -> "Reading":
        """The same with what is given, by the names of the fields. What is empty is not given, nor
        is a header, or that quotes mean something."""
        known = {field.name for field in fields(self)} - {"header", "quotes"}
        chosen = {name: value for name, value in given.items() if name in known and value}
        chosen |= {name: False for name in ("header", "quotes") if given.get(name) is False}
        return replace(self, **chosen)

    def to_json(self) -> dict[str, Any]:
        """What differs from the defaults."""
        plain = asdict(PLAIN)
        return {name: value for name, value in asdict(self).items() if value != plain[name]}

    @classmethod
    def from_json(cls, values: object) -> "Reading":
        """What to_json gave; ValueError if it cannot have."""
        if type(values) is not dict:
            raise ValueError("not an object")
        plain, found = asdict(cls()), {}
        for name, value in values.items():
            kind = type(plain[name]) if name in plain else None
            if kind is tuple and type(value) is list and len(value) <= MOST_COLUMNS:
                value = tuple(value)
                if any(type(one) is not str for one in value):
                    raise ValueError(f"{name} is not a list of names")
            if type(value) is not kind:
                raise ValueError(f"{name} has the wrong type")
            found[name] = value
        try:
            return cls(**found)
        except OptionError as error:
            raise ValueError(str(error)) from None


PLAIN = Reading()  # nothing is said


def _is_number(column: str) -> bool:
    return column.isascii() and column.isdigit() and 1 <= int(column[:9]) <= MOST_COLUMNS
