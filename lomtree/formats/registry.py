"""The formats of text: a new one is a module of its own, and a row here.

Nothing heavy is imported to know which there are; a format's parser is loaded when it is used.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lomtree.core.errors import DataError

AUTO = "auto"  # the first example decides


@dataclass(frozen=True)
class Format:
    """`sniff` tells whether a line, without its comment and not blank, may be of this format; the
    module has the rest."""

    name: str
    title: str
    example: str  # how a line looks
    sniff: Callable[[bytes], bool]
    module: str
    namespaces_module: str | None = None  # has the parser that notes namespaces and words

    @property
    def parse(self) -> Callable[..., Any]:
        """parse(text, begin, end, batch, spans): parses whole lines into arrays that make_arrays of
        lomtree.formats.line has made, and returns the numbers of (examples, features)."""
        return import_module(self.module).parse

    @property
    def parse_namespaces(self) -> Callable[..., Any] | None:
        """The same with an argument more, Namespaces to fill (make_namespaces); None where there is
        one namespace, whose words nobody can ask for."""
        module = self.namespaces_module
        return import_module(module).parse_namespaces if module else None

    @property
    def feature_names(self) -> Callable[[bytes], dict[int, str]]:
        """The features of a line by their numbers, named as people know them."""
        return import_module(self.module).feature_names


FORMATS = {
    format.name: format
    for format in (
        Format(
            "vw",
            "VW text",
            "label |namespace name:value ...",
            lambda line: b"|" in line,
            "lomtree.formats.vw",
            "lomtree.formats.vw_namespaces",
        ),
        Format(
            "libsvm",
            "libsvm text",
            "label index:value ...",
            lambda _line: True,
            "lomtree.formats.libsvm",
        ),
    )
}

# What people have that is neither, and how its first line gives it away.
_OTHERS: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    ("fastText's text", lambda line: line.startswith(b"__label__")),
    ("JSON", lambda line: line.startswith((b"{", b"[")) and b"|" not in line),
    ("CSV", lambda line: b"," in line and b":" not in line and b"|" not in line),
)


def first_example(text: bytes) -> bytes:
    """The first line that is an example, without its comment; empty if there is none."""
    begin = 0
    while begin < len(text):
        newline = text.find(b"\n", begin)
        end = len(text) if newline < 0 else newline
        line = text[begin:end].replace(b"\t", b" ").strip(b" \r")
        line = (b" " + line).partition(b" #")[0].strip()
        if line:
            return line
        begin = end + 1
    return b""


def sniff_format(text: bytes, source: str = "") -> Format | None:
    """The format of the first example in the text, None if there is none. DataError, which begins
    with the source's name, if it looks like something that is not read here."""
    line = first_example(text)
    if not line:
        return None
    for title, sniff in _OTHERS:
        if sniff(line):
            expected = " or ".join(f"{one.title} ({one.example})" for one in FORMATS.values())
            raise DataError(
                f"{source}: looks like {title}, but {expected} is expected; --format reads it as "
                "one of these all the same"
            )
    return next(format for format in FORMATS.values() if format.sniff(line))


def format_warning(trained: str, found: str) -> str:
    """The sentence about data of another format than a model was trained with."""
    before, now = (FORMATS[name].title if name in FORMATS else name for name in (trained, found))
    return (
        f"warning: the model was trained with {before}, but this is {now}: their features have "
        "different numbers"
    )
