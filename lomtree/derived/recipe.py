"""What is to be derived, as the arrays that kernels read."""

from collections.abc import Collection, Iterator
from itertools import combinations_with_replacement
from math import comb
from typing import NamedTuple

import numpy as np

from lomtree.core.derivations import (
    MOST_TERMS,
    NOTHING,
    WILDCARD,
    Derivations,
    Letter,
    without_doubles,
)
from lomtree.core.errors import DataError

MOST_FEATURES = 1 << 22  # of an example, the derived ones included
MOST_INTERACTIONS = 1 << 20  # that wildcards stand for

_LETTERS = 256
_SLOTS_OF_VW = 139  # the one namespace beyond '~' that VW's wildcard stands for


class Recipe(NamedTuple):
    """For each letter what is done to the features of its namespaces."""

    ignored: np.ndarray  # bool[256]; left out
    not_linear: np.ndarray  # bool[256]; parts of interactions, nothing else
    first_mask: np.ndarray  # int64[256]; n-grams are made by the masks first_mask:last_mask
    last_mask: np.ndarray  # int64[256]
    mask_starts: np.ndarray  # int64[]; mask m has the gaps mask_starts[m]:mask_starts[m + 1]
    gaps: np.ndarray  # int64[]; where the words of an n-gram stand, from its first one on
    shortest: np.ndarray  # int64[256]; of character n-grams
    longest: np.ndarray  # int64[256]; 0 where none are made
    begin_mark: np.ndarray  # uint8[]; what stands before a word when characters are taken
    end_mark: np.ndarray  # uint8[]; and what behind it
    characters_only: bool  # whether words go whose character n-grams are taken
    constant: bool  # whether each example has the constant


class Interactions(NamedTuple):
    """Which namespaces interact; no wildcards any more."""

    terms: np.ndarray  # uint8[k, MOST_TERMS]; letters
    orders: np.ndarray  # int64[k]; how many of them


def make_recipe(wanted: Derivations) -> Recipe:
    masks: list[tuple[int, ...]] = []
    first, last = np.zeros((2, _LETTERS), np.int64)
    places: dict[tuple, int] = {}
    for letter, made in wanted.grams.items():
        if made not in places:
            places[made] = len(masks)
            masks += made
        first[letter], last[letter] = places[made], places[made] + len(made)
    shortest, longest = np.zeros((2, _LETTERS), np.int64)
    for letter, (least, most) in wanted.characters.items():
        shortest[letter], longest[letter] = least, most
    return Recipe(
        _chosen(wanted.ignored),
        _chosen(wanted.not_linear),
        first,
        last,
        np.cumsum([0, *map(len, masks)]).astype(np.int64),
        np.array([gap for mask in masks for gap in mask], np.int64),
        shortest,
        longest,
        np.frombuffer(wanted.marks[0], np.uint8),
        np.frombuffer(wanted.marks[1], np.uint8),
        wanted.characters_only,
        wanted.constant,
    )


def _chosen(letters: Collection[Letter]) -> np.ndarray:
    chosen = np.zeros(_LETTERS, np.bool_)
    chosen[list(letters)] = True
    return chosen


def is_any(letter: Letter) -> bool:
    """Whether a wildcard stands for this namespace: not for those of VW's own, such as that of the
    constant."""
    return ord(" ") <= letter <= ord("~") or letter == _SLOTS_OF_VW


def interactions_among(
    letters: Collection[Letter], wanted: Derivations = NOTHING
) -> tuple[tuple[Letter, ...], ...]:
    """The interactions between namespaces with these letters, wildcards replaced by them; DataError
    if there are too many. Which letters are there besides changes nothing between these."""
    matched = sorted(filter(is_any, letters))
    for terms in wanted.interactions:
        wildcards = terms.count(WILDCARD)
        if wildcards and comb(len(matched) + wildcards - 1, wildcards) > MOST_INTERACTIONS:
            raise DataError(
                f"the interaction {bytes(terms).decode('latin-1')} is too much for the "
                f"{len(matched)} namespaces found: it stands for more than {MOST_INTERACTIONS:,}"
            )
    return without_doubles(
        made for terms in wanted.interactions for made in _replaced(terms, matched)
    )


def _replaced(terms: tuple[Letter, ...], letters: list[Letter]) -> Iterator[tuple[Letter, ...]]:
    """The letters take the places of wildcards in the order that VW gives them: two wildcards have
    them rising, any other number falling."""
    wildcards = terms.count(WILDCARD)
    if wildcards == 0:
        yield terms
        return
    for chosen in combinations_with_replacement(letters, wildcards):
        rest = iter(chosen if wildcards == 2 else chosen[::-1])
        yield tuple(next(rest) if term == WILDCARD else term for term in terms)


def as_arrays(interactions: tuple[tuple[Letter, ...], ...]) -> Interactions:
    terms = np.zeros((len(interactions), MOST_TERMS), np.uint8)
    for row, letters in enumerate(interactions):
        terms[row, : len(letters)] = letters
    return Interactions(terms, np.array([len(one) for one in interactions], np.int64))
