"""Command lines that people have typed to VW, where each is from, and what it is here.

They are in command_lines.txt: where from, the line, the commands it becomes ('FOLDER' is one that
is made for what lies between them) and the notes about it, or the sentence that refuses it.
"""

import shlex
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).with_name("command_lines.txt")
FOLDER = "FOLDER"


class CommandLine(NamedTuple):
    source: str
    text: str  # without `vw`
    commands: list[str]
    notes: list[str]
    refused: str  # '' if it is not

    @property
    def words(self) -> list[str]:
        return shlex.split(self.text)


def command_lines() -> list[CommandLine]:
    return [_parse(part) for part in _FILE.read_text(encoding="utf-8").split("\n\n")]


def _parse(part: str) -> CommandLine:
    source, line, *rest = part.strip().splitlines()
    told = [text.strip() for text in rest]
    return CommandLine(
        source.removeprefix("# "),
        line.removeprefix("$ vw "),
        [text for text in told if not text.startswith(("note: ", "refused: "))],
        [text.removeprefix("note: ") for text in told if text.startswith("note: ")],
        "".join(text.removeprefix("refused: ") for text in told if text.startswith("refused: ")),
    )
