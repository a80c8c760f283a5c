"""Labels keep their type: the word of a label, which is what a LabelIndex and a model file hold.

Text has no types, so a label of text is a string, and its word is the string itself. Every other
label is the literal that Python writes for it, behind a space, which no label of text begins with:

    "cat" is cat, 1 is " 1", "1" is 1, "New York" is New York, "" is " ''", None is " None"

Strings that are empty, begin with a space, or have tabs or newlines in them, numbers, bytes, None,
and tuples of all these have such words. A literal is read, never run.
"""

import ast
import re
from collections.abc import Hashable, Sequence
from math import isnan
from typing import Any

_MARK = b" "
_SPACES = re.compile(rb"[\t\n ]")
_PLAIN_TEXT = re.compile(rb"[^ \t\n][^\t\n]*")
_INTEGER = re.compile(rb"0|-?[1-9][0-9]{0,4000}")  # what Python reads without being asked twice
_PLAIN = (str, int, float, bool, bytes, type(None))
_LONGEST_NESTED = 1024  # bytes of a tuple: however it nests, reading it goes no deeper


class NoWordError(ValueError):
    """A label that is no literal; the sentence says which."""


def is_typed(word: bytes) -> bool:
    """Whether it is the word of something else than a string that text could have."""
    return word[:1] == _MARK


def word_of(label: Hashable) -> bytes:
    """The word of a label; NoWordError if it has none."""
    if type(label) is str:
        try:
            word = label.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:  # a lone surrogate that was no byte
            return _MARK + repr(label).encode()
        if _PLAIN_TEXT.fullmatch(word):
            return word
    if not _is_literal(label):
        raise NoWordError(
            f"the label {label!r:.60} is a {type(label).__name__}: a model file keeps strings, "
            "numbers, bytes, None and short tuples of these alone"
        )
    return _MARK + repr(label).encode()


def words_of(labels: Sequence[Hashable]) -> list[bytes]:
    """The word of each label. Strings of text, which most labels are, are looked at all together:
    there may be a million of them."""
    if set(map(type, labels)) == {str}:
        try:
            lines = "\n".join(["", *labels, ""]).encode()  # type: ignore[list-item]
        except UnicodeEncodeError:  # surrogates
            lines = b""
        strange = (b"\t", b"\n ", b"\n\n")
        if lines.count(b"\n") == len(labels) + 1 and not any(one in lines for one in strange):
            return lines[1:-1].split(b"\n")
    return list(map(word_of, labels))


def _is_literal(label: Any) -> bool:
    if type(label) is float and isnan(label):
        return False
    if type(label) is int:
        return label.bit_length() < 13_000  # 4,000 digits need more than 13,000 bits
    if type(label) is tuple:
        within = all(_is_literal(part) and not _is_infinite(part) for part in label)
        return within and len(repr(label).encode()) <= _LONGEST_NESTED
    return type(label) in _PLAIN


def _is_infinite(label: Any) -> bool:
    """Infinity is no literal, though float() reads it."""
    return type(label) is float and repr(label).endswith("inf")


def label_of(word: bytes) -> Any:
    """The label of a word; ValueError if it is no label's word."""
    if not is_typed(word):
        return word.decode("utf-8", "surrogateescape")
    text = word[1:]
    if _INTEGER.fullmatch(text):
        return int(text)
    label = _read(text)
    if not _is_literal(label) or word_of(label) != word:
        raise ValueError("one of its labels is not written as labels are")
    return label


def _read(text: bytes) -> Any:
    """The label that a literal is; what it is besides, the caller finds out."""
    try:
        return float(text)
    except ValueError:
        pass
    if len(text) > _LONGEST_NESTED and not text.startswith((b"'", b'"', b"b'", b'b"')):
        raise ValueError("one of its labels is longer than labels are")
    try:
        return ast.literal_eval(text.decode())
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise ValueError("one of its labels is not written as labels are") from None


def shown(word: bytes) -> bytes:
    """A label as a word of text: as it is, or what str() makes of it. White space is escaped, so
    that it stays one word, and an empty string is a pair of quotes."""
    if not is_typed(word):
        return word
    text = str(label_of(word)).encode("utf-8", "backslashreplace")
    return _SPACES.sub(lambda found: b"\\x%02x" % found[0][0], text) or b'""'
