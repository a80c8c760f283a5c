"""predict and test: the search, --beam, --top, --probabilities, and the walk of the paper."""

import json
import os
import random
import re
from pathlib import Path

import pytest

from lomtree.core.constants import BEAM
from lomtree.evaluation.output import label_lines
from lomtree.evaluation.predict import predict_all
from lomtree.formats.reader import Reader
from lomtree.model.model_file import read_model

DATA = Path(os.environ.get("LOMTREE_DATA", "data"))
PAIR = re.compile(rb"(class-\d+):(\d[\d.e-]*)")
ALGORITHMS = ("lomtree", "rtree", "filter", "oaa")


@pytest.fixture(params=[*ALGORITHMS, "three trees"])
def any_model(request, lomtree, data, tmp_path) -> str:
    """A model of every kind, of the same data."""
    path, kind = str(tmp_path / "any.lom"), request.param
    options = ("--algorithm", kind) if kind in ALGORITHMS else ("--trees", 3)
    assert lomtree("train", data, "-b", 18, *options, "--quiet", "-f", path).status == 0
    return path


@pytest.fixture
def unseen() -> bytes:
    """200 labelled lines that are hard: most of their words say nothing, or the wrong thing."""
    rng, lines = random.Random(5), []
    for _ in range(200):
        label, other = rng.randrange(20), rng.randrange(20)
        lines.append(f"class-{label} |words v{label % 5} w{rng.choice([label, other])} noise1\n")
    return "".join(lines).encode()


def without_labels(lines: bytes) -> bytes:
    return b"".join(b"|" + line.split(b"|")[1] + b"\n" for line in lines.splitlines())


def pairs_of(line: bytes) -> list[tuple[bytes, float]]:
    """[(label, probability)] of a line that has nothing else."""
    found = [PAIR.fullmatch(word) for word in line.split(b" ")]
    assert all(found), line
    return [(match[1], float(match[2])) for match in found if match]


def rankings(out: bytes) -> list[list[tuple[bytes, float]]]:
    return [pairs_of(line) for line in out.splitlines()]


def first_labels(out: bytes) -> list[bytes]:
    return [pairs[0][0] for pairs in rankings(out)]


# predict


def test_top_prints_labels_with_probabilities_the_best_first(lomtree, any_model, unseen):
    status, out, err = lomtree("predict", "-i", any_model, "--top", 3, stdin=unseen)
    assert (status, err) == (0, "")
    found = rankings(out)
    assert len(found) == 200
    for pairs in found:
        chances = [chance for _, chance in pairs]
        assert 1 <= len(pairs) <= 3
        assert len(dict(pairs)) == len(pairs)
        assert chances == sorted(chances, reverse=True)
        assert 0 <= min(chances)
        assert sum(chances) <= 1.001
    assert max(map(len, found)) == 3


def test_a_tag_ends_its_line(lomtree, model):
    given = b"|words w3 v3\n1 'first|words w3 v3\n1 second|words w3 v3\n"
    plain, first, second = lomtree("predict", "-i", model, "--top", 2, stdin=given).out.splitlines()
    assert [line.split(b" ")[-1] for line in (first, second)] == [b"first", b"second"]
    assert first.removesuffix(b" first") == second.removesuffix(b" second") == plain
    assert pairs_of(plain)


def test_a_skipped_line_gives_an_empty_one(lomtree, model):
    given = b"|words w3\nclass-1 |words w3:nonsense\n|words w4\n"
    arguments = ("predict", "-i", model, "--top", 2, "--on-error", "skip")
    status, out, err = lomtree(*arguments, stdin=given)
    first, bad, last = out.split(b"\n")[:-1]
    assert status == 0
    assert bad == b""
    assert pairs_of(first)
    assert pairs_of(last)
    assert "skipped 1" in err


def test_probabilities_is_top_with_the_first_pair_only(lomtree, any_model, unseen):
    top = lomtree("predict", "-i", any_model, "--top", 3, stdin=unseen).out
    given = lomtree("predict", "-i", any_model, "--probabilities", stdin=unseen).out
    assert given.splitlines() == [line.split(b" ")[0] for line in top.splitlines()]
    assert given == lomtree("predict", "-i", any_model, "--top", 1, stdin=unseen).out


def test_fewer_labels_are_the_first_of_more(lomtree, any_model, unseen):
    some, more = (
        lomtree("predict", "-i", any_model, "--top", top, stdin=unseen).out for top in (2, 20)
    )
    assert rankings(some) == [pairs[:2] for pairs in rankings(more)]


def test_a_search_of_so_many_leaves_is_what_predict_does(lomtree, any_model, unseen):
    plain = lomtree("predict", "-i", any_model, stdin=unseen)
    assert lomtree("predict", "-i", any_model, "--beam", BEAM, stdin=unseen) == plain
    assert plain.out.count(b"\n") == 200


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_walk_prints_what_the_learner_predicts_by_one(lomtree, data, unseen, tmp_path, algorithm):
    path = tmp_path / "m"
    lomtree("train", data, "-b", 18, "--algorithm", algorithm, "--quiet", "-f", path)
    given = lomtree("predict", "-i", path, "--walk", stdin=unseen)
    (tmp_path / "unseen.vw").write_bytes(unseen)
    model, wanted = read_model(str(path)), []
    for predicted in predict_all(model, Reader([str(tmp_path / "unseen.vw")]), None):
        wanted.append(bytes(label_lines(model.labels, predicted)))
    assert given == (0, b"".join(wanted), "")
    if algorithm == "lomtree":
        assert given.out != lomtree("predict", "-i", path, stdin=unseen).out


@pytest.mark.parametrize("algorithm", ["rtree", "filter", "oaa"])
def test_where_a_leaf_is_one_label_a_beam_of_one_is_the_walk(
    lomtree, data, unseen, tmp_path, algorithm
):
    path, more = tmp_path / "m", () if algorithm == "oaa" else ("--no-ranker",)
    lomtree("train", data, "-b", 18, "--algorithm", algorithm, *more, "--quiet", "-f", path)
    walk = lomtree("predict", "-i", path, "--walk", stdin=unseen)
    assert lomtree("predict", "-i", path, "--beam", 1, stdin=unseen) == walk


@pytest.mark.parametrize("options", [("--beam", 16), ("--top", 1), ("--probabilities",)])
@pytest.mark.parametrize("command", ["predict", "test"])
def test_a_walk_finds_one_label_and_no_probability(lomtree, model, data, command, options):
    if command == "test" and options == ("--probabilities",):
        return
    result = lomtree(command, "-i", model, "--walk", *options, data)
    assert result == (2, b"", f"lomtree: --walk and {options[0]} exclude each other\n")


def test_a_beam_alone_prints_the_first_label_of_top(lomtree, any_model, unseen):
    alone = lomtree("predict", "-i", any_model, "--beam", BEAM, stdin=unseen).out
    assert alone.splitlines() == first_labels(
        lomtree("predict", "-i", any_model, "--beam", BEAM, "--top", 3, stdin=unseen).out
    )
    assert (
        lomtree("predict", "-i", any_model, "--top", 3, stdin=unseen).out
        == lomtree("predict", "-i", any_model, "--beam", BEAM, "--top", 3, stdin=unseen).out
    )


def test_a_wider_beam_changes_predictions_of_trees(lomtree, model, unseen):
    one, many = (lomtree("predict", "-i", model, "--beam", b, stdin=unseen).out for b in (1, 16))
    assert one != many


def test_the_first_of_one_against_all_is_its_prediction(lomtree, data, unseen, tmp_path):
    path = tmp_path / "oaa.lom"
    train = ("train", data, "-b", 18, "--algorithm", "oaa", "--quiet", "-f", path)
    for more in ((), ("--loss", "squared"), ("--loss", "absolute"), ("--passes", 20)):
        assert lomtree(*train, *more).status == 0
        predictions = lomtree("predict", "-i", path, stdin=unseen).out.splitlines()
        assert (
            first_labels(lomtree("predict", "-i", path, "--top", 3, stdin=unseen).out)
            == predictions
        )


def test_scores_beyond_all_measure_do_not_change_the_prediction_of_one_against_all(
    lomtree, data, tmp_path
):
    """A probability rounds to 1 or to 0 there; the label with the largest score is still first."""
    path = tmp_path / "oaa.lom"
    lomtree("train", data, "-b", 18, "--algorithm", "oaa", "--scale", "none", "-f", path)
    given = b"".join(
        b"|words w%d:%d v%d:%d noise1:%d\n" % (label, size, label % 5, size, size)
        for label in range(20)
        for size in (1, 30, 300, 10**5, -30, -300, -(10**5))
    )
    predictions = lomtree("predict", "-i", path, stdin=given).out.splitlines()
    assert first_labels(lomtree("predict", "-i", path, "--top", 3, stdin=given).out) == predictions


def test_examples_without_a_known_feature_get_a_prediction(lomtree, any_model):
    given = b"|\n|nowhere seen before\n|words unheard-of:3\n"
    for options in (("--top", 3), ("--probabilities",), ("--beam", 4, "--top", 1)):
        status, out, _ = lomtree("predict", "-i", any_model, *options, stdin=given)
        assert status == 0
        assert [bool(pairs) for pairs in rankings(out)] == [True, True, True]
    assert lomtree("predict", "-i", any_model, "--beam", 4, stdin=given).out.count(b"class-") == 3


@pytest.mark.parametrize(
    "arguments",
    [("--beam", 0), ("--beam", 1025), ("--top", 0), ("--top", 1001), ("--beam", "wide")],
)
@pytest.mark.parametrize("command", ["predict", "test"])
def test_what_cannot_be_asked_for_is_a_usage_error(lomtree, model, data, command, arguments):
    status, out, err = lomtree(command, "-i", model, *arguments, data)
    assert (status, out) == (2, b"")
    assert arguments[0] in err


# test


def test_the_score_is_that_of_the_predictions(lomtree, any_model, unseen):
    options = ("--beam", BEAM, "--top", 5)
    found = json.loads(lomtree("test", "-i", any_model, *options, "--json", stdin=unseen).out)
    predictions = lomtree("predict", "-i", any_model, "--beam", BEAM, stdin=unseen).out.splitlines()
    ranked = rankings(lomtree("predict", "-i", any_model, *options, stdin=unseen).out)
    truth = [line.split(b" ")[0] for line in unseen.splitlines()]
    assert found["examples"] == 200
    assert found["errors"] == sum(a != b for a, b in zip(predictions, truth, strict=True))
    assert found["error"] == found["errors"] / 200
    missed = sum(b not in dict(pairs) for pairs, b in zip(ranked, truth, strict=True))
    assert found["error_at_top"] == missed / 200
    assert found["error_at_top"] <= found["error"]
    assert found["top"] == 5
    assert found["log_loss"] > 0
    assert 0 <= found["calibration_error"] <= 1
    assert sum(row["examples"] for row in found["reliability"]) == 200


def test_the_score_of_a_walk_is_that_of_its_predictions(lomtree, any_model, unseen):
    found = json.loads(lomtree("test", "-i", any_model, "--walk", "--json", stdin=unseen).out)
    given = lomtree("predict", "-i", any_model, "--walk", stdin=unseen).out.splitlines()
    truth = [line.split(b" ")[0] for line in unseen.splitlines()]
    assert found["errors"] == sum(a != b for a, b in zip(given, truth, strict=True))
    assert "mean_depth" in found
    assert "log_loss" not in found


def test_without_options_the_score_is_that_of_the_search(lomtree, any_model, unseen):
    plain, wide = (
        json.loads(lomtree("test", "-i", any_model, *more, "--json", stdin=unseen).out)
        for more in ((), ("--beam", BEAM, "--top", 1))
    )
    for found in (plain, wide):
        del found["examples_per_second"]
    assert {name: value for name, value in wide.items() if name in plain} == plain
    assert plain["log_loss"] > 0


def test_k_changes_the_error_at_k_and_nothing_else(lomtree, any_model, unseen):
    one, five = (
        json.loads(lomtree("test", "-i", any_model, "--top", top, "--json", stdin=unseen).out)
        for top in (1, 5)
    )
    assert one["error_at_top"] == one["error"]
    for name in ("error", "log_loss", "calibration_error", "reliability"):
        assert one[name] == five[name]


def test_a_label_never_trained_with_is_an_error_at_any_k(lomtree, model):
    given = b"class-99 |words w3\n" * 3
    found = json.loads(lomtree("test", "-i", model, "--top", 20, "--json", stdin=given).out)
    assert (found["error"], found["error_at_top"]) == (1, 1)


def test_bad_lines_are_no_part_of_the_score(lomtree, model, unseen):
    arguments = ("test", "-i", model, "--top", 3, "--on-error", "skip", "--json", "--quiet")
    good = json.loads(lomtree(*arguments, stdin=unseen).out)
    mixed = json.loads(lomtree(*arguments, stdin=unseen + b"class-1 |words w3:nonsense\n").out)
    assert mixed["skipped"] == 1
    for name in ("examples", "error", "error_at_top", "log_loss", "reliability"):
        assert mixed[name] == good[name]


def test_a_person_sees_how_far_probabilities_hold(lomtree, any_model, unseen):
    status, out, _ = lomtree("test", "-i", any_model, "--top", 5, stdin=unseen)
    text = out.decode()
    assert status == 0
    for name in ("error rate", "error at 5", "log loss", "calibration error", "regressors asked"):
        assert re.search(rf"^{name} ", text, re.MULTILINE)
    table = text.split("\n\n")[1].splitlines()
    assert table[0].split() == ["probability", "examples", "mean", "right"]
    rows = [
        re.fullmatch(r"  (0\.\d) - (\d\.\d) +(\d+) +[\d.]+% +[\d.]+%", one) for one in table[1:]
    ]
    assert sum(int(row[3]) for row in rows if row) == 200


@pytest.mark.parametrize("loss", ["logistic", "absolute", "squared"])
@pytest.mark.parametrize(("name", "suffix"), [("clinc150", "vw"), ("isolet", "svm")])
def test_the_search_is_better_than_one_walk_on_real_data(lomtree, tmp_path, name, suffix, loss):
    train, test = (DATA / name / f"{part}.{suffix}.gz" for part in ("train", "test"))
    if not train.exists():
        pytest.skip(f"no {name} in LOMTREE_DATA")
    path = tmp_path / "model"
    done = lomtree("train", train, "--loss", loss, "--passes", 3, "--quiet", "-f", path)
    assert done.status == 0
    one, many = (
        json.loads(lomtree("test", "-i", path, test, *how, "--json").out)["error"]
        for how in (("--walk",), ())
    )
    assert many <= one
