"""A finished model learns how to rank: from all examples alike, whatever chunk they are in."""

import numpy as np
import pytest

from lomtree.examples.batch import part
from lomtree.formats.reader import Reader
from lomtree.learners.tree import combination_fit
from lomtree.learners.tree.combination_fit import fit_combination
from tests.generators.sharded import sharded
from tests.oracles.ranking import Combination as NaiveCombination


@pytest.mark.parametrize("rows", [1, 7, 256])
def test_it_is_newtons_method_over_all_examples_and_nothing_fades(data, monkeypatch, rows):
    monkeypatch.setattr(combination_fit, "CHUNK", rows)
    model = sharded(data)
    [examples] = Reader([data])
    batch, count = examples.batch, 40
    model.labels.number(examples.labels, examples.problems, batch.labels[: examples.count])
    learner, naive = model.learner, NaiveCombination()
    naive.weights = learner.combination.weights.copy()
    naive.curvature = learner.combination.curvature.copy()
    probed = learner.probe.examples
    batch.weights[3] = 0.0  # which says nothing
    batch.weights[4] = 2.5
    for example in range(count):
        candidates, held = learner.candidates(part(batch, example, example + 1))
        y, importance = batch.labels[example], float(batch.weights[example])
        if importance:
            right = [*candidates.labels[:held].tolist(), y].index(y)
            naive.learn(candidates.signs[:held].copy(), right, importance, memory=1.0)
    fit_combination(learner, batch, count)
    assert np.allclose(learner.combination.weights, naive.weights, rtol=1e-6)
    assert learner.probe.examples == probed + count - 1
