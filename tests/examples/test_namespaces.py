"""What a source notes of its namespaces, where it has one."""

import numpy as np

from lomtree.examples.batch import Batch
from lomtree.examples.namespaces import one_namespace


def test_one_namespace_has_all_features_but_the_constant():
    starts = np.array([0, 3, 3, 4, 9])  # of them one without anything, as bad lines are
    batch = Batch(starts, np.arange(9, dtype=np.uint32), np.ones(9, np.float32), *np.zeros((2, 4)))
    namespaces = one_namespace(batch, 3)
    assert namespaces.starts.tolist() == [0, 1, 2, 3]
    assert namespaces.begins.tolist() == [0, 3, 3]
    assert namespaces.ends.tolist() == [2, 3, 3]
    assert set(namespaces.letters.tolist()) == {ord(" ")}
    assert len(namespaces.word_begins) == 0
