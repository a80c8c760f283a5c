"""Every row of the table in docs/reliability.md is what happens."""

import gzip
import os
import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "reliability.md"
FORMATS = ("vw", "libsvm")
GOOD = {"vw": b"cat |f a b:2\n", "libsvm": b"cat 1:1 2:2\n"}


def read_table() -> dict[str, dict[str, str]]:
    """{input: {format: what it gets}}"""
    text = DOCUMENT.read_text().partition("| input | VW text | libsvm |\n")[2]
    lines = text.partition("\n\n")[0].splitlines()[1:]
    rows = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines]
    cells = [[cell.strip().replace(r"\|", "|") for cell in row] for row in rows]
    return {name: {"vw": vw, "libsvm": libsvm} for name, vw, libsvm in cells}


TABLE = read_table()


def text(format: str, vw: bytes, libsvm: bytes = b"") -> bytes:
    """A second line behind a good one, in VW's text or in libsvm's."""
    return GOOD[format] + (vw if format == "vw" else libsvm) + b"\n"


def value(word: bytes):
    """A line with a feature of this value."""
    return lambda format: text(format, b"dog |f the:" + word, b"dog 3:" + word)


def huge_line(format: str) -> bytes:
    """200 MB in ten gzip streams."""
    word = {"vw": b" a", "libsvm": b" 5:1"}[format]
    start = {"vw": b"dog |f", "libsvm": b"dog"}[format]
    rest = gzip.compress(word * (20_000_000 // len(word)), compresslevel=1)
    return gzip.compress(GOOD[format] + start) + 10 * rest


MILLION, LONG = range(1_000_000), 70_000 * b"x"
TOO_MANY = "more labels than --max-labels (2^22 if nothing is said)"
INPUTS = {
    "binary junk": lambda format: GOOD[format] + 4 * bytes(range(255, -1, -1)),
    "NUL bytes": lambda f: text(f, b"a\0b |f\0 x\0y:2 \0", b"a\0b 1\0:1"),
    "a 200 MB line": huge_line,
    "a million features": lambda f: text(
        f,
        b"dog |f " + b" ".join(b"w%d" % n for n in MILLION),
        b"dog " + b" ".join(b"%d:1" % n for n in MILLION),
    ),
    "a million namespaces": lambda f: text(f, b"dog " + b" ".join(b"|n%d x" % n for n in MILLION)),
    "an unfinished gzip": lambda f: gzip.compress(1000 * GOOD[f])[:-20],
    TOO_MANY: lambda f: text(f, b"dog |f a", b"dog 1:1"),
    "1e-400": value(b"1e-400"),
    "1e400": value(b"1e400"),
    "0x1p3": value(b"0x1p3"),
    "nan": value(b"nan"),
    "1:2:3": value(b"2:3"),
    ":5": lambda f: text(f, b"dog |f :5", b"dog :5"),
    "an importance below 0": lambda f: text(f, b"dog -1 |f a"),
    "a label longer than 64 KB": lambda f: text(f, LONG + b" |f a", LONG + b" 1:1"),
    "mixed formats": lambda f: text(f, b"dog 1:2 3:4", b"dog |f a"),
    "an empty file": lambda f: b"",
    "only blank lines": lambda f: b"\n  \n\t\r\n",
}  # fmt: skip


def make_directory(path: Path) -> None:
    path.mkdir()


def make_nothing(path: Path) -> None:
    pass


def make_unreadable(path: Path) -> None:
    path.write_bytes(GOOD["vw"])
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")


PATHS = {
    "a directory": make_directory,
    "a missing file": make_nothing,
    "no permission": make_unreadable,
}
CASES = [(name, format) for name, row in TABLE.items() for format in FORMATS if row[format] != "-"]


def test_the_table_has_exactly_the_rows_that_are_tried():
    assert len(TABLE) > 15
    assert set(TABLE) == {*INPUTS, *PATHS}


@pytest.mark.parametrize(("name", "format"), CASES, ids=lambda part: part)
def test_what_strangers_send_is_learned_or_refused_with_one_sentence(
    lomtree, model, tmp_path, name, format
):
    path, target = tmp_path / "strange", tmp_path / "result.lom"
    if name in PATHS:
        PATHS[name](path)
    else:
        path.write_bytes(INPUTS[name](format))
    expected = TABLE[name][format]
    train = ("train", path, "-b", 18, "--quiet", "-f", target)
    if name == TOO_MANY:
        train += ("--max-labels", 1)  # the default takes minutes to reach, and 10 GB
    predict = ("predict", "-i", model, path, "--quiet", "-p", tmp_path / "predictions")
    if expected.startswith("learned"):
        assert lomtree(*train) == (0, b"", "")
        assert lomtree(*predict) == (0, b"", "")
        assert (tmp_path / "predictions").read_bytes().count(b"\n") == 2
        return
    sentence = f"lomtree: {expected.strip('`').replace('FILE', str(path))}\n"
    assert lomtree(*train) == (1, b"", sentence)
    assert not target.exists()
    if "no examples" in sentence or name == TOO_MANY:
        assert lomtree(*predict) == (0, b"", "")
        return
    assert lomtree(*predict) == (1, b"", sentence)
    skipped = lomtree(*train, "--on-error", "skip")
    is_about_a_line = re.match(r"`FILE:\d+:\d+: ", expected)
    assert skipped == ((0, b"", "") if is_about_a_line else (1, b"", sentence))
