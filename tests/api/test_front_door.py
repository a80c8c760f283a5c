"""What `import lomtree` offers, without the command line and without a meter."""

import subprocess
import sys

import pytest

import lomtree


def test_everything_is_there():
    for name in lomtree.__all__:
        assert getattr(lomtree, name) is not None
    assert dir(lomtree) == lomtree.__all__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lomtree.nothing


def test_importing_costs_nothing():
    heavy = {"numpy", "numba", "click", "tqdm", "sklearn"}
    script = f"import lomtree, sys; print({heavy!r} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_the_same_model_as_the_command_line(process, data, tmp_path):
    """As the package's docstring shows it; a trainer needs no meter."""
    model = lomtree.Model.new(lomtree.Options(bits=18))
    lomtree.Trainer(model).learn(lomtree.Reader([data], labels_required=True), passes=3)
    lomtree.write_model(model, str(tmp_path / "api.lom"))
    by_command = tmp_path / "command.lom"
    command = process("train", data, "-b", 18, "--passes", 3, "--quiet", "-f", by_command)
    assert command.communicate() == (b"", b"")
    assert (tmp_path / "api.lom").read_bytes() == by_command.read_bytes()

    again = lomtree.read_model(str(by_command))
    score = lomtree.score_examples(again, lomtree.Reader([data], labels_required=True))
    assert (score.examples, score.unknown) == (300, 0)
    assert score.error < 0.2


def test_options_that_make_no_sense_cannot_be_made():
    for wrong in ({"algorithm": "none"}, {"bits": 3}, {"algorithm": "oaa", "trees": 3}):
        with pytest.raises(lomtree.OptionError):
            lomtree.Options(**wrong)


def test_the_package_says_that_it_is_typed_and_what_it_is():
    from importlib.metadata import metadata
    from pathlib import Path

    assert (Path(lomtree.__file__).parent / "py.typed").exists()
    found = metadata("lomtree")
    assert found["License-Expression"] == "MIT"
    assert found["Author"] or found["Author-email"]
    assert "Typing :: Typed" in found.get_all("Classifier")
    assert any("1406.1822" in url for url in found.get_all("Project-URL"))


def test_a_model_refuses_examples_without_its_derived_features(tmp_path):
    (tmp_path / "data.vw").write_text("1 |a x |b y\n2 |a z |b y\n")
    model = lomtree.Model.new(lomtree.Options(quadratic=("ab",)))
    plain = lomtree.Reader([str(tmp_path / "data.vw")], labels_required=True)
    with pytest.raises(lomtree.LomtreeError, match="different derived features: Reader"):
        lomtree.Trainer(model).learn(plain)
    derived = lomtree.Reader(plain.sources, labels_required=True, derived=model.options.derived)
    lomtree.Trainer(model).learn(derived, passes=2)
    assert lomtree.score_examples(model, derived).examples == 2
    with pytest.raises(lomtree.LomtreeError, match="different derived features: Reader"):
        lomtree.score_examples(model, plain)


def test_without_extras_there_are_four_dependencies():
    import re
    from importlib.metadata import requires

    plain = [one for one in requires("lomtree") or [] if "extra ==" not in one]
    assert {re.match(r"[a-z-]+", one)[0] for one in plain} == {"numpy", "numba", "click", "tqdm"}
    extras = "\n".join(one for one in requires("lomtree") or [] if "extra ==" in one)
    assert 'scikit-learn>=1.6; extra == "sklearn"' in extras
    assert 'narwhals>=1.20; extra == "frames"' in extras
