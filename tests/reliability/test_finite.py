"""Whatever finite numbers come, a model stays one: finite weights, a tree that can be walked."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.errors import LomtreeError, OptionError
from lomtree.core.options import LOSSES, SCALES, UPDATES, Options, choose_options
from lomtree.examples.batch import CONSTANT
from lomtree.inspection.summary import Inspection
from lomtree.model.model import Model
from lomtree.model.model_file import read_model, write_model
from lomtree.storage.purposes import Purpose
from tests.generators.streams import ask, example, teach

LARGEST = float(np.finfo(np.float32).max)
SMALLEST = float(np.finfo(np.float32).smallest_subnormal)

SIZES = [1.0, 2.5, 1e-3, 1e3, 1e9, 1e-9, 1e15, 1e-15, 1e19, 1e-20, 1e30, 1e-30, 1e-38, 3e38]
VALUES = st.sampled_from([*SIZES, *(-size for size in SIZES), LARGEST, -LARGEST, SMALLEST])
IMPORTANCES = st.sampled_from([1.0, 1.0, 0.5, 1e-9, 1e9, 1e-3, 1e3])
EXAMPLES = st.builds(
    example,
    st.integers(0, 5),
    st.dictionaries(st.sampled_from([0, 1, 2, 3, CONSTANT]), VALUES),
    IMPORTANCES,
)
RATES = st.sampled_from([1e6, 1e-6, 4.0, 1e3])
POWERS = st.sampled_from([0.5, 0.0, 1.0, 0.3])


def new_model(algorithm, loss, update, rate, power, clip) -> Model:
    options = Options(
        algorithm=algorithm, bits=10, loss=loss, update=update, learning_rate=rate, power_t=power,
        clip=clip,
    )  # fmt: skip
    model = Model.new(options)
    model.labels.add(*(b"%d" % number for number in range(6)))
    return model


EVERY_OPTION = st.fixed_dictionaries(
    {"bits": st.just(10)},
    optional={
        "loss": st.sampled_from(LOSSES),
        "scale": st.sampled_from(SCALES),
        "ranker": st.booleans(),
        "paper": st.booleans(),
        "trees": st.sampled_from([1, 2]),
        "learning_rate": RATES,
        "power_t": POWERS,
        "clip": st.sampled_from([0.5, 1e6, 1e-6]),
        "max_nodes": st.integers(1, 7),
        "nodes_per_class": st.sampled_from([1e-6, 1.0, 1000.0]),
        "swap_resistance": st.sampled_from([0.0, 0.5, 1e9]),
        "min_impurity": st.sampled_from([0.0, 0.5, 0.999]),
        "max_statistics": st.sampled_from([1, 9, 2**30]),
        "classes": st.integers(1, 9),
        "seed": st.sampled_from([0, 1, 2**63 - 1]),
    },
)


def chosen(given: dict) -> Options:
    """What has no meaning for the algorithm is left out."""
    while True:
        try:
            return choose_options(given)
        except OptionError as error:
            wrong = [name for name in given if "--" + name.replace("_", "-") in str(error)]
            assume(wrong or "-T" in str(error))
            given = {name: given[name] for name in given if name not in (*wrong, "max_nodes")}


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=20)
@given(EVERY_OPTION, st.lists(EXAMPLES, min_size=1, max_size=30))
def test_with_any_options_finite_numbers_make_a_model(
    tmp_path_factory, algorithm, update, given, stream
):
    model = Model.new(chosen({**given, "algorithm": algorithm, "update": update}))
    model.labels.add(*(b"%d" % number for number in range(6)))
    teach(model.learner, stream)
    check_works(model, stream, tmp_path_factory.mktemp("finite"))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_large_values_that_come_again_and_again_stay_finite(tmp_path, algorithm, scale):
    stream = [example(number % 3, {0: 1e20, 1: -1e25, 2 + number % 3: 1.0}) for number in range(99)]
    model = Model.new(Options(algorithm=algorithm, bits=10, scale=scale))
    model.labels.add(*(b"%d" % number for number in range(6)))
    teach(model.learner, stream)
    check_works(model, stream[:9], tmp_path)


def test_what_cannot_be_read_again_takes_the_place_of_no_model(tmp_path):
    model = new_model("lomtree", "logistic", "adaptive", 4.0, 0.5, 0.5)
    stream = [example(number % 3, {number % 3: 1.0}) for number in range(9)]
    teach(model.learner, stream)
    path = tmp_path / "model.lom"
    write_model(model, str(path))
    before = path.read_bytes()
    model.learner.state.weights.table[0, 0] = np.inf
    with pytest.raises(LomtreeError, match=r"not written, .* not finite"):
        write_model(model, str(path))
    model.learner.state.weights.table[0, 0] = 0.0
    model.learner.state.tree.nodes["label"][0] = 10**6  # finite, but no label
    with pytest.raises(LomtreeError, match=r"not written, .* a label that does not exist"):
        write_model(model, str(path))
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["model.lom"]


def check_works(model: Model, stream, folder) -> None:
    """It is written, and what is read again predicts, goes on learning and can be looked at."""
    path = str(folder / "model.lom")
    write_model(model, path)
    again = read_model(path, Purpose.LEARN)
    assert ask(again.learner, stream) == ask(model.learner, stream)
    inspection = Inspection(path, read_model(path, Purpose.COUNT))
    json.dumps(inspection.summary(10), allow_nan=False)
    if model.options.algorithm != "oaa" and model.options.trees == 1:
        json.dumps(inspection.view.top(10), allow_nan=False)
        line = b"|f a:3e38 b:1e-38 | " + b" ".join(b"%d:-3e38" % feature for feature in range(4))
        json.dumps(inspection.view.path(line, 10), allow_nan=False)
    teach(again.learner, stream)
    write_model(again, path)
    read_model(path, Purpose.LEARN)


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=8)
@given(st.lists(EXAMPLES, min_size=1, max_size=30), RATES, POWERS, st.sampled_from([0.5, 1e6]))
def test_any_finite_numbers_make_a_model(
    tmp_path_factory, algorithm, loss, update, stream, rate, power, clip
):
    model = new_model(algorithm, loss, update, rate, power, clip)
    teach(model.learner, stream)
    check_works(model, stream, tmp_path_factory.mktemp("finite"))


@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_extremes_that_come_again_and_again_add_up_to_no_more(tmp_path, algorithm, loss, update):
    rng = np.random.default_rng(1)
    for sizes in (SIZES, [1e-30, 1e-15, -1e-14], [1e19, -3e38, 1e14], [1e-15, 1e14, 1.0]):
        different = [
            example(label, dict(enumerate(rng.choice(sizes, 3))), rng.choice([1, 1e-9, 1e9]))
            for label in range(6)
        ]
        model = new_model(algorithm, loss, update, 1e6, 0.0, 1e6)
        teach(model.learner, [different[i] for i in rng.integers(6, size=3000)])
        check_works(model, different, tmp_path)
