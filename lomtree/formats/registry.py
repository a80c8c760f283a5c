"""The formats of text: a new one is a module of its own, and a row here.

Nothing heavy is imported to know which there are; a format's parser is loaded when it is used.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from lomtree.core.errors import DataError
from lomtree.core.reading import PLAIN, Reading

if TYPE_CHECKING:
    from lomtree.formats.translation import Layout

AUTO = "auto"  # the first example decides

# How files begin that are tables, but no text.
PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"


@dataclass(frozen=True)
class Format:
    """`sniff` tells whether a line, without its comment and not blank, may be of this format; the
    modules have the rest. Where there is a `translator`, the text becomes VW text on its way."""

    name: str
    title: str
    example: str  # how a line looks
    sniff: Callable[[bytes], bool]
    module: str = "lomtree.formats.vw"
    namespaces_module: str | None = "lomtree.formats.vw_namespaces"  # its parser notes namespaces
    translator: str | None = None
    is_table: bool = False  # tables name their features alike, whatever they are written in
    is_any_text: bool = False  # any text may be of this format: only a model tells that it is

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
        """The features of a line (of VW text if it is translated) by their numbers, named as people
        know them."""
        return import_module(self.module).feature_names

    def layout_of(self, source: str, reading: Reading, labels_required: bool) -> "Layout | None":
        """How a source of this format is translated; None where it need not be."""
        if self.translator is None:
            return None
        return import_module(self.translator).layout_of(self.name, source, reading, labels_required)


FORMATS = {
    format.name: format
    for format in (
        Format(
            "fasttext",
            "fastText's text",
            "__label__x word ...",
            # VW text may have such labels, too.
            lambda line: re.match(rb"__label__(?!\S+ ('\S+ )?\|)", line) is not None,
            translator="lomtree.formats.fasttext",
            is_any_text=True,
        ),
        Format(
            "json",
            "JSON lines",
            '{"_label": "x", "name": 1, ...}',
            lambda line: re.match(rb'\{\s*["}]', line) is not None,
            translator="lomtree.formats.json_lines",
        ),
        Format(
            "vw",
            "VW text",
            "label |namespace name:value ...",
            lambda line: b"|" in line,
        ),
        Format(
            "libsvm",
            "libsvm text",
            "label index:value ...",
            lambda _line: True,
            "lomtree.formats.libsvm",
            None,
        ),
        *(
            Format(
                name,
                title,
                example,
                lambda _line: False,
                translator=f"lomtree.formats.{module}",
                is_table=True,
            )
            for name, title, example, module in (
                ("csv", "CSV", "x,3,word", "table"),
                ("tsv", "TSV", "x TAB 3 TAB word", "table"),
                ("parquet", "Parquet", "a file of columns", "arrow"),
            )
        ),
    )
}


_SAY_MORE = "--label COLUMN tells which column has the labels (by its number with --no-header)"

# What the first line of other things looks like, and what to do about them.
_OTHERS: tuple[tuple[str, Callable[[bytes], bool], str], ...] = (
    ("a JSON array", lambda line: line.startswith(b"["), "one object a line is expected"),
    ("CSV", lambda line: b"," in line and not re.search(rb"[:|]", line), _SAY_MORE),
)


class Expected(NamedTuple):
    """What is known of a text before it is read."""

    reading: Reading = PLAIN
    labels_required: bool = False
    trained: str | None = None  # the format that a model was trained with


NOTHING = Expected()  # is known


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


def is_arrow(head: bytes, format: str, source: str) -> bool:
    """Whether a file that begins like this is Parquet or Arrow, unless a format of text is asked
    for; DataError if it is not, but has to be."""
    found = head.startswith((PARQUET, ARROW_FILE, ARROW_STREAM))
    if format == "parquet" and not found:
        raise DataError(f"{source}: is neither Parquet nor Arrow")
    return found and (format == AUTO or FORMATS[format].is_table)


def sniff_format(
    text: bytes,
    source: str = "",
    expected: Expected = NOTHING,
) -> Format | None:
    """The format of the first example in the text, None if there is none. DataError, which begins
    with the source's name, if it looks like something that is not read here, or not without more
    being said."""
    line = first_example(text)
    trained = FORMATS.get(expected.trained or "")
    if expected.reading.is_of_table:
        return _table_format(text)
    if not line:
        return None
    if trained and trained.is_any_text and not FORMATS["json"].sniff(line):
        return trained
    for title, sniff, advice in _OTHERS:
        if sniff(line):
            raise DataError(f"{source}: looks like {title}: {advice}")
    return next(format for format in FORMATS.values() if format.sniff(line))


def _table_format(text: bytes) -> Format | None:
    """A table's first row tells what stands between its fields."""
    row = text.lstrip(b"\r\n").partition(b"\n")[0]
    if not row:
        return None
    return FORMATS["tsv" if row.count(b"\t") > row.count(b",") else "csv"]


def same_features(trained: str, found: str) -> bool:
    """Whether data of the two formats may have the same features: tables have, and what becomes VW
    text on its way can be given as that."""
    before, now = FORMATS.get(trained), FORMATS.get(found)
    if before is None or now is None:
        return trained == found
    if before.is_table and now.is_table:
        return True
    return before is now or (before.translator is not None and now.name == "vw")


def format_warning(trained: str, found: str) -> str:
    """The sentence about data of another format than a model was trained with."""
    before, now = (FORMATS[name].title if name in FORMATS else name for name in (trained, found))
    return (
        f"warning: the model was trained with {before}, but this is {now}: their features have "
        "different numbers"
    )
