"""The features of an example by their namespaces: all whose letter is the same are one group, as in
VW. N-grams belong to the group of their words, so that they interact as those do.
"""

from typing import NamedTuple

import numpy as np

from lomtree.derived.characters import Words, add_characters, make_words
from lomtree.derived.recipe import MOST_FEATURES
from lomtree.jit.kernel import kernel

FULL = -1  # in place of a position: there are too many features
ABSENT = -1  # where a group begins and ends that an example does not have

_GRAM_FACTOR = np.uint32(27942141)  # VW's quadratic constant


class Groups(NamedTuple):
    """Room for one example's groups."""

    features: np.ndarray  # uint32[MOST_FEATURES]
    values: np.ndarray  # float32[MOST_FEATURES]
    letters: np.ndarray  # uint8[256]; of the groups, in the order of their first features
    begins: np.ndarray  # int64[256]; by letter, where a group's features begin
    ends: np.ndarray  # int64[256]
    words: Words


def make_groups(longest_word: int) -> Groups:
    """Room for words of so many bytes; memory that is never touched costs nothing."""
    return Groups(
        np.empty(MOST_FEATURES, np.uint32),
        np.empty(MOST_FEATURES, np.float32),
        np.empty(256, np.uint8),
        np.full(256, ABSENT, np.int64),
        np.full(256, ABSENT, np.int64),
        make_words(longest_word),
    )


@kernel
def clear_groups(groups, count):
    for group in range(count):
        groups.begins[groups.letters[group]] = ABSENT
        groups.ends[groups.letters[group]] = ABSENT


@kernel
def _copy_group(batch, namespaces, first, last, groups, used):
    """Copy all features of the first run's letter; returns where they end, or FULL."""
    letter = namespaces.letters[first]
    for run in range(first, last):
        if namespaces.letters[run] == letter:
            begin, end = namespaces.begins[run], namespaces.ends[run]
            if used + end - begin > MOST_FEATURES:
                return FULL
            for position in range(begin, end):
                groups.features[used] = batch.features[position]
                groups.values[used] = batch.values[position]
                used += 1
    return used


@kernel
def _add_grams(recipe, letter, groups, begin, used):
    """Add the n-grams of the words begin:used; returns where they end, or FULL."""
    features, length = groups.features, used - begin
    for mask in range(recipe.first_mask[letter], recipe.last_mask[letter]):
        first_gap, last_gap = recipe.mask_starts[mask] + 1, recipe.mask_starts[mask + 1]
        count = length - recipe.gaps[last_gap - 1]
        if count <= 0:
            continue
        if used + count > MOST_FEATURES:
            return FULL
        for place in range(count):
            features[used + place] = features[begin + place]
            groups.values[used + place] = 1.0
        for gap in range(first_gap, last_gap):
            word = begin + recipe.gaps[gap]
            for place in range(count):
                gram = np.uint32(features[used + place] * _GRAM_FACTOR)
                features[used + place] = gram + features[word + place]
        used += count
    return used


@kernel
def make_example_groups(recipe, batch, namespaces, example, text, groups):
    """Returns the number of groups, and whether there was room for all."""
    first, last = namespaces.starts[example], namespaces.starts[example + 1]
    count = used = np.int64(0)
    for run in range(first, last):
        letter = namespaces.letters[run]
        if recipe.ignored[letter] or groups.begins[letter] != ABSENT:
            continue
        begin = used
        groups.letters[count] = letter
        count += 1
        words_end = used = _copy_group(batch, namespaces, run, last, groups, used)
        if used != FULL:
            used = _add_grams(recipe, letter, groups, begin, used)
        if used != FULL and recipe.longest[letter] > 0:
            used = add_characters(recipe, batch, namespaces, run, last, text, groups, used)
            if recipe.characters_only:
                begin = words_end
        if used == FULL:
            return count, False
        groups.begins[letter] = begin
        groups.ends[letter] = used
    return count, True
