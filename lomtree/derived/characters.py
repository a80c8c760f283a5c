"""Character n-grams of words, whose ends are marked: `^cat$` has the 3-grams ^ca, cat and at$.

They are hashed as if they were words of the namespace, and have the value of their word. Characters
are those of UTF-8; of other bytes each is one.
"""

from typing import NamedTuple

import numpy as np

from lomtree.derived.recipe import MOST_FEATURES
from lomtree.hashing.names import hash_name
from lomtree.jit.kernel import kernel

_CONTINUES, _CONTINUING = 0xC0, 0x80  # the bits and their state in all but a character's first byte
_FULL = -1
MARKS = 8  # bytes that the two marks of a word may have


class Words(NamedTuple):
    """Room for one word with its marks."""

    text: np.ndarray  # uint8[]
    starts: np.ndarray  # int64[]; where its characters begin, and where the last one ends


def make_words(longest: int) -> Words:
    """For words of so many bytes."""
    return Words(np.empty(longest + MARKS, np.uint8), np.empty(longest + MARKS + 1, np.int64))


@kernel
def _mark_word(recipe, text, begin, end, words):
    """Write the word text[begin:end] with its marks; returns the number of its characters."""
    size = 0
    for position in range(len(recipe.begin_mark)):
        words.text[size] = recipe.begin_mark[position]
        size += 1
    for position in range(begin, end):
        words.text[size] = text[position]
        size += 1
    for position in range(len(recipe.end_mark)):
        words.text[size] = recipe.end_mark[position]
        size += 1
    count = 0
    for position in range(size):
        if position == 0 or words.text[position] & _CONTINUES != _CONTINUING:
            words.starts[count] = position
            count += 1
    words.starts[count] = size
    return count


@kernel
def _add_word(recipe, letter, words, count, seed, value, groups, used):
    """Add the n-grams of a marked word of so many characters; a mark alone is none."""
    starts, marked = words.starts, len(recipe.begin_mark) > 0
    for first in range(count):
        longest = min(recipe.longest[letter], count - first)
        for length in range(recipe.shortest[letter], longest + 1):
            if length == 1 and marked and (first == 0 or first == count - 1):
                continue
            if used >= MOST_FEATURES:
                return _FULL
            groups.features[used] = hash_name(
                words.text, starts[first], starts[first + length], seed
            )
            groups.values[used] = value
            used += 1
    return used


@kernel
def add_characters(recipe, batch, namespaces, first, last, text, groups, used):
    """Add those of all words of the first run's letter; returns where they end, or -1."""
    letter = namespaces.letters[first]
    for run in range(first, last):
        if namespaces.letters[run] != letter:
            continue
        for position in range(namespaces.begins[run], namespaces.ends[run]):
            begin, end = namespaces.word_begins[position], namespaces.word_ends[position]
            if begin < end:
                count = _mark_word(recipe, text, begin, end, groups.words)
                value, seed = batch.values[position], namespaces.seeds[run]
                used = _add_word(recipe, letter, groups.words, count, seed, value, groups, used)
                if used == _FULL:
                    return used
    return used
