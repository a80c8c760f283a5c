"""clinc150: the intent of a short request, from CLINC150's data_full.json.

Its parts `train` and `val` are for training, `test` is for testing; what is out of scope is left
out. Features are the words of a request that training has, sorted; i:2 is one that comes twice.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from scripts.reproduce.builders.packing import drawn, write_lines

_words = re.compile("[a-z0-9]+").findall


def read_parts(source: Path) -> dict[str, list[tuple[str, str]]]:
    """(text, intent) of each part; ValueError if they are not there."""
    try:
        found: Any = json.loads(source.read_text(encoding="utf-8"))
        return {
            part: [(str(text), str(intent)) for text, intent in found[part]]
            for part in ("train", "val", "test")
        }
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"it is not CLINC150's data_full.json ({error!r})") from None


def line_of(text: str, intent: str, known: set[str]) -> str:
    found = sorted(Counter(_words(text.lower())).items())
    words = (f"{word}:{times}" if times > 1 else word for word, times in found if word in known)
    return f"{intent} |w " + " ".join(words)


def build(source: Path, train: Path, test: Path) -> None:
    parts = read_parts(source)
    training = parts["train"] + parts["val"]
    known = {word for text, _ in training for word in _words(text.lower())}
    lines = [line_of(text, intent, known) for text, intent in training]
    write_lines(train, sorted(lines, key=drawn))
    write_lines(test, (line_of(text, intent, known) for text, intent in parts["test"]))
