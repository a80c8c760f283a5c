"""Batches in, batches with derived features out: a stage between a source of examples and the
merging of repeated features.

The order is VW's: namespaces are left out, n-grams are made, then interactions; the constant is in
none of them. VW computes with hashes that it has cut to its -b bits, here they have 32: sums,
products and exclusive ors have the same last bits either way.

Memory is bounded: what comes out is at most PART features, and then one example's more. An example
with too many of them is a problem of its own.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lomtree.core.derivations import WILDCARD, Derivations
from lomtree.core.errors import DataError
from lomtree.derived.characters import MARKS
from lomtree.derived.groups import FULL, Groups, clear_groups, make_example_groups, make_groups
from lomtree.derived.interactions import Levels, interact, make_levels
from lomtree.derived.problems import LARGE_PRODUCT, TOO_MANY
from lomtree.derived.recipe import (
    MOST_FEATURES,
    Interactions,
    as_arrays,
    interactions_among,
    make_recipe,
)
from lomtree.examples.batch import CONSTANT, Batch, make_batch
from lomtree.examples.examples import GOOD, Examples, Strings
from lomtree.examples.merging import Merger
from lomtree.examples.namespaces import Namespaces
from lomtree.jit.kernel import kernel

PART = 1 << 19  # features


class Given(NamedTuple):
    """Examples as they came from their source."""

    batch: Batch
    namespaces: Namespaces
    text: np.ndarray  # uint8[]; that of the words, where there are any
    problems: np.ndarray  # int8[]


class Room(NamedTuple):
    """What it takes to derive the features of one example."""

    groups: Groups
    levels: Levels


@kernel
def _copy_linear(recipe, groups, count, out, position):
    for group in range(count):
        letter = groups.letters[group]
        if not recipe.not_linear[letter]:
            for place in range(groups.begins[letter], groups.ends[letter]):
                out.features[position] = groups.features[place]
                out.values[position] = groups.values[place]
                position += 1
    return position


@kernel
def _drop_zeros(out, begin, end):
    """Leave out the features begin:end whose products are too small for a float32."""
    to = begin
    for position in range(begin, end):
        if out.values[position] != 0.0:
            out.features[to] = out.features[position]
            out.values[to] = out.values[position]
            to += 1
    return to


@kernel
def _derive_example(recipe, interactions, given, example, room, out, begin):
    """Write one example's features from `begin` on; returns where they end, and what is wrong."""
    groups = room.groups
    count, fits = make_example_groups(
        recipe, given.batch, given.namespaces, example, given.text, groups
    )
    if not fits:
        clear_groups(groups, count)
        return begin, TOO_MANY
    position = _copy_linear(recipe, groups, count, out, begin)
    limit = begin + MOST_FEATURES - 1  # and the constant
    none, large = np.uint32(0), np.uint32(0)
    for number in range(len(interactions.orders)):
        position, is_none, is_large = interact(
            groups,
            interactions.terms[number],
            interactions.orders[number],
            room.levels,
            out,
            position,
            limit,
        )
        none, large = none | is_none, large | is_large
        if position == FULL:
            break
    clear_groups(groups, count)
    if position == FULL or position > limit:
        return begin, TOO_MANY
    if large:
        return begin, LARGE_PRODUCT
    if none:
        position = _drop_zeros(out, begin, position)
    if recipe.constant:
        out.features[position] = CONSTANT
        out.values[position] = 1.0
        position += 1
    return position, GOOD


@kernel
def _derive(recipe, interactions, given, first, last, room, out):
    """Derive the examples first:last until there are PART features; returns where it stopped."""
    position = np.int64(0)
    out.starts[0] = 0
    for example in range(first, last):
        if given.problems[example] == GOOD:
            position, problem = _derive_example(
                recipe, interactions, given, example, room, out, position
            )
            given.problems[example] = problem
        done = example - first
        out.starts[done + 1] = position
        out.labels[done] = given.batch.labels[example]
        out.weights[done] = given.batch.weights[example]
        if position >= PART:
            return example + 1
    return last


class Deriver:
    """Derives the features of examples from one source after the other.

    The last `kept` examples handed out are valid at any time: then their arrays are filled anew.
    """

    def __init__(self, wanted: Derivations, kept: int) -> None:
        self.wanted = wanted
        self._recipe = make_recipe(wanted)
        self._wild = any(WILDCARD in terms for terms in wanted.interactions)
        self._seen: set[int] = set()  # letters that wildcards stand for
        self._interactions: Interactions = as_arrays(interactions_among(self._seen, wanted))
        self._room = Room(make_groups(0), make_levels())
        self._outs: list[Batch | None] = [None] * kept
        self._turn = 0
        self._merger = Merger()

    def parts(self, examples: Examples, namespaces: Namespaces) -> Iterator[Examples]:
        """The same examples with derived features, each of them once, and in so many parts that
        memory has a bound. Problems are told in the arrays of the examples."""
        given = Given(examples.batch, namespaces, examples.words, examples.problems)
        first, last = 0, examples.count
        self._prepare(given, last)
        while first < last:
            out = self._next_out(last - first)
            done = _derive(self._recipe, self._interactions, given, first, last, self._room, out)
            count = done - first
            self._merger.merge(out, count, np.ones(count, np.uint8))
            whole = count == examples.count
            part = examples if whole else part_of(examples, first, done)
            yield replace(part, batch=out, derived=self.wanted)
            first = done

    def _prepare(self, given: Given, count: int) -> None:
        """Make room for the longest word, and learn which namespaces there are."""
        namespaces, features = given.namespaces, int(given.batch.starts[count])
        if self.wanted.characters:
            words = namespaces.word_ends[:features] - namespaces.word_begins[:features]
            longest = int(words.max(initial=0))
            if len(words) < features:
                raise DataError("--char-ngrams needs words, and these examples have none")
            if longest > len(self._room.groups.words.text) - MARKS:
                self._room = self._room._replace(groups=make_groups(2 * longest))
        if self._wild:
            letters = np.bincount(namespaces.letters[: namespaces.starts[count]], minlength=256)
            found = self._seen.union(np.flatnonzero(letters).tolist())
            if found != self._seen:
                self._interactions = as_arrays(interactions_among(found, self.wanted))
                self._seen = found

    def _next_out(self, examples: int) -> Batch:
        self._turn = (self._turn + 1) % len(self._outs)
        out = self._outs[self._turn]
        if out is None or len(out.labels) < examples:
            # A little more than asked for, as the next ones are never exactly as many.
            out = self._outs[self._turn] = make_batch(
                examples + examples // 4, PART + MOST_FEATURES
            )
        return out


def part_of(examples: Examples, first: int, last: int) -> Examples:
    """The examples first:last as if they had been read by themselves, but for their batch."""
    labels, tags, problems = examples.labels, examples.tags, examples.problems
    origin, cut = examples.origin, 0
    if origin is not None:
        line = int(origin.lines[first]) if first else 0
        end = int(origin.lines[last]) if last < examples.count else origin.line_count
        text = origin.text
        if text is not None:
            text = text[_begin_of_line(text, line) :]
        elif first and origin.translated is None:  # there is a newline before the first one's line
            cut = labels.text[: labels.begins[first]].tobytes().rfind(b"\n") + 1
        origin = origin._replace(
            text=text,
            first_line=origin.first_line + line,
            line_count=end - line,
            lines=origin.lines[first:last] - line,
            columns=origin.columns[first:last],
        )
    return replace(
        examples,
        count=last - first,
        labels=_cut(labels, first, last, cut),
        tags=_cut(tags, first, last, cut),
        problems=problems[first:last],
        origin=origin,
    )


def _begin_of_line(text: np.ndarray, line: int) -> int:
    newlines = np.flatnonzero(text == ord("\n"))
    return int(newlines[line - 1]) + 1 if line else 0


def _cut(strings: Strings, first: int, last: int, cut: int) -> Strings:
    return Strings(
        strings.text[cut:], strings.begins[first:last] - cut, strings.ends[first:last] - cut
    )
