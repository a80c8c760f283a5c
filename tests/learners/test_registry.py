"""The four algorithms from the command line: one word changes, everything else works the same."""

import json
import re

import numpy as np
import pytest

from lomtree.core.algorithms import ALGORITHMS, options_of_others
from lomtree.core.errors import OptionError
from lomtree.core.options import Options, choose_options
from lomtree.learners.factory import learner_for, new_learner
from lomtree.model.model import Model
from tests.generators.strange_files import sections

RIVALS = tuple(ALGORITHMS)[1:]


@pytest.fixture(params=ALGORITHMS)
def algorithm(request) -> str:
    return request.param


def train(lomtree, path, *arguments, stdin=b""):
    """Train quietly; returns the model's bytes."""
    result = lomtree("train", "-b", 18, "--quiet", "-f", path, *arguments, stdin=stdin)
    assert result == (0, b"", "")
    return path.read_bytes()


def test_every_word_has_a_learner(algorithm):
    learner = new_learner(Options(algorithm=algorithm, bits=12))
    assert type(learner) is learner_for(learner.options)


def test_it_learns_and_its_model_says_who_made_it(lomtree, data, tmp_path, algorithm):
    train(lomtree, tmp_path / "m", data, "--algorithm", algorithm, "--passes", 5)
    score = json.loads(lomtree("test", "-i", tmp_path / "m", "--walk", "--json", data).out)
    assert score["algorithm"] == algorithm
    assert score["error"] < 0.1
    assert (score["mean_depth"] is None) == (algorithm == "oaa")
    text = lomtree("test", "-i", tmp_path / "m", "--walk", data).out.decode()
    assert text.startswith(f"algorithm            {algorithm}\n")
    assert ("depth" in text) == (algorithm != "oaa")
    assert b'"algorithm":"%s"' % algorithm.encode() in (tmp_path / "m").read_bytes()


def test_what_a_person_sees(lomtree, data, tmp_path, algorithm):
    said = lomtree("train", data, "-b", 18, "--algorithm", algorithm, "-f", tmp_path / "m").err
    assert said.startswith(f"reading {data}\n{algorithm}, ")
    assert re.search(r"^labels +19$", said, re.MULTILINE)
    assert bool(re.search(r"^internal nodes +\d+", said, re.MULTILINE)) == (algorithm != "oaa")
    assert bool(re.search(r"^depth +mean", said, re.MULTILINE)) == (algorithm != "oaa")
    assert bool(re.search(r"^weights +\d+ features times 19 labels$", said, re.MULTILINE)) == (
        algorithm == "oaa"
    )


def test_in_two_runs_or_in_one_gives_the_same_file(lomtree, lines, tmp_path, algorithm):
    first, second = b"".join(lines[:130]), b"".join(lines[130:])
    whole = train(lomtree, tmp_path / "w", "--algorithm", algorithm, stdin=first + second)
    train(lomtree, tmp_path / "m", "--algorithm", algorithm, stdin=first)
    assert train(lomtree, tmp_path / "m", "-i", tmp_path / "m", stdin=second) == whole


def test_predict_only_predicts_nearly_the_same(lomtree, data, tmp_path, algorithm):
    whole = train(lomtree, tmp_path / "w", data, "--algorithm", algorithm)
    small = train(lomtree, tmp_path / "s", data, "--algorithm", algorithm, "--predict-only")
    assert len(small) < len(whole)
    predictions = lomtree("predict", "-i", tmp_path / "s", data)
    assert lomtree("predict", "-i", tmp_path / "s", "--threads", 1, data) == predictions
    before = lomtree("predict", "-i", tmp_path / "w", data).out.splitlines()
    pairs = zip(before, predictions.out.splitlines(), strict=True)
    assert sum(one != other for one, other in pairs) <= 3  # weights are rounded


@pytest.mark.parametrize("algorithm", RIVALS)
@pytest.mark.parametrize("classes", [1, 7, 20, 300])
def test_announcing_the_classes_changes_no_prediction(lomtree, data, tmp_path, algorithm, classes):
    train(lomtree, tmp_path / "a", data, "--algorithm", algorithm)
    train(lomtree, tmp_path / "b", data, "--algorithm", algorithm, "-k", classes)
    predictions = [lomtree("predict", "-i", tmp_path / name, data).out for name in "ab"]
    assert predictions[0] == predictions[1]
    assert len(set(predictions[0].split())) > 10


def test_announced_classes_let_the_lomtree_grow_at_once(lomtree, tmp_path):
    """T is 4 nodes a class: of the two labels there are, or of a hundred."""
    rng = np.random.default_rng(0)
    examples = [f"{rng.integers(2)} |f a{rng.integers(9)} b{rng.integers(9)}" for _ in range(400)]
    stdin = "\n".join(examples).encode()
    nodes = []
    for more in ((), ("-k", 100)):
        said = lomtree("train", "-b", 18, "-f", tmp_path / "m", *more, stdin=stdin).err
        nodes.append(int(re.search(r"internal nodes +(\d+)", said)[1]))
    assert nodes[0] == 7 < nodes[1] <= 399


@pytest.mark.parametrize("labels", [("only",), ("a", "b")])
def test_one_label_and_two(lomtree, tmp_path, algorithm, labels):
    text = "".join(f"{label} |f x{label} y\n" for label in labels * 20).encode()
    train(lomtree, tmp_path / "m", "--algorithm", algorithm, stdin=text)
    predictions = lomtree("predict", "-i", tmp_path / "m", stdin=text).out.decode().split()
    assert predictions == list(labels * 20)
    assert lomtree("predict", "-i", tmp_path / "m", stdin=b"|f never seen\n").out.strip() != b""


def test_labels_first_seen_late_are_learned(lomtree, tmp_path, algorithm):
    early = [f"e{n % 3} |f w{n % 3} u{n % 7}" for n in range(300)]
    late = [f"l{n % 40} |f v{n % 40} u{n % 7}" for n in range(2000)]
    stdin = "\n".join(early + late).encode()
    train(lomtree, tmp_path / "m", "--algorithm", algorithm, stdin=stdin)
    predictions = lomtree("predict", "-i", tmp_path / "m", stdin=stdin).out.decode().split()
    wrong = np.mean([a != b.split()[0] for a, b in zip(predictions[300:], late, strict=True)])
    assert wrong < 0.1


def test_importance_is_how_often_an_example_counts(lomtree, tmp_path, algorithm):
    text = b"a 0.01 |f x\nb 9 |f x\n" * 30
    train(lomtree, tmp_path / "m", "--algorithm", algorithm, stdin=text)
    assert lomtree("predict", "-i", tmp_path / "m", stdin=b"|f x\n").out == b"b\n"
    swapped = text.replace(b"0.01", b"9", 30).replace(b"b 9", b"b 0.01")
    train(lomtree, tmp_path / "m", "--algorithm", algorithm, stdin=swapped)
    assert lomtree("predict", "-i", tmp_path / "m", stdin=b"|f x\n").out == b"a\n"


def test_the_seed_draws_the_tree_over_the_labels(lomtree, data, tmp_path, algorithm):
    files = [
        train(lomtree, tmp_path / "m", data, "--algorithm", algorithm, "--seed", seed)
        for seed in (1, 2, 1)
    ]
    assert files[0] == files[2]
    learned = [re.sub(rb'"seed":\d', b"", b"".join(sections(file))) for file in files]
    assert (learned[0] != learned[1]) == (algorithm in ("rtree", "filter"))


@pytest.mark.parametrize("algorithm", RIVALS)
@pytest.mark.parametrize(
    ("option", "value"), [("-T", 5), ("--nodes-per-class", 2), ("--swap-resistance", 2)]
)
def test_options_without_a_meaning_are_refused(lomtree, data, tmp_path, algorithm, option, value):
    path = tmp_path / "m"
    result = lomtree("train", data, "--algorithm", algorithm, option, value, "-f", path)
    name = "--max-nodes" if option == "-T" else option
    sentence = f"lomtree: {name} has no meaning for --algorithm {algorithm}\n"
    assert result == (2, b"", sentence)
    train(lomtree, path, data, "--algorithm", algorithm)
    assert lomtree("train", data, "-i", path, option, value, "-f", path) == (2, b"", sentence)


def test_the_options_of_the_lomtree_alone_are_refused_for_a_model_of_another():
    model = Model.new(Options(algorithm="oaa", bits=12))
    for name in options_of_others("oaa"):
        with pytest.raises(OptionError, match="has no meaning for --algorithm oaa"):
            choose_options({name: 3}, model.options)


def test_a_model_cannot_change_its_algorithm(lomtree, data, tmp_path, algorithm):
    train(lomtree, tmp_path / "m", data, "--algorithm", algorithm)
    for other in ALGORITHMS:
        result = lomtree(
            "train", data, "-i", tmp_path / "m", "--algorithm", other, "-f", tmp_path / "n"
        )
        if other == algorithm:
            assert result.status == 0
        else:
            sentence = f"--algorithm is {algorithm} in this model and cannot change"
            assert result == (2, b"", f"lomtree: {sentence}\n")


def test_an_unknown_algorithm_is_a_usage_error(lomtree, data, tmp_path):
    result = lomtree("train", data, "--algorithm", "forest", "-f", tmp_path / "m")
    assert (result.status, result.out) == (2, b"")
    assert "'forest' is not one of" in result.err


@pytest.mark.parametrize("classes", ["0", "-1", "x", str(2**30)])
def test_a_senseless_number_of_classes_is_a_usage_error(lomtree, data, tmp_path, classes):
    result = lomtree("train", data, "-k", classes, "-f", tmp_path / "m")
    assert (result.status, result.out) == (2, b"")


@pytest.mark.parametrize("update", ["sgd", "adaptive"])
def test_huge_and_tiny_numbers_leave_a_model_that_can_be_read(lomtree, tmp_path, algorithm, update):
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(300):
        values = 10.0 ** rng.uniform(-38, 38, 3) * rng.choice([-1, 1], 3)
        features = " ".join(f"f{n}:{value:.6g}" for n, value in enumerate(values))
        lines.append(f"{rng.integers(5)} {10.0 ** rng.uniform(-9, 9):.6g} |x {features}\n")
    stdin = "".join(lines).encode()
    for rate in (1e-3, 1e6):
        train(
            lomtree, tmp_path / "m", "--algorithm", algorithm, "--update", update, "-l", rate,
            "--clip", 1e6, stdin=stdin,
        )  # fmt: skip
        result = lomtree("predict", "-i", tmp_path / "m", stdin=stdin)
        assert (result.status, len(result.out.split())) == (0, 300)


def test_a_crowded_table_of_one_against_all_goes_on_and_says_so(lomtree, lines, tmp_path):
    """2^10 weights are 32 rows for 19 labels; the text has more words than that."""
    first, second = b"".join(lines[:150]), b"".join(lines[150:])
    arguments = ("-b", 10, "--algorithm", "oaa")
    said = lomtree("train", *arguments, "-f", tmp_path / "w", stdin=first + second).err
    assert re.search(r"weights +32 features times 19 labels: crowded, a larger -b would help", said)
    lomtree("train", *arguments, "-f", tmp_path / "m", stdin=first)
    lomtree("train", "-i", tmp_path / "m", "-f", tmp_path / "m", stdin=second)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "w").read_bytes()
    score = json.loads(lomtree("test", "-i", tmp_path / "w", "--json", stdin=b"".join(lines)).out)
    assert score["error"] < 0.9  # of 19 labels the most frequent one has a tenth


def test_more_labels_than_weights_still_find_a_row(lomtree, tmp_path):
    text = "".join(f"{n} |f a b\n" for n in range(1500)).encode()
    said = lomtree("train", "-b", 10, "--algorithm", "oaa", "-f", tmp_path / "m", stdin=text).err
    assert "1 features times 1,500 labels: crowded" in said
    assert len(lomtree("predict", "-i", tmp_path / "m", stdin=text).out.split()) == 1500
