"""A table of statistics that may not grow: what matters least goes, and the tree goes on."""

import numpy as np

from lomtree.core.constants import NO_NODE
from lomtree.core.options import Options
from lomtree.hashing.secrets import OFFSET
from lomtree.learners.lom.learner import LomLearner
from lomtree.model.model import Model
from lomtree.model.model_file import read_model, write_model
from lomtree.storage.purposes import Purpose
from tests.generators.lom_trees import assert_same_tree
from tests.generators.streams import (
    BITS,
    naive_learner,
    nodes_of,
    random_options,
    random_stream,
    statistics_of,
    teach,
    teach_naive,
)


def test_agrees_with_the_naive_tree_that_evicts():
    evictions = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        most = int(rng.choice([40, 100, 300]))
        options = random_options(rng, max_statistics=most, max_nodes=int(rng.choice([0, 20, 60])))
        stream = random_stream(rng, 600, 30, weighted=seed % 2 == 1)
        learner, tree = LomLearner(options), naive_learner(options)
        cuts = sorted(rng.integers(0, 600, 5))
        assert teach(learner, stream, cuts) == teach_naive(tree, stream)
        assert_same_tree(learner, tree)
        evictions.append(tree.events["eviction"])
    assert np.median(evictions) > 5


def statistics(learner) -> int:
    return sum(len(labels) for labels in statistics_of(learner).values())


def test_there_are_never_more_statistics_than_allowed():
    options = Options(bits=BITS, max_statistics=400, max_nodes=50, swap_resistance=1)
    learner, most = LomLearner(options), 0
    for one in random_stream(np.random.default_rng(1), 800, 60):
        teach(learner, [one])
        counts = learner.state.tree.counts[0]
        assert counts["living"] == statistics(learner) == nodes_of(learner)["labels"].sum()
        assert counts["living"] <= max(400, 4 * (counts["depth"] + 2))
        most = max(most, int(counts["living"]))
    assert most > 350
    assert len(learner.state.statistics) <= 4096  # the first size: it never grew


def test_a_tree_deeper_than_the_bound_still_learns():
    """However small the bound, there is room for the path of one example."""
    options = Options(bits=BITS, max_statistics=4, max_nodes=500, swap_resistance=0)
    learner = LomLearner(options)
    teach(learner, random_stream(np.random.default_rng(2), 500, 50))
    assert learner.examples > 450
    assert statistics(learner) <= 4 * (int(learner.state.tree.counts["depth"][0]) + 2)


def test_eviction_goes_on_after_reading_as_if_nothing_had_happened(tmp_path):
    def file(model: Model) -> bytes:
        write_model(model, str(tmp_path / "m"))
        return (tmp_path / "m").read_bytes()

    options = Options(bits=BITS, max_statistics=300, max_nodes=60, swap_resistance=1)
    stream = random_stream(np.random.default_rng(3), 900, 40)
    whole = Model.new(options)
    whole.labels.add(*(b"%d" % label for label in range(40)))
    teach(whole.learner, stream)
    for stop in (100, 450, 899):
        half = Model.new(options)
        half.labels.add(*whole.labels)
        teach(half.learner, stream[:stop])
        file(half)
        half = read_model(str(tmp_path / "m"), Purpose.LEARN)
        teach(half.learner, stream[stop:])
        assert file(half) == file(whole)


def test_the_generations_of_recycled_nodes_do_not_run_out():
    """Each swap takes two; they are numbered anew whenever the table is rebuilt."""
    options = Options(bits=BITS, max_nodes=20, swap_resistance=0)
    learner = LomLearner(options)
    stream = random_stream(np.random.default_rng(4), 30_000, 60)
    teach(learner, stream)
    counts = learner.state.tree.counts[0]
    assert counts["swaps"] > 10_000
    assert counts["generations"] - OFFSET < counts["swaps"]
    assert len(learner.state.statistics) == 4096  # what recycled nodes knew is dropped, not kept
    nodes = nodes_of(learner)
    assert len(set(nodes["generation"])) == len(nodes)


def test_a_drift_is_followed_as_fast_in_the_end_as_in_the_beginning():
    """What regressors know of labels that are gone must not stand in the way of new ones."""
    rng = np.random.default_rng(7)
    learner = LomLearner(Options(bits=16, max_nodes=160, max_statistics=1200))
    errors = []
    for wave in range(16):
        stream = random_stream(rng, 1500, 20, length=12)
        stream = [e._replace(label=20 * wave + e.label) for e in stream if e.label >= 0]
        early = teach(learner, stream)[:300]
        errors.append(np.mean([a != e.label for (a, _), e in zip(early, stream, strict=False)]))
    assert np.mean(errors[-4:]) < np.mean(errors[1:5]) + 0.05


def test_a_bounded_tree_follows_a_drift_again_and_again():
    """Classes come and go; T and the statistics suffice for those that are there at a time."""
    rng = np.random.default_rng(5)
    learner = LomLearner(Options(bits=BITS, max_nodes=160, max_statistics=2000))
    errors = []
    for wave in range(12):
        stream = random_stream(rng, 4000, 20, length=12)
        stream = [e._replace(label=20 * wave + e.label) for e in stream if e.label >= 0]
        predictions = teach(learner, stream)[-1000:]
        wrong = [a != e.label for (a, _), e in zip(predictions, stream[-1000:], strict=True)]
        errors.append(np.mean(wrong))
    assert max(errors) < errors[0] + 0.1
    assert np.count_nonzero(nodes_of(learner)["left"] != NO_NODE) <= 160
