"""The examples of lines that are no file's."""

import numpy as np

from lomtree.core.derivations import NOTHING, Derivations
from lomtree.core.errors import DataError
from lomtree.core.reading import PLAIN, Reading
from lomtree.derived.derivation import Deriver
from lomtree.examples.examples import Examples
from lomtree.formats.problems import describe
from lomtree.formats.reader import Parsed, Reader
from lomtree.formats.registry import AUTO, Expected, sniff_format


def parse_line(
    line: bytes,
    format: str = AUTO,
    derived: Derivations = NOTHING,
    words: bool = False,
    reading: Reading = PLAIN,
) -> Parsed:
    """The examples of a line, and what others may be derived from, with its words if they are
    wanted in any case; DataError if it is none."""
    if format == AUTO:
        found = sniff_format(line, "line", Expected(reading))
        if found is None:
            raise DataError("the line is empty")
        format = found.name
    return Reader([], format, reading=reading, derived=derived).parse_text(line, "line", 1, words)


def parse_lines(
    text: bytes, format: str, name: str, first: int, derived: Derivations = NOTHING
) -> Parsed:
    """The same for whole lines, the first of which has this number; DataError if one is bad."""
    if format == AUTO:
        found = sniff_format(text, name)
        if found is None:
            raise DataError(f"the {name} is empty")
        format = found.name
    parsed = Reader([], format, derived=derived).parse_text(text, name, first)
    _check(parsed.examples)
    return parsed


def read_line(
    line: bytes, format: str = AUTO, derived: Derivations = NOTHING, reading: Reading = PLAIN
) -> Examples:
    """The examples of a line; DataError if it is none."""
    examples, namespaces = parse_line(line, format, derived, reading=reading)
    if namespaces is not None:
        examples = next(Deriver(derived, 1).parts(examples, namespaces), examples)
    _check(examples)
    return examples


def _check(examples: Examples) -> None:
    bad = np.flatnonzero(~examples.good)
    if len(bad):
        raise DataError(describe(examples, int(bad[0])))
