"""Interactions and n-grams on the command line: part of models, caches and inspection."""

import json
from random import Random

import pytest


@pytest.fixture
def exclusive(tmp_path) -> str:
    """Which of two namespaces' words meet decides: no linear regressor can tell."""
    random = Random(1)
    lines = []
    for _ in range(2000):
        a, b = random.randrange(2), random.randrange(2)
        lines.append(f"{'same' if a == b else 'other'} |a x{a} |b y{b}\n")
    path = tmp_path / "exclusive.vw"
    path.write_text("".join(lines))
    return str(path)


def error_of(lomtree, model, data: str) -> float:
    said = lomtree("test", "--json", "--quiet", "--walk", "-i", model, data)
    assert said.status == 0, said.err
    return json.loads(said.out)["error"]


ONE_SPLIT = ("--no-ranker", "-T", "1")


def test_interactions_are_part_of_the_model(lomtree, tmp_path, exclusive):
    plain, paired = tmp_path / "plain.lom", tmp_path / "paired.lom"
    assert lomtree("train", exclusive, *ONE_SPLIT, "-f", plain).status == 0
    train = lomtree("train", exclusive, *ONE_SPLIT, "-q", "ab", "--char-marks", "<>", "-f", paired)
    assert "\nderived features: --quadratic ab --char-marks '<>'\n" in train.err
    assert error_of(lomtree, plain, exclusive) > 0.2
    assert error_of(lomtree, paired, exclusive) == 0
    said = lomtree("predict", "--walk", "-i", paired, "-", stdin=b"|a x0 |b y0\n|a x1 |b y0\n")
    assert said.out == b"same\nother\n"
    assert b"\nderived      --quadratic ab --char-marks '<>'\n" in lomtree("inspect", paired).out
    assert b"quadratic" not in lomtree("inspect", plain).out


def test_training_goes_on_with_what_the_model_derives(lomtree, tmp_path, exclusive):
    model = tmp_path / "model.lom"
    assert lomtree("train", exclusive, *ONE_SPLIT, "-q", "ab", "-f", model).status == 0
    assert lomtree("train", exclusive, "-i", model, "-f", model, "-q", "ab").status == 0
    assert error_of(lomtree, model, exclusive) == 0
    said = lomtree("train", exclusive, "-i", model, "-f", model, "--ngram", "2")
    assert said.status == 2
    assert said.err.endswith("--ngram is not given in this model and cannot change\n")


def test_a_cache_of_other_features_is_not_used(lomtree, tmp_path, exclusive):
    model, cache = tmp_path / "model.lom", tmp_path / "examples.cache"
    train = ("train", exclusive, *ONE_SPLIT, "--cache", cache, "-f", model)
    assert lomtree(*train).status == 0
    assert "it was made with other options); it is written again" in lomtree(*train, "-q", "ab").err
    assert error_of(lomtree, model, exclusive) == 0
    assert f"reading the cache {cache}" in lomtree(*train, "-q", "ab").err
    assert error_of(lomtree, model, exclusive) == 0


def test_the_path_names_interacting_features(lomtree, tmp_path, exclusive):
    model = tmp_path / "model.lom"
    assert lomtree("train", exclusive, "-q", "ab", "--ngram", "2", "-f", model).status == 0
    said = lomtree("inspect", model, "--path", "|a x0 x1 |b y1", "--json", "--top", "20")
    found = json.loads(said.out)
    names = {row["feature"] for step in found["path"]["steps"] for row in step["features"]}
    assert {"a^x0*b^y1", "a^x0^x1", "a^x0^x1*b^y1", "Constant"} <= names
    decided = {row["feature"] for row in found["ranking"]["decided"]["features"]}
    assert "a^x0*b^y1" in decided


def test_all_pairs_of_libsvm_text(lomtree, tmp_path):
    random, lines = Random(2), []
    for _ in range(2000):
        a, b = random.choice([-1, 1]), random.choice([-1, 1])
        lines.append(f"{'same' if a == b else 'other'} 1:{a} 2:{b}\n")
    data, model = tmp_path / "data.svm", tmp_path / "model.lom"
    data.write_text("".join(lines))
    assert lomtree("train", data, *ONE_SPLIT, "-q", "::", "-f", model).status == 0
    assert error_of(lomtree, model, str(data)) == 0


def test_examples_without_a_constant_may_have_no_features(lomtree, tmp_path):
    data, model = tmp_path / "data.vw", tmp_path / "model.lom"
    data.write_text("1 |f a\n2 |f b\n1 |g x\n3 |\n" * 200)
    for more in ([], ["--trees", "2"], ["--algorithm", "oaa"], ["--scale", "none"]):
        train = lomtree("train", data, "--noconstant", "--keep", "f", *more, "-f", model)
        assert train.status == 0, train.err
        assert "features           400\n" in train.err
        said = lomtree("predict", "-i", model, data)
        assert said.status == 0
        assert len(said.out.splitlines()) == 800
    nothing = lomtree("train", data, "--noconstant", "--keep", "z", "-f", tmp_path / "no.lom")
    assert nothing.status == 1
    assert "none of the 800 examples has a feature" in nothing.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-q", "abc"], "--quadratic must name 2 namespaces, not 'abc'"),
        (["--skips", "1"], "--skips needs --ngram: there is nothing to skip words in"),
        (["--word-ngrams", "x"], "--ngram must be a number from 1 to 16"),
        (["--char-ngrams", "5-3"], "--char-ngrams must be MIN-MAX with numbers from 1 to 64"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(lomtree, exclusive, options, sentence):
    said = lomtree("train", exclusive, "-f", "never.lom", *options)
    assert said.status == 2
    assert sentence in said.err


def test_characters_of_libsvm_text_are_refused(lomtree, tmp_path):
    data = tmp_path / "data.svm"
    data.write_text("1 3:1\n2 4:1\n")
    said = lomtree("train", data, "--char-ngrams", "3", "-f", tmp_path / "no.lom")
    assert said.status == 1
    assert said.err.splitlines()[-1].endswith(
        "--char-ngrams needs words, and these examples have none"
    )
