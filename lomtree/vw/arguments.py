"""A command line of VW, read as VW reads it: options with their arguments, and words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lomtree.core.errors import OptionError
from lomtree.vw.row import Outcome, Row
from lomtree.vw.table import find_row


class Given(NamedTuple):
    """An option as it was typed, with its argument; '' for a flag."""

    row: Row
    name: str
    value: str

    @property
    def shown(self) -> str:
        return f"VW's {self.name} {self.value}".rstrip()


@dataclass
class Arguments:
    """The options of a line in its order, and the words that belong to none."""

    options: list[Given] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def of_role(self, role: str) -> list[str]:
        """What was given to options that play a role."""
        return [given.value for given in self.options if given.row.role == role]


def read_arguments(line: Sequence[str]) -> Arguments:
    """OptionError with a sentence about what VW or this program does not know."""
    found, rest = Arguments(), list(line)
    while rest:
        word = rest.pop(0)
        if word == "--":
            found.words += rest
            break
        if not word.startswith("-") or word == "-":
            found.words.append(word)
            continue
        row, name, value = _option(word)
        if row.outcome is Outcome.REFUSED:
            raise OptionError(f"VW's {name}: {row.sentence}")
        if value is None:
            value = "" if row.is_flag else _next(rest, name)
        elif row.is_flag:
            raise OptionError(f"VW's {name} takes no argument, and {word} gives it one")
        found.options.append(Given(row, name, value))
        further = [Given(row, name, value) for value in _further(row, rest)]
        found.options += [] if row.is_flag else further
    return found


def _option(word: str) -> tuple[Row, str, str | None]:
    """The row of a word such as -q, -qab, --ngram or --ngram=2, its name, and the argument in it,
    if there is one."""
    name, equals, value = word.partition("=")
    if not word.startswith("--"):
        name, equals, value = word[:2], word[2:], word[2:]
    row = find_row(name)
    if row is None:
        raise OptionError(f"{name} is no option of VW that is known here: docs/vw.md lists them")
    return row, name, value if equals else None


def _next(rest: list[str], name: str) -> str:
    if not rest:
        raise OptionError(f"VW's {name} needs an argument")
    return rest.pop(0)


def _further(row: Row, rest: list[str]) -> Iterator[str]:
    """Words that are arguments, too: VW takes lists such as --ignore a b."""
    while row.further and rest and not rest[0].startswith("-"):
        if not re.fullmatch(row.further, rest[0]):
            return
        yield rest.pop(0)
