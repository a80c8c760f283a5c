"""A command line of VW, read as VW reads it: options with their arguments, and words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lomtree.core.errors import OptionError
from lomtree.vw.row import Outcome, Row
from lomtree.vw.table import find_row


@dataclass
class Arguments:
    """Rows with their arguments ('' for a flag) in the order of the line, and the words that belong
    to no option."""

    options: list[tuple[Row, str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def of_role(self, role: str) -> list[str]:
        """What was given to options that play a role."""
        return [value for row, value in self.options if row.role == role]


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
        row, value = _option(word)
        if row.outcome is Outcome.REFUSED:
            raise OptionError(sentence_of(row, word, value))
        if value is None:
            value = "" if row.is_flag else _next(rest, word)
        elif row.is_flag:
            raise OptionError(f"VW's {row.name} takes no argument, and {word} gives it one")
        found.options.append((row, value))
        found.options += [(row, further) for further in _further(row, rest)]
    return found


def sentence_of(row: Row, word: str, value: str | None = None) -> str:
    """What there is to say about an option, as it was typed."""
    name = word if value is None else _name_of(word)
    return f"VW's {name}: {row.sentence or 'lomtree train ' + row.train}"


def _name_of(word: str) -> str:
    return word.partition("=")[0] if word.startswith("--") else word[:2]


def _option(word: str) -> tuple[Row, str | None]:
    """The row of a word such as -q, -qab, --ngram or --ngram=2, and the argument in it, if any."""
    row = find_row(word)
    if row is not None:
        return row, None
    name = _name_of(word)
    row = find_row(name)
    if row is None:
        raise OptionError(f"{name} is no option of VW that is known here: docs/vw.md lists them")
    return row, word[len(name) :].removeprefix("=") if word.startswith("--") else word[len(name) :]


def _next(rest: list[str], word: str) -> str:
    if not rest:
        raise OptionError(f"VW's {word} needs an argument")
    return rest.pop(0)


def _further(row: Row, rest: list[str]) -> Iterator[str]:
    """Words that are arguments, too: VW takes lists such as --ignore a b."""
    while row.further and rest and not rest[0].startswith("-"):
        if not re.fullmatch(row.further, rest[0]):
            return
        yield rest.pop(0)
