"""Derived features: those of the slow twin, and those of a running VW."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lomtree.core.options import Options
from lomtree.derived.derivation import Deriver
from lomtree.derived.problems import LARGE_PRODUCT
from lomtree.formats.one_line import parse_line
from lomtree.formats.reader import Reader
from tests.generators.namespaces import RECIPES, namespace_line
from tests.generators.strange_text import strange_text
from tests.oracles import derived as oracle

ROOT = Path(__file__).parents[2]
LINES = 500  # for each of the twenty recipes: 10,000 in all
LARGEST = np.finfo(np.float32).max
MORE = [
    {"ignore_linear": ["a"], "quadratic": ["ab"]},
    {"char_ngrams": ["3-3"], "chars_only": True},
    {"char_ngrams": ["1-4"], "ngram": ["2"], "quadratic": ["aa"], "ignore_linear": ["b "]},
]


def lines_for(recipe: dict) -> list[bytes]:
    random = Random(repr(recipe))
    return [namespace_line(random) for _ in range(LINES)]


def written(folder, lines: list[bytes]) -> str:
    path = folder / "lines.vw"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return str(path)


def options_of(recipe: dict) -> Options:
    return Options(**{name: v if v is True else tuple(v) for name, v in recipe.items()})


def derived_from(path: str, recipe: dict) -> list[list[tuple[int, np.float32]]]:
    """What the program makes of the lines, each feature once."""
    found = []
    for examples in Reader([path], "vw", derived=options_of(recipe).derived):
        batch = examples.batch
        for begin, end in zip(batch.starts[: examples.count], batch.starts[1:], strict=False):
            features, values = batch.features[begin:end].tolist(), batch.values[begin:end]
            found.append(list(zip(features, values, strict=True)))
    return found


def merged(features: list[tuple[int, np.float32]]) -> dict[int, float]:
    sums: dict[int, float] = {}
    for feature, value in features:
        sums[feature] = sums.get(feature, 0.0) + float(value)
    return {feature: value for feature, value in sums.items() if value}


@pytest.mark.parametrize("recipe", [*RECIPES, *MORE], ids=str)
def test_derived_features_are_those_of_the_twin(tmp_path, recipe):
    lines = lines_for(recipe)
    found = derived_from(written(tmp_path, lines), recipe)
    assert len(found) == LINES
    for line, ours in zip(lines, found, strict=True):
        assert len(dict(ours)) == len(ours)  # each once
        expected = merged(oracle.derive(oracle.read_example(line), recipe))
        assert dict(ours) == pytest.approx(expected, rel=1e-6), line


@settings(max_examples=300)
@given(st.randoms(use_true_random=False), st.sampled_from([*RECIPES, MORE[0]]))
def test_strange_text_is_derived_from_as_the_twin_does_it(random, recipe):
    text, wanted = strange_text(random, "vw"), options_of(recipe).derived
    examples, namespaces = parse_line(text, "vw", wanted)
    wrong = examples.problems[: examples.count].tolist()
    for made in Deriver(wanted, 1).parts(examples, namespaces):
        batch, lines = made.batch, [line.rstrip(b"\r") for line in text.split(b"\n")]
        for number, line in enumerate(made.origin.lines[: made.count].tolist()):
            begin, end = batch.starts[number : number + 2]
            if wrong[number]:
                assert begin == end
                continue
            expected = oracle.derive(oracle.read_example(lines[line]), recipe)
            if not all(np.isfinite(value) for _, value in expected):
                assert made.problems[number] == LARGE_PRODUCT
                continue
            sums = merged([(hash, min(max(v, -LARGEST), LARGEST)) for hash, v in expected])
            ours = dict(
                zip(batch.features[begin:end].tolist(), batch.values[begin:end], strict=True)
            )
            assert ours == pytest.approx(sums, rel=1e-5, abs=1e-30)


def test_python_itself_derives_the_same(tmp_path):
    recipe = {"quadratic": ["::"], "cubic": ["aab"], "ngram": ["2"], "ignore_linear": ["a"]}
    path = written(tmp_path, lines_for(recipe)[:20])
    script = (
        "from tests.derived.test_derivation import derived_from\n"
        f"print([[(h, float(v)) for h, v in row] for row in derived_from({path!r}, {recipe!r})])"
    )
    settings = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], env=settings, capture_output=True, check=True
    )
    ours = [[(h, float(v)) for h, v in row] for row in derived_from(path, recipe)]
    assert done.stdout.decode().strip() == repr(ours)


def vw_options(recipe: dict) -> list[str]:
    """The same as VW's command line."""
    words = []
    for name, values in recipe.items():
        for value in [None] if values is True else values:
            words += [f"--{name}"] + ([] if value is None else [value.replace(" ", r"\x20")])
    return words


def audit(path: str, *options: str) -> list[list[tuple[int, str]]]:
    """What VW says of each example: hashes and values, as printed."""
    command = [sys.executable, "-m", "vowpalwabbit", "-d", path, "--audit", "--quiet", "-t"]
    said = subprocess.run([*command, *options], capture_output=True, check=True).stdout
    return [
        [(int(hash), value.decode()) for hash, value in re.findall(rb":(\d+):([^:]+):[^:\t]+", row)]
        for row in said.split(b"\n")[1::2]  # each follows a prediction
    ]


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_features_are_those_of_a_running_vw(tmp_path, recipe):
    """With all 32 bits of a hash: VW has room for them where its weights are sparse."""
    pytest.importorskip("vowpalwabbit")
    lines = lines_for(recipe)
    path = written(tmp_path, lines)
    theirs = audit(path, *vw_options(recipe), "--sparse_weights", "-b", "32")
    for line, features in zip(lines, theirs, strict=True):
        made = oracle.derive(oracle.read_example(line), recipe)
        assert Counter(features) == Counter((hash, f"{value:g}") for hash, value in made), line


@pytest.mark.parametrize("bits", [18, 24])
def test_fewer_bits_of_vw_are_the_last_ones_of_ours(tmp_path, bits):
    pytest.importorskip("vowpalwabbit")
    recipe = {"ngram": ["3"], "skips": ["1"], "quadratic": ["::"], "cubic": ["aab"]}
    lines = lines_for(recipe)
    path = written(tmp_path, lines)
    theirs = audit(path, *vw_options(recipe), "-b", str(bits))
    for features, made in zip(theirs, derived_from(path, recipe), strict=True):
        assert {hash for hash, _ in features} >= {hash % 2**bits for hash, _ in made}


def test_namespaces_without_linear_features_are_those_of_vw(tmp_path):
    """VW's audit names them all the same; but nothing is learned of them."""
    pytest.importorskip("vowpalwabbit")
    recipe = {"ignore_linear": ["a"], "quadratic": ["ab"]}
    lines = [line.replace(b"1", b"-1", n % 2) for n, line in enumerate(lines_for(recipe))]
    path, names = written(tmp_path, lines), tmp_path / "names"
    options = [*vw_options(recipe), "--sparse_weights", "-b", "32", "--predict_only_model"]
    command = [sys.executable, "-m", "vowpalwabbit", "-d", path, *options, "--quiet"]
    subprocess.run([*command, "--invert_hash", names], check=True)
    learned = {int(found) for found in re.findall(rb"(?m):(\d+):[^:]+$", names.read_bytes())}
    ours = {hash for made in derived_from(path, recipe) for hash, _ in made}
    assert learned <= ours
    assert len(learned) > 0.9 * len(ours)  # where VW is sure already, it learns nothing
