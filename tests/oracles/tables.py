"""fastText's text, tables and VW's JSON, slowly and obviously, from their description.

Everything is Python's own csv, re and numbers; only the hash of names is shared with oracles.text.
"""

import csv
import io
import re

import numpy as np

from tests.oracles.text import CONSTANT, NUMBER, Example, hash_name

BLANK = " \t\n\r\v\f"


def plain(word: str) -> bytes:
    """A name of VW text: without white space, colons and bars."""
    return re.sub(rf"[{BLANK}|:]", "_", word).encode("utf-8", "surrogateescape")


def feature(name: bytes, value: float = 1.0, namespace: bytes = b"") -> tuple[int, np.float32]:
    return hash_name(name, hash_name(namespace, 0) if namespace else 0), np.float32(value)


def fasttext(text: bytes, one_label: bool) -> list[Example]:
    examples = []
    for number, line in enumerate(text.split(b"\n")):
        words = [word for word in re.split(rb"[ \t\v\f\r\0]", line) if word]
        if not words:
            continue
        labels = [word for word in words if word.startswith(b"__label__")]
        example = Example(number, label=labels[0] if labels else b"")
        if one_label and len(labels) > 1:
            # The second label's place: behind the first one.
            places = [match.start() for match in re.finditer(rb"[^ \t\v\f\r\0]+", line)]
            second = [n for n, word in enumerate(words) if word.startswith(b"__label__")][1]
            example.column = places[second] + 1
        else:
            example.features = [
                feature(re.sub(rb"[|:]", b"_", word))
                for word in words
                if not word.startswith(b"__label__")
            ]
            example.features.append((CONSTANT, np.float32(1)))
        examples.append(example)
    return examples


def rows(text: str, delimiter: str = ",", quotes: bool = True) -> tuple[list[list[str]], bool]:
    """The rows of a table up to its first mistake, and whether there is one."""
    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True
    )
    found = []
    try:
        for row in reader:
            found.append(row)
    except csv.Error:
        return found, True
    return found, False


def table_features(names: list[str], row: list[str], roles: dict[str, str]) -> list:
    """What a row's fields are, by the name of their column: numbers, words, or cut into words."""
    found = []
    for name, cell in zip(names, row, strict=True):
        role, bare = roles.get(name, "feature"), cell.strip(BLANK)
        if role == "text":
            namespace = plain(name)
            words = [word for word in re.split(rf"[{BLANK}]", cell) if word]
            found += [feature(plain(word), 1.0, namespace) for word in words]
        elif bare and role == "feature" and NUMBER.fullmatch(bare.encode()):
            found.append(feature(plain(name), float(bare)))
        elif bare and role in ("feature", "categorical"):
            found.append(feature(plain(name) + b"=" + plain(bare)))
    return [*((index, value) for index, value in found if value != 0), (CONSTANT, np.float32(1))]
