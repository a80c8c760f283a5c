"""Who is in which leaf: the counts agree with slow walks and with the tree's own statistics."""

import numpy as np
import pytest

from lomtree.core.errors import LomtreeError
from lomtree.core.options import Options
from lomtree.examples.batch import CONSTANT
from lomtree.formats.reader import Reader
from lomtree.inspection.leaf_counts import (
    Shape,
    leaf_counts_of_data,
    leaf_counts_of_model,
    shape_of,
)
from lomtree.model.model import Model
from lomtree.model.model_file import read_model, write_model
from lomtree.storage.purposes import Purpose
from tests.generators.leaf_counts import (
    CLASSES,
    TREES,
    as_dictionary,
    children_of,
    model_of_tree,
    random_tree,
    root_of,
    trained,
)
from tests.generators.streams import (
    BITS,
    example,
    naive_learner,
    random_options,
    random_stream,
    statistics_of,
    teach_naive,
)
from tests.oracles import split_quality as naive


def assert_same_counts(found: dict, expected: dict) -> None:
    expected = {leaf: labels for leaf, labels in expected.items() if labels}
    assert found.keys() == expected.keys()
    for leaf, labels in expected.items():
        assert found[leaf] == pytest.approx(labels, rel=1e-12)


# The shape


def assert_shape(shape: Shape, children: dict, root: int) -> None:
    depths = naive.depths(children, root)
    assert dict(enumerate(shape.depth.tolist())) == depths
    assert shape.leaves.tolist() == naive.leaves_below(children, root)
    for v in depths:
        run = shape.leaves[shape.begin[v] : shape.end[v]].tolist()
        assert run == naive.leaves_below(children, v)


def test_the_shape_of_a_single_leaf():
    for model in (Model.new(Options(bits=BITS)), model_of_tree({})):
        assert [part.tolist() for part in shape_of(model)] == [[0], [0], [1], [0]]


@pytest.mark.parametrize("seed", range(30))
def test_the_shape_of_random_trees(seed):
    rng = np.random.default_rng(seed)
    children, root = random_tree(rng, int(rng.integers(1, 60)))
    assert_shape(shape_of(model_of_tree(children, root)), children, root)


@pytest.mark.parametrize("side", [0, 1])
def test_the_shape_of_chains(side):
    def chain(length):
        """The node 2 i has the leaf 2 i + 1 at one side, the rest of the chain at the other."""
        pairs = {2 * i: (2 * i + 1, 2 * i + 2) for i in range(length)}
        return {v: pair if side else pair[::-1] for v, pair in pairs.items()}

    assert_shape(shape_of(model_of_tree(chain(200))), chain(200), 0)
    long = shape_of(model_of_tree(chain(50_000)))
    assert long.depth.max() == 50_000
    in_order = [*range(1, 100_000, 2), 100_000]
    assert long.leaves.tolist() == (in_order if side else in_order[::-1])


def test_one_against_all_has_no_shape():
    model = Model.new(Options("oaa", bits=BITS))
    with pytest.raises(LomtreeError, match="a model of oaa has no tree"):
        shape_of(model)


# Leaf counts from a model's own statistics


@pytest.mark.parametrize("seed", range(20))
def test_a_lomtree_knows_who_came_to_its_leaves(seed):
    rng = np.random.default_rng(seed)
    stream = random_stream(rng, 300, CLASSES, weighted=seed % 2 == 0)
    options = random_options(rng, swap_resistance=[0.5, 4][seed // 2 % 2])
    model = trained(options, stream)
    shape, children = shape_of(model), children_of(model)
    assert_shape(shape, children, root_of(model))
    statistics = statistics_of(model.learner)
    leaves = naive.leaves_below(children, root_of(model))
    expected = {v: {y: entry[2] for y, entry in statistics[v].items()} for v in leaves}
    assert_same_counts(as_dictionary(shape, leaf_counts_of_model(model, shape)), expected)


def test_some_of_these_trees_swap():
    swaps = 0
    for seed in range(0, 20, 4):
        rng = np.random.default_rng(seed)
        stream = random_stream(rng, 300, CLASSES, weighted=True)
        swaps += trained(random_options(rng, swap_resistance=0.5), stream).learner.swaps
    assert swaps > 100


def test_where_nothing_is_counted_there_are_no_leaf_counts(tmp_path):
    stream = random_stream(np.random.default_rng(0), 200, CLASSES)
    for algorithm in ("rtree", "filter"):
        model = trained(Options(algorithm, bits=BITS), stream)
        assert leaf_counts_of_model(model, shape_of(model)) is None
    model = Model.new(Options(bits=BITS))
    assert leaf_counts_of_model(model, shape_of(model)) is None
    path = str(tmp_path / "model.lom")
    for predict_only in (True, False):
        write_model(trained(Options(bits=BITS), stream), path, predict_only)
        model = read_model(path)
        assert leaf_counts_of_model(model, shape_of(model)) is None
    assert leaf_counts_of_model(read_model(path, Purpose.LEARN), shape_of(model)) is not None


# Leaf counts of examples


def line_of(one, name: str) -> str:
    """An example as VW text; a feature's name is its number, and str() of a float32 is exact."""
    features = " ".join(f"{f}:{v!s}" for f, v in zip(one.features, one.values, strict=True))
    return f"{name} {one.weight!s} | {features}\n"


def questions_for(rng, known: int):
    """Text, and the examples in it that count: some labels are new to the model and numbered as
    they appear, some lines are bad, some have no label."""
    numbers, text, examples = {f"{number}": number for number in range(known)}, "", []
    for one in random_stream(rng, 150, known + 3, weighted=True):
        own = [(f, v) for f, v in zip(one.features, one.values, strict=True) if f != CONSTANT]
        one = example(one.label, None, one.weight)._replace(
            features=[f for f, _ in own], values=[v for _, v in own]
        )
        name = f"{one.label}" if one.label < known else f"new-{one.label}"
        if rng.random() < 0.1:
            text += f"{name} 1 | 3:x\n"
        elif one.label < 0:
            text += "|" + line_of(one, "").partition("|")[2]
        else:
            text += line_of(one, name)
            examples.append(one._replace(label=numbers.setdefault(name, len(numbers))))
    constant = np.float32(1)
    return text, [
        one._replace(features=[*one.features, CONSTANT], values=[*one.values, constant])
        for one in examples
    ]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("algorithm", TREES)
def test_examples_are_counted_where_they_end(algorithm, seed, tmp_path):
    rng = np.random.default_rng(seed)
    options = random_options(rng, algorithm=algorithm, seed=seed, max_nodes=12)
    stream = random_stream(rng, 300, CLASSES, weighted=True)
    model, twin = trained(options, stream), naive_learner(options)
    teach_naive(twin, stream)
    text, questions = questions_for(rng, CLASSES)
    expected = {}
    for one in questions:
        leaf = naive.leaf_of(twin, one.features, one.values)
        if algorithm == "lomtree":
            number = leaf.number
        else:
            number = int(model.learner.state.leaves[leaf.label])
        naive.add(expected.setdefault(number, {}), one.label, one.weight)
    (tmp_path / "data").write_text(text)
    reader = Reader([str(tmp_path / "data")], on_error="skip")
    shape = shape_of(model)
    assert_same_counts(as_dictionary(shape, leaf_counts_of_data(model, shape, reader)), expected)
    assert reader.skipped > 5
    assert len(expected) > 1
    assert len({one.label for one in questions}) == len(model.labels) > CLASSES


def test_blocks_are_added_up(tmp_path):
    """The reader fills its arrays anew for every block, and reads several files."""
    stream = random_stream(np.random.default_rng(1), 300, CLASSES)
    model = trained(Options(bits=BITS, max_nodes=12), stream)
    text, _ = questions_for(np.random.default_rng(2), CLASSES)
    path = tmp_path / "data"
    path.write_text(text)
    shape = shape_of(model)
    once = leaf_counts_of_data(model, shape, Reader([str(path)], on_error="skip"))
    often = leaf_counts_of_data(model, shape, Reader([str(path)] * 9, on_error="skip"))
    assert often.starts.tolist() == once.starts.tolist()
    assert often.label.tolist() == once.label.tolist()
    assert often.count == pytest.approx(9 * once.count, rel=1e-12)


@pytest.mark.parametrize("text", ["", "\n\n", "1 | 3:x\n", "| 3:1\n", "1 0 | 3:1\n"])
def test_that_no_example_was_counted_is_told(text, tmp_path):
    (tmp_path / "data").write_text(text)
    model = trained(Options(bits=BITS), random_stream(np.random.default_rng(0), 50, CLASSES))
    with pytest.raises(LomtreeError, match="there were no labelled examples"):
        leaf_counts_of_data(
            model, shape_of(model), Reader([str(tmp_path / "data")], "vw", on_error="skip")
        )
