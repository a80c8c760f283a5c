"""VW's JSON, one object a line: {"_label": "x", "_tag": "t", "size": 3, "words": {"_text": "..."}}.

Names are those of VW's --json: a number is the feature `key:number` of its namespace, a string the
feature that is key and string in one word, true is the feature `key`; an object or an array is a
namespace of its own, whatever it stands in; an array's numbers have their places as names.
"_label", "_tag" and "_text" may stand in any object; other keys that begin with '_' are left out.
"_text" is cut into words at all white space (by VW at spaces and tabs).
"""

import json
import re
from functools import lru_cache
from typing import Any

import numpy as np

from lomtree.core.reading import Reading
from lomtree.examples.examples import GOOD
from lomtree.formats.problems import (
    BAD_JSON,
    BAD_WEIGHT,
    BROKEN_LABEL,
    JSON_ARRAY,
    JSON_LABEL,
    JSON_OBJECT,
    JSON_TAG,
    JSON_TEXT,
    LARGE_NUMBER,
)
from lomtree.formats.translation import Layout, Translation, joined
from lomtree.hashing.murmur3 import murmur3

_FIRST_INFINITE = 3.4028235677973366e38  # the first number that is infinite as a float32
_STRANGE = re.compile(rb"[\x00-\x20|:]")  # in a name
_SEPARATORS = str.maketrans({" ": "_", "\t": "_", "|": "_", ":": "_"})
_SPACES = bytes(range(33))

_SHORT = 30  # a number of fewer bytes, without an exponent, is finite
_REMEMBERED = 100  # letters of a name: whole texts would fill the memory

# Objects are tuples of (key, value), because VW takes a key that is there twice twice. Numbers are
# bytes: they need not be understood to be written again. (NaN and Infinity are floats.)
_decode = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=str.encode, parse_float=str.encode
).decode


class _Problem(Exception):
    """A code, and the key whose value is wrong."""


def _hash(name: bytes, seed: int) -> int:
    """VW's hash of a name, which may have any bytes in it."""
    name = name.strip(_SPACES)
    if re.fullmatch(rb"[0-9]*", name):
        return int(name[-4000:] or b"0") + seed & 0xFFFFFFFF
    return int(murmur3(np.frombuffer(name, np.uint8), 0, len(name), np.uint32(seed)))


def _namespace(name: str) -> tuple[bytes, int]:
    """A namespace as VW text can write it, and its hash."""
    return (_known_namespace if len(name) <= _REMEMBERED else _find_namespace)(name)


def _find_namespace(name: str) -> tuple[bytes, int]:
    raw = name.encode("utf-8", "surrogatepass")
    number = _hash(raw, 0) if raw else 0
    return (b"%d" % number if _STRANGE.search(raw) else raw), number


def _name(name: str, seed: int) -> bytes:
    """A name as VW text can write it: what cannot be written is the number that has its hash."""
    return (_known_name if len(name) <= _REMEMBERED else _find_name)(name, seed)


def _find_name(name: str, seed: int) -> bytes:
    raw = name.encode("utf-8", "surrogatepass")
    if raw and not _STRANGE.search(raw):
        return raw
    return b"%d" % (_hash(raw, seed) - seed & 0xFFFFFFFF)


_known_namespace = lru_cache(1 << 12)(_find_namespace)
_known_name = lru_cache(1 << 16)(_find_name)


class _Example:
    """What is found of one line: the words of each namespace, and the rest."""

    def __init__(self) -> None:
        self.namespaces: dict[str, list[bytes]] = {}
        self.label = self.tag = b""
        self.weight = 1.0

    def text(self) -> bytes:
        parts = [
            b"|" + _namespace(name)[0] + b" " + b" ".join(words)
            for name, words in self.namespaces.items()
            if words
        ]
        return b" ".join(parts) or b"|"

    def add_object(self, pairs: tuple, namespace: str) -> None:
        words = self.namespaces.setdefault(namespace, [])
        seed = _namespace(namespace)[1]
        for key, value in pairs:
            kind = type(value)
            if key.startswith("_"):
                self._add_special(key, value, words)
            elif kind is bytes:
                if len(value) > _SHORT or b"e" in value or b"E" in value:
                    _check_number(value, key)
                words.append(_name(key, seed) + b":" + value)
            elif kind is str:
                words.append(_name(key + value.translate(_SEPARATORS), seed))
            elif kind is bool:
                if value:
                    words.append(_name(key, seed))
            elif kind is tuple:
                self.add_object(value, key)
            elif kind is list:
                self._add_array(value, key)
            elif kind is float:
                raise _Problem(LARGE_NUMBER, key)

    def _add_array(self, values: list, key: str) -> None:
        words = self.namespaces.setdefault(key, [])
        place = 0
        for value in values:
            if type(value) is tuple:
                self.add_object(value, key)
            elif type(value) is bytes:
                _check_number(value, key)
                words.append(b"%d:" % place + value)
                place += 1
            else:
                raise _Problem(JSON_ARRAY, key)

    def _add_special(self, key: str, value: Any, words: list[bytes]) -> None:
        if key == "_text":
            if type(value) is not str:
                raise _Problem(JSON_TEXT, key)
            plain = value.replace("|", "_").replace(":", "_").encode("utf-8", "surrogatepass")
            words += plain.split()
        elif key == "_tag":
            if type(value) is not str:
                raise _Problem(JSON_TAG, key)
            self.tag = b" ".join(value.encode("utf-8", "surrogatepass").split())
        elif key == "_label" and type(value) is tuple:
            for name, part in value:
                self._add_special(f"_label_{name}", part, words)
        elif key in ("_label", "_label_Label"):
            self._set_label(key, value)
        elif key == "_label_Weight":
            self._set_weight(key, value)

    def _set_label(self, key: str, value: Any) -> None:
        if type(value) is str:
            # As VW reads it: a number may be followed by an importance.
            number, _, weight = value.partition(" ")
            if weight and re.fullmatch(r"[0-9]+", number) and re.fullmatch(r"[0-9.eE+]+", weight):
                self._set_weight(key, weight)
                value = number
            value = value.encode("utf-8", "surrogatepass")
        elif type(value) is not bytes and value is not None:
            raise _Problem(JSON_LABEL, key)
        self.label = (value or b"").strip()
        if re.search(rb"[\t\n\r\v\f]", self.label):
            raise _Problem(BROKEN_LABEL, key)

    def _set_weight(self, key: str, value: Any) -> None:
        try:
            self.weight = float(value) if type(value) in (bytes, str) else -1.0
        except ValueError:
            self.weight = -1.0
        if not 0 <= self.weight < _FIRST_INFINITE:
            raise _Problem(BAD_WEIGHT, key)


def _check_number(value: bytes, key: str) -> None:
    if not -_FIRST_INFINITE < float(value) < _FIRST_INFINITE:
        raise _Problem(LARGE_NUMBER, key)


def _read(line: bytes) -> tuple[_Example, int, int]:
    """The example of a line, its problem, and the problem's column."""
    example = _Example()
    try:
        found = _decode(line.decode())
        if type(found) is not tuple:
            raise _Problem(JSON_OBJECT, "")
        example.add_object(found, "")
        return example, GOOD, 1
    except _Problem as problem:
        code, key = problem.args
        place = line.find(json.dumps(key, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        return _Example(), code, max(place, 0) + 1
    except json.JSONDecodeError as error:
        return _Example(), BAD_JSON, len(error.doc[: error.pos].encode()) + 1
    except UnicodeDecodeError as error:
        return _Example(), BAD_JSON, error.start + 1
    except RecursionError:  # very many brackets
        return _Example(), BAD_JSON, 1


class JsonLayout(Layout):
    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def translate(self, text: np.ndarray) -> Translation:
        examples, problems, lines, columns = [], [], [], []
        for number, line in enumerate(text.tobytes().split(b"\n")):
            if not line or line.isspace():
                continue
            example, problem, column = _read(line)
            examples.append(example)
            problems.append(problem)
            lines.append(number)
            columns.append(column)
        written = b"".join(example.text() + b"\n" for example in examples)
        return Translation(
            np.frombuffer(written, np.uint8),
            joined([example.label for example in examples]),
            joined([example.tag for example in examples]),
            np.array([example.weight for example in examples], np.float32),
            np.array(lines, np.int64),
            np.array(problems, np.int8),
            np.array(columns, np.int64),
        )


def layout_of(_format: str, _source: str, reading: Reading, _labels_required: bool) -> Layout:
    return JsonLayout(reading)
