"""Eviction: where the ranker's tables are full, labels that no longer come give way to new ones.

A label is taken for gone when it has been missing for PATIENCE times as long as it had to be waited
for, on average, and for PATIENCE examples of every label. A tenth of the labels goes at a time,
those that are missing longest by that measure. One that comes again is learned anew.

Where no label is gone, nothing goes: of a stream that stays as it is, what is known stays, be it
learned in one pass or in several, and what has no room is left out. Below the limits nothing of
this happens.
"""

from typing import TYPE_CHECKING

import numpy as np

from lomtree.jit.kernel import kernel
from lomtree.ranking import label_lists
from lomtree.ranking.exemplars import forget

if TYPE_CHECKING:
    from lomtree.ranking.ranker import RankerState

EVICT_EVERY = 1 << 13  # examples: looking through all labels takes time
FULL = 0.9  # the part of what there may be
PATIENCE = 8.0
SHARE = 0.1  # of the labels


@kernel
def note_visit(table, now):
    """An example of a label comes after so many others."""
    if table.examples == 0:
        table.first = now
    table.last = now


@kernel
def is_due(state, limits):
    """Whether labels have to be looked through before the next example."""
    return (
        state.counts[0] % limits.evict_every == 0
        and state.counts[0] != state.counts[1]
        and (
            state.known.used[1] > FULL * limits.rows or state.lists.used[2] > FULL * limits.postings
        )
    )


def evict(state: "RankerState") -> "RankerState":
    """The same without some of the labels that are gone."""
    state.counts[1] = state.counts[0]
    tables = state.known.tables
    going = longest_gone(tables, int(state.counts[0]))
    if len(going) == 0:
        return state
    state.known.used[1] -= tables["room"][going].sum(dtype=np.int64)
    for name in ("room", "used", "examples", "first", "last", "length", "total"):
        tables[name][going] = 0
    forget(state.exemplars, going)
    stays = np.ones(len(tables), bool)
    stays[going] = False
    return state._replace(lists=label_lists.of_labels(state.lists, stays))


def longest_gone(tables: np.ndarray, now: int) -> np.ndarray:
    """The labels to go, by their numbers."""
    living = np.flatnonzero(tables["room"])
    visits = tables[living]
    wait = (visits["last"] - visits["first"] + len(living)) / np.maximum(visits["examples"], 1)
    missing = (now - visits["last"]) / np.maximum(wait, len(living))
    gone = np.flatnonzero(missing > PATIENCE)
    longest = gone[np.argsort(-missing[gone], kind="stable")]
    return living[longest[: int(SHARE * len(living)) + 1]]
