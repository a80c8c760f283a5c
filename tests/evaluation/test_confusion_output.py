"""How confusion tables are printed, and what cannot be asked for."""

import json
import re

import pytest

from lomtree.evaluation.confusion import table_lines
from tests.generators.confusions import BOTH, tables


def without_speed(text: bytes) -> bytes:
    return re.sub(rb"(per.second\D+)[\d.,]+", rb"\1", text)


@pytest.mark.parametrize("flags", [("--by-label",), ("--confusion",), BOTH])
def test_text_and_json_agree(lomtree, model, questions, flags):
    options = ("test", "-i", model, *flags, "--rows", 12)
    score = json.loads(lomtree(*options, "--json", stdin=questions).out)
    result = lomtree(*options, stdin=questions)
    summary, reliability, *blocks = result.out.split(b"\n\n")
    names = [flag[2:].replace("-", "_") for flag in flags]
    assert (result.status, result.err) == (0, "")
    assert list(score)[-len(names) :] == names
    assert len(blocks) == len(names)
    for name, block in zip(names, blocks, strict=True):
        cells = [line.split() for line in block.decode().splitlines()[1:]]
        assert cells == [[cell(value) for value in row.values()] for row in score[name]]
        assert len(cells) == 12
    plain = lomtree("test", "-i", model, stdin=questions).out
    alone = b"%s\n\n%s\n" % (summary, reliability)
    assert without_speed(alone) == without_speed(plain)


def cell(value) -> str:
    if value is None:
        return "-"
    return f"{value:.2%}" if isinstance(value, float) else str(value)


def test_only_what_is_asked_for_is_in_the_json(lomtree, model, questions):
    plain = json.loads(lomtree("test", "-i", model, "--json", stdin=questions).out)
    some = json.loads(lomtree("test", "-i", model, "--json", "--confusion", stdin=questions).out)
    assert list(some) == [*plain, "confusion"]


def test_columns_are_aligned():
    rows = [
        {"truth": "a", "prediction": "longer-label", "count": 12345, "share": 1.0},
        {"truth": "none", "prediction": None, "count": 7, "share": 0.0512},
    ]
    assert table_lines("confusion", rows).decode().splitlines() == [
        "truth  prediction     count  share of truth",
        "a      longer-label  12,345         100.00%",
        "none   -                  7           5.12%",
    ]


def test_labels_that_are_no_text(lomtree, one_class):
    long = b"long" * 30
    text = b"\xff\xfe |f x\n" * 3 + "k\u00f6nig |f x\n".encode() * 2 + b"\x1b[1m |f x\n"
    text += long + b" |f x\n"
    _, confused = tables(lomtree, one_class, text)
    assert [row["truth"] for row in confused] == [
        "\\xff\\xfe", "k\u00f6nig", "\x1b[1m", long.decode(),
    ]  # fmt: skip
    out = lomtree("test", "-i", one_class, "--confusion", stdin=text).out.decode()
    column = [line.split()[0] for line in out.split("\n\n")[-1].splitlines()[1:]]
    assert column == ["\\xff\\xfe", "k\u00f6nig", "\\x1b[1m", long.decode()[:37] + "..."]


def test_labels_are_shown_whatever_the_terminal_encodes(process, one_class, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    running = process("test", "-i", one_class, "--confusion", "--quiet")
    out, err = running.communicate("k\u00f6nig |f x\n".encode())
    assert (running.returncode, err) == (0, b"")
    assert "k\u00f6nig  a " in out.decode()


def test_rows_alone_is_a_usage_error(lomtree, model, data):
    for options in ([], ["--json"]):
        result = lomtree("test", "-i", model, "--rows", 0, *options, data)
        sentence = "lomtree: --rows has no meaning without --by-label or --confusion\n"
        assert result == (2, b"", sentence)


@pytest.mark.parametrize("top", ["-1", "many", "1.5"])
def test_rows_are_a_whole_number(lomtree, model, data, top):
    result = lomtree("test", "-i", model, "--by-label", "--rows", top, data)
    assert (result.status, result.out) == (2, b"")


def test_nothing_to_test_is_an_error_still(lomtree, model):
    result = lomtree("test", "-i", model, *BOTH)
    assert result == (1, b"", "lomtree: there were no examples to test the model with\n")
