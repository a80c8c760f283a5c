"""Derived features have the names that VW's audit prints."""

import re
import subprocess
import sys
from random import Random

import pytest

from lomtree.core.options import Options
from lomtree.formats.naming import names_in_line
from lomtree.formats.one_line import read_line
from lomtree.formats.registry import FORMATS
from tests.derived.test_derivation import options_of, vw_options, written
from tests.generators.namespaces import RECIPES, namespace_line


def names_of(line: str, format: str = "vw", **options) -> set[str]:
    """Of all features that an example has; each must have one."""
    derived = Options(**options).derived
    batch = read_line(line.encode(), format, derived).batch
    names = names_in_line(line.encode(), FORMATS[format], derived)
    return {names[feature] for feature in batch.features[: batch.starts[1]].tolist()}


def test_interactions_name_their_features():
    found = names_of("1 |a x y |b z", quadratic=("ab",), ignore_linear=("ab",))
    assert found == {"a^x*b^z", "a^y*b^z", "Constant"}


def test_n_grams_name_their_words():
    found = names_of("1 |a x y z", ngram=("2",), skips=("1",), noconstant=True)
    assert found == {"a^x", "a^y", "a^z", "a^x^y", "a^y^z", "a^x^z"}


def test_character_n_grams_are_words_of_their_namespace():
    options = {"char_ngrams": ("2",), "chars_only": True, "noconstant": True}
    assert names_of("1 |ns yö:2", **options) == {"ns^^y", "ns^yö", "ns^ö$"}
    assert names_of("1 | yö", **options, char_marks="") == {"yö"}


def test_features_of_libsvm_text_interact_by_their_numbers():
    found = names_of("1 3:2 7:1", "libsvm", quadratic=("::",))
    assert found == {"3", "7", "3*3", "3*7", "7*7", "Constant"}


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_names_are_those_of_a_running_vw(tmp_path, recipe):
    pytest.importorskip("vowpalwabbit")
    random = Random(repr(recipe))
    lines = [namespace_line(random).replace(b" :4", b"") for _ in range(20)]
    path = written(tmp_path, lines)
    options = [*vw_options(recipe), "--sparse_weights", "-b", "32"]
    command = [sys.executable, "-m", "vowpalwabbit", "-d", path, "--audit", "--quiet", "-t"]
    said = subprocess.run([*command, *options], capture_output=True, check=True).stdout
    for line, row in zip(lines, said.split(b"\n")[1::2], strict=True):
        names = names_in_line(line, FORMATS["vw"], options_of(recipe).derived)
        for name, hash in re.findall(rb"([^\t:]+):(\d+):[^:]+:[^:\t]+", row):
            assert names[int(hash)] == name.decode()
