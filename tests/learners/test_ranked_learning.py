"""Trees and a ranker learn together: nothing depends on cuts, threads, files, or who is told."""

import numpy as np
import pytest

from lomtree.core.execution import Execution
from lomtree.core.options import Options
from lomtree.learners.factory import new_learner
from lomtree.model.model import Model
from lomtree.ranking.combination import NONE
from lomtree.ranking.exemplars import NO_HEAD
from tests.generators.models import file_bytes, read
from tests.generators.streams import BITS, batch_of, content, example, random_stream, teach

every_kind = pytest.mark.parametrize(
    ("algorithm", "trees"),
    [("lomtree", 1), ("lomtree", 3), ("rtree", 1), ("filter", 2), ("oaa", 1)],
)
LABELS = 30


def model_of(options: Options) -> Model:
    model = Model.new(options)
    model.labels.add(*(b"%d" % label for label in range(LABELS)))
    return model


def sparse_stream(rng, count):
    """The last labels have no feature at all, and some of the others now and then."""
    stream = random_stream(rng, count, LABELS)
    return [
        example(one.label, None, one.weight) if one.label >= LABELS - 8 else one for one in stream
    ]


@every_kind
@pytest.mark.parametrize("ranker", [True, False])
def test_threads_cuts_and_who_is_told_change_nothing(algorithm, trees, ranker):
    stream = random_stream(np.random.default_rng(2), 900, 25, weighted=True)
    ranker = ranker and algorithm != "oaa"
    options = Options(algorithm, bits=BITS, trees=trees, ranker=ranker or algorithm == "oaa")
    contents = []
    for threads, progressive, cuts in (
        (1, True, ()),
        (1, False, (1, 300, 301)),
        (2, False, ()),
        (3, True, (77,)),
    ):
        learner = new_learner(options, Execution(threads, progressive))
        teach(learner, stream, cuts)
        contents.append(content(learner))
    assert contents[1:] == contents[:1] * 3


@every_kind
def test_probes_say_the_same_whatever_the_threads(algorithm, trees):
    """A ranker in a thread of its own comes to a probe when it has learned what came before, and
    not what comes after."""
    stream = random_stream(np.random.default_rng(7), 900, 25, weighted=True)
    probed = [4, 5, 140, 300, 301, 898]
    told = []
    for threads in (1, 2, 3):
        learner = new_learner(Options(algorithm, bits=BITS, trees=trees), Execution(threads))
        predictions, depths = np.empty((2, 900), np.int32)
        learner.learn(batch_of(stream), 900, predictions, depths, probed)
        assert learner.probe.examples == len(probed)
        told.append((content(learner), learner.probe.error, predictions.tolist()))
    assert told[1:] == told[:1] * 2


@every_kind
@pytest.mark.parametrize("stop", [1, 200, 399])
def test_labels_without_features_go_through_a_file(tmp_path, algorithm, trees, stop):
    """Rivals may be labels that have no features of their own, and have rivals themselves."""
    options = Options(algorithm, bits=BITS, trees=trees)
    stream = sparse_stream(np.random.default_rng(3), 400)
    whole, half = model_of(options), model_of(options)
    teach(whole.learner, stream)
    teach(half.learner, stream[:stop])
    half = read(file_bytes(half, tmp_path), tmp_path)
    teach(half.learner, stream[stop:])
    assert file_bytes(half, tmp_path) == file_bytes(whole, tmp_path)


@pytest.mark.parametrize("algorithm", ["lomtree", "rtree"])
def test_more_trees_than_a_label_has_rivals_and_no_features(algorithm):
    """There is room for a rival of every tree before the first feature comes."""
    learner = new_learner(Options(algorithm, bits=BITS, trees=40))
    rng = np.random.default_rng(4)
    teach(learner, [example(int(y)) for y in rng.integers(0, 60, 300)])
    teach(learner, random_stream(rng, 100, 60))
    rivals = learner.ranker.state.rivals
    assert -1 <= rivals.min() < rivals.max() < 60


@pytest.mark.parametrize("algorithm", ["lomtree", "rtree", "filter", "oaa"])
def test_only_probed_examples_teach_the_combination(algorithm):
    stream = random_stream(np.random.default_rng(5), 200, 8)
    learner = new_learner(Options(algorithm, bits=BITS))
    predictions, depths = np.empty((2, 200), np.int32)
    first = learner.combination.weights.copy()
    learner.learn(batch_of(stream), 200, predictions, depths)
    assert np.array_equal(learner.combination.weights, first)
    learner.learn(batch_of(stream), 200, predictions, depths, [3, 50, 199])
    assert learner.probe.examples == 3
    assert not np.array_equal(learner.combination.weights, first)


@pytest.mark.parametrize("trees", [1, 3])
def test_a_label_that_is_new_in_the_probing_pass_speaks_for_none(trees):
    """In a first pass it says nothing: there most labels are new for a while."""
    stream = random_stream(np.random.default_rng(6), 100, 8)
    asked = [*stream[:5], example(8, {1: 1.0})]
    nones = []
    for reserved in (False, True):
        learner = new_learner(Options(bits=BITS, trees=trees))
        teach(learner, stream)
        predictions, depths = np.empty((2, 6), np.int32)
        before = learner.combination.weights.copy()
        learner.learn(batch_of(asked), 6, predictions, depths, [5], reserved)
        assert learner.probe.examples == 1
        nones.append(learner.combination.weights[NONE] - before[NONE])
    assert nones[0] == 0 < nones[1]


@pytest.mark.parametrize("trees", [1, 3])
def test_what_waited_becomes_an_exemplar_though_the_others_are_known(trees):
    """Exemplars are of examples that come for the first time, and those that waited do so late."""
    stream = sparse_stream(np.random.default_rng(7), 60)
    learner = new_learner(Options(bits=BITS, trees=trees))
    predictions, depths = np.empty((2, 60), np.int32)
    learner.learn(batch_of(stream), 60, predictions, depths, [7, 30], True, are_new=False)
    kept = learner.ranker.state.exemplars
    waited = [stream[7], stream[30]]
    assert kept.used[1] == sum(1 + len(one.features) for one in waited)
    heads = kept.shelves["head"]
    assert np.flatnonzero(heads != NO_HEAD).tolist() == sorted({one.label for one in waited})
