"""Which labels go wrong, and what they are taken for: compared with counts of the predictions."""

import json
import random

import numpy as np
import pytest

from lomtree.core.constants import NO_LABEL
from lomtree.evaluation import confusion
from lomtree.evaluation.confusion import Confusions, most_frequent, worst_labels
from lomtree.examples.label_index import LabelIndex
from lomtree.formats.reader import Reader
from tests.generators.confusions import BOTH, TRAIN, pairs_of, tables
from tests.oracles.confusion import naive_by_label, naive_confusion

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
    assert confused == [{"truth": "b", "prediction": "a", "count": 2, "share": 1.0}]
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
    """Count blocks of (truth, number of the prediction) for a model with these labels."""
    labels = LabelIndex()
    labels.add(*known)
    confusions = Confusions(labels)
    paths = []
    for number, block in enumerate(blocks):
        paths.append(str(tmp_path / f"block{number}"))
        (tmp_path / paths[-1]).write_bytes(b"".join(truth + b" |f x\n" for truth, _ in block))
    for block, given in zip(Reader(paths), blocks, strict=True):
        confusions.add(block, np.array([prediction for _, prediction in given], np.int32))
    assert list(labels) == known
    return confusions


@pytest.mark.parametrize("least", [0, 100, 1 << 16])
def test_blocks_are_merged(tmp_path, monkeypatch, least):
    monkeypatch.setattr(confusion, "_LEAST_WAITING", least)
    rng = random.Random(least)
    known = [b"k%d" % number for number in range(80)]
    names = [*known, *(b"new%d" % number for number in range(40))]
    blocks = [
        [
            (rng.choice(names), rng.randrange(NO_LABEL, len(known)))
            for _ in range(rng.randrange(1, 900))
        ]
        for _ in range(20)
    ]
    pairs = feed(tmp_path, known, blocks).pairs()
    given = [
        (truth, b"" if prediction == NO_LABEL else known[prediction])
        for block in blocks
        for truth, prediction in block
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
        *[(b"b", 0), (b"b", 2)],  # 2 of 2; both wrong predictions are as frequent
        *[(b"z", 1), (b"z", 1)],  # 2 of 2
        *[(b"q", 0), (b"q", 0), (b"q", 0)],  # 3 of 3
        *[(b"c", 2), (b"A", 3), (b"A", 3)],  # none
    ]
    rows = worst_labels(feed(tmp_path, [b"a", b"b", b"c", b"A"], [block]).pairs(), 0)
    assert [row["label"] for row in rows] == ["q", "b", "z", "a", "A", "c"]
    assert [row["wrong_prediction"] for row in rows] == ["a", "a", "b", "b", None, None]
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
            "wrong_prediction": None,
        }
    ]
    text = lomtree("test", "-i", one_class, *BOTH, stdin=b"a |f x\n").out.decode()
    _, _reliability, labels, confusions = text.split("\n\n")
    assert labels.splitlines()[1].split() == ["a", "1", "0", "0.00%", "100.00%", "-"]
    assert confusions.split() == ["truth", "prediction", "count", "share", "of", "truth"]
