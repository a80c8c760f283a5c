"""Where the features of a batch come from: for those who derive others from them.

A namespace is known by the first byte of its name, its letter, as in VW. An example has its
features in runs, each of one namespace; a namespace may come back.
"""

from typing import NamedTuple

import numpy as np

from lomtree.examples.batch import Batch

DEFAULT = ord(" ")  # the letter of the namespace without a name


class Namespaces(NamedTuple):
    """What a source notes of n examples beside their batch; the arrays may be longer."""

    starts: np.ndarray  # int64[n + 1]; example i has the runs starts[i]:starts[i + 1]
    letters: np.ndarray  # uint8[]; of each run
    seeds: np.ndarray  # uint32[]; hash of the namespace's whole name
    begins: np.ndarray  # int64[]; a run has the features begins[r]:ends[r] of the batch
    ends: np.ndarray  # int64[]
    # Where the name of each feature stands in the text; empty arrays if nobody asks for words.
    word_begins: np.ndarray  # int64[]; begin == end means that it has no name
    word_ends: np.ndarray  # int64[]


def make_namespaces(examples: int, runs: int, words: int) -> Namespaces:
    """Room for so many; memory that is never touched costs nothing."""
    return Namespaces(
        np.empty(examples + 1, np.int64),
        np.empty(runs, np.uint8),
        np.empty(runs, np.uint32),
        np.empty(runs, np.int64),
        np.empty(runs, np.int64),
        np.empty(words, np.int64),
        np.empty(words, np.int64),
    )


def one_namespace(batch: Batch, count: int) -> Namespaces:
    """Those of a source that knows the default one alone; each example ends with the constant."""
    ends = np.maximum(batch.starts[1 : count + 1] - 1, batch.starts[:count])
    return Namespaces(
        np.arange(count + 1),
        np.full(count, DEFAULT, np.uint8),
        np.zeros(count, np.uint32),
        batch.starts[:count].copy(),
        ends,
        np.empty(0, np.int64),
        np.empty(0, np.int64),
    )
