"""Which labels go wrong, and what they are taken for: compared with counts of the predictions."""

import json
import random
import re
from collections import Counter, defaultdict

import numpy as np
import pytest

from lomtree import confusion
from lomtree.confusion import Confusions, most_frequent, table_lines, worst_labels
from lomtree.labels import NONE, Labels
from lomtree.reader import Reader

TRAIN = ("train", "-b", 18, "--quiet")
BOTH = ("--by-label", "--confusion")


def shown(label: bytes) -> str | None:
    return label.decode("utf-8", "backslashreplace") or None


def naive_confusion(pairs: list[tuple[bytes, bytes]]) -> list[dict]:
    examples = Counter(truth for truth, _ in pairs)
    wrong = Counter(pair for pair in pairs if pair[0] != pair[1])
    return [
        {
            "truth": shown(truth),
            "answer": shown(answer),
            "count": count,
            "share": count / examples[truth],
        }
        for (truth, answer), count in sorted(wrong.items(), key=lambda item: (-item[1], item[0]))
    ]


def naive_by_label(pairs: list[tuple[bytes, bytes]]) -> list[dict]:
    answers_to = defaultdict(Counter)
    for truth, answer in pairs:
        answers_to[truth][answer] += 1
    answered = Counter(answer for _, answer in pairs)
    ordered = []
    for label, answers in answers_to.items():
        examples, right = sum(answers.values()), answers.pop(label, 0)
        errors = examples - right
        wrong = min(answers, key=lambda answer: (-answers[answer], answer), default=b"")
        row = {
            "label": shown(label),
            "examples": examples,
            "errors": errors,
            "error": errors / examples,
            "precision": right / answered[label] if answered[label] else None,
            "wrong_answer": shown(wrong),
        }
        ordered.append((-errors, -errors / examples, label, row))
    return [row for *_, row in sorted(ordered, key=lambda entry: entry[:3])]


def pairs_of(lomtree, model, text: bytes, *options) -> list[tuple[bytes, bytes]]:
    """What `predict` answers to each line, empty where the line was skipped."""
    answers = lomtree("predict", "-i", model, "--quiet", *options, stdin=text).out.splitlines()
    truths = [line.split()[0] for line in text.splitlines()]
    return [pair for pair in zip(truths, answers, strict=True) if pair[1]]


def tables(lomtree, model, text: bytes, *options) -> tuple[list[dict], list[dict]]:
    result = lomtree("test", "-i", model, "--json", *BOTH, *options, stdin=text)
    assert (result.status, result.err) == (0, "")
    score = json.loads(result.out)
    return score["by_label"], score["confusion"]


@pytest.fixture
def one_class(lomtree, tmp_path) -> str:
    """A model that knows one label only."""
    path = str(tmp_path / "one.lom")
    assert lomtree(*TRAIN, "-f", path, stdin=b"a |f x\n" * 3).status == 0
    return path


@pytest.fixture
def questions(lines) -> bytes:
    """Lines that the model gets wrong now and then: the words of every third are another's."""
    words = [line.partition(b" ")[2] for line in lines]
    return b"".join(
        line.split()[0] + b" " + words[(place + 1) % len(words) if place % 3 == 0 else place]
        for place, line in enumerate(lines)
    )


# -- the numbers


def test_the_tables_are_those_of_the_predictions(lomtree, model, questions):
    pairs = pairs_of(lomtree, model, questions)
    by_label, confused = tables(lomtree, model, questions, "--rows", 0)
    assert by_label == naive_by_label(pairs)
    assert confused == naive_confusion(pairs)
    assert len(confused) > 20


def test_the_tables_add_up_to_the_score(lomtree, model, questions):
    score = json.loads(
        lomtree("test", "-i", model, "--json", *BOTH, "--rows", 0, stdin=questions).out
    )
    assert sum(row["examples"] for row in score["by_label"]) == score["examples"] == 300
    assert sum(row["errors"] for row in score["by_label"]) == score["errors"] > 0
    assert sum(row["count"] for row in score["confusion"]) == score["errors"]


def test_labels_that_training_never_saw_have_their_own_names(lomtree, model, questions):
    text = b"new-1 |words w1\n" * 2 + questions + b"new-2 |words w1\nnew-1 |words w2\n"
    by_label, confused = tables(lomtree, model, text, "--rows", 0)
    pairs = pairs_of(lomtree, model, text)
    assert (by_label, confused) == (naive_by_label(pairs), naive_confusion(pairs))
    [new] = [row for row in by_label if row["label"] == "new-1"]
    assert (new["examples"], new["errors"], new["precision"]) == (3, 3, None)


def test_skipped_lines_are_not_counted(lomtree, model, lines, questions):
    skip = ("--on-error", "skip")
    text = b"class-1 |f x:nan\n" + questions + b"bad |f x:nan\n" + lines[0] + b"bad |f x:y\n"
    pairs = pairs_of(lomtree, model, text, *skip)
    assert len(pairs) == 301
    expected = naive_by_label(pairs), naive_confusion(pairs)
    assert tables(lomtree, model, text, "--rows", 0, *skip) == expected


def test_importance_does_not_count(lomtree, one_class):
    text = b"b 7 |f x\na 5 |f x\nb 0 |f x\n"
    by_label, confused = tables(lomtree, one_class, text)
    assert confused == [{"truth": "b", "answer": "a", "count": 2, "share": 1.0}]
    assert [(row["label"], row["examples"]) for row in by_label] == [("b", 2), ("a", 1)]


def test_thousands_of_pairs(lomtree, tmp_path):
    rng = random.Random(5)
    text = b"".join(
        f"{rng.randrange(1500)} |f w{rng.randrange(300)} v{rng.randrange(300)}\n".encode()
        for _ in range(6000)
    )
    assert lomtree(*TRAIN, "-f", tmp_path / "m", stdin=text).status == 0
    pairs = pairs_of(lomtree, tmp_path / "m", text)
    by_label, confused = tables(lomtree, tmp_path / "m", text, "--rows", 0)
    assert len(confused) > 2000
    assert (by_label, confused) == (naive_by_label(pairs), naive_confusion(pairs))


@pytest.mark.parametrize("algorithm", ["rtree", "filter", "oaa"])
def test_the_rivals(lomtree, tmp_path, questions, algorithm):
    path = tmp_path / "m"
    assert lomtree(*TRAIN, "--algorithm", algorithm, "-f", path, stdin=questions).status == 0
    pairs = pairs_of(lomtree, path, questions)
    expected = naive_by_label(pairs), naive_confusion(pairs)
    assert tables(lomtree, path, questions, "--rows", 0) == expected


# -- block by block


def feed(tmp_path, known: list[bytes], blocks: list[list[tuple[bytes, int]]]) -> Confusions:
    """Count blocks of (truth, number of the answer) for a model with these labels."""
    labels = Labels()
    labels.add(*known)
    confusions = Confusions(labels)
    paths = []
    for number, block in enumerate(blocks):
        paths.append(str(tmp_path / f"block{number}"))
        (tmp_path / paths[-1]).write_bytes(b"".join(truth + b" |f x\n" for truth, _ in block))
    for block, given in zip(Reader(paths), blocks, strict=True):
        confusions.add(block, np.array([answer for _, answer in given], np.int32))
    assert list(labels) == known
    return confusions


@pytest.mark.parametrize("least", [0, 100, 1 << 16])
def test_blocks_are_merged(tmp_path, monkeypatch, least):
    monkeypatch.setattr(confusion, "_LEAST_WAITING", least)
    rng = random.Random(least)
    known = [b"k%d" % number for number in range(80)]
    names = [*known, *(b"new%d" % number for number in range(40))]
    blocks = [
        [(rng.choice(names), rng.randrange(NONE, len(known))) for _ in range(rng.randrange(1, 900))]
        for _ in range(20)
    ]
    pairs = feed(tmp_path, known, blocks).pairs()
    given = [
        (truth, b"" if answer == NONE else known[answer])
        for block in blocks
        for truth, answer in block
    ]
    assert len(pairs.counts) == len(set(given)) > 3000
    assert most_frequent(pairs, 0) == naive_confusion(given)
    assert worst_labels(pairs, 0) == naive_by_label(given)


def test_what_waits_is_bounded_by_the_different_pairs(tmp_path, monkeypatch):
    monkeypatch.setattr(confusion, "_LEAST_WAITING", 10)
    confusions = feed(tmp_path, [b"a"], [[(b"b", 0)] * 100] * 50)
    assert len(confusions._keys) == 1
    assert len(confusions._waiting) <= 10
    assert most_frequent(confusions.pairs(), 0)[0]["count"] == 5000


# -- order and limits


def test_ties_of_confusions_are_in_the_order_of_labels(lomtree, one_class):
    text = b"c |f x\nb |f x\nB |f x\n10 |f x\n9 |f x\nd |f x\nd |f x\n"
    _, confused = tables(lomtree, one_class, text)
    assert [row["truth"] for row in confused] == ["d", "10", "9", "B", "b", "c"]


def test_ties_of_labels_go_to_the_higher_error_rate_and_then_in_order(tmp_path):
    block = [
        *[(b"a", 0), (b"a", 1), (b"a", 2)],  # 2 errors of 3
        *[(b"b", 0), (b"b", 2)],  # 2 of 2; both wrong answers are as frequent
        *[(b"z", 1), (b"z", 1)],  # 2 of 2
        *[(b"q", 0), (b"q", 0), (b"q", 0)],  # 3 of 3
        *[(b"c", 2), (b"A", 3), (b"A", 3)],  # none
    ]
    rows = worst_labels(feed(tmp_path, [b"a", b"b", b"c", b"A"], [block]).pairs(), 0)
    assert [row["label"] for row in rows] == ["q", "b", "z", "a", "A", "c"]
    assert [row["wrong_answer"] for row in rows] == ["a", "a", "b", "b", None, None]
    assert rows[-1]["precision"] == pytest.approx(1 / 3)
    assert [row["precision"] for row in rows[:3]] == [None, 0.0, None]


@pytest.mark.parametrize("top", [0, 1, 3, 10**9])
def test_rows_limit_both_tables(lomtree, model, questions, top):
    by_label, confused = tables(lomtree, model, questions, "--rows", 0)
    few = tables(lomtree, model, questions, "--rows", top)
    assert few == (by_label[: top or None], confused[: top or None])


def test_twenty_rows_if_nothing_is_said(lomtree, one_class):
    text = b"".join(b"%d |f x\n" % number for number in range(30))
    by_label, confused = tables(lomtree, one_class, text)
    assert (len(by_label), len(confused)) == (20, 20)


def test_the_order_is_the_same_with_any_number_of_threads(lomtree, model, questions):
    one, two = (tables(lomtree, model, questions, "--threads", n, "--rows", 0) for n in (1, 2))
    assert one == two


def test_one_class_and_no_error(lomtree, one_class):
    by_label, confused = tables(lomtree, one_class, b"a |f x\na |f y\n")
    assert confused == []
    assert by_label == [
        {
            "label": "a",
            "examples": 2,
            "errors": 0,
            "error": 0.0,
            "precision": 1.0,
            "wrong_answer": None,
        }
    ]
    text = lomtree("test", "-i", one_class, *BOTH, stdin=b"a |f x\n").out.decode()
    _, labels, confusions = text.split("\n\n")
    assert labels.splitlines()[1].split() == ["a", "1", "0", "0.00%", "100.00%", "-"]
    assert confusions.split() == ["truth", "answer", "count", "share", "of", "truth"]


# -- what is printed


def without_speed(text: bytes) -> bytes:
    return re.sub(rb"(per.second\D+)[\d.,]+", rb"\1", text)


@pytest.mark.parametrize("flags", [("--by-label",), ("--confusion",), BOTH])
def test_text_and_json_agree(lomtree, model, questions, flags):
    options = ("test", "-i", model, *flags, "--rows", 12)
    score = json.loads(lomtree(*options, "--json", stdin=questions).out)
    result = lomtree(*options, stdin=questions)
    summary, *blocks = result.out.split(b"\n\n")
    names = [flag[2:].replace("-", "_") for flag in flags]
    assert (result.status, result.err) == (0, "")
    assert list(score)[-len(names) :] == names
    assert len(blocks) == len(names)
    for name, block in zip(names, blocks, strict=True):
        cells = [line.split() for line in block.decode().splitlines()[1:]]
        assert cells == [[cell(value) for value in row.values()] for row in score[name]]
        assert len(cells) == 12
    plain = lomtree("test", "-i", model, stdin=questions).out
    assert without_speed(summary + b"\n") == without_speed(plain)


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
        {"truth": "a", "answer": "longer-label", "count": 12345, "share": 1.0},
        {"truth": "none", "answer": None, "count": 7, "share": 0.0512},
    ]
    assert table_lines("confusion", rows).decode().splitlines() == [
        "truth  answer         count  share of truth",
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
    column = [line.split()[0] for line in out.partition("\n\n")[2].splitlines()[1:]]
    assert column == ["\\xff\\xfe", "k\u00f6nig", "\\x1b[1m", long.decode()[:37] + "..."]


def test_labels_are_shown_whatever_the_terminal_encodes(process, one_class, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    running = process("test", "-i", one_class, "--confusion", "--quiet")
    out, err = running.communicate("k\u00f6nig |f x\n".encode())
    assert (running.returncode, err) == (0, b"")
    assert "k\u00f6nig  a " in out.decode()


# -- usage


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
