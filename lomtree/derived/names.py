"""What derived features are called, as VW's audit calls them: `a^x*b^y` is an interaction, `a^x^y`
an n-gram of words. A character n-gram is called like a word.

Names are for one example at a time. So this is plain Python, and hashes as the kernels do.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement, groupby, product
from typing import NamedTuple

import numpy as np

from lomtree.core.derivations import Derivations, Letter
from lomtree.derived.recipe import interactions_among
from lomtree.examples.examples import Examples
from lomtree.examples.namespaces import Namespaces
from lomtree.hashing.names import hash_name

_HASHES = 2**32
_FNV_PRIME, _GRAM_FACTOR = 16777619, 27942141


class Named(NamedTuple):
    feature: int
    name: str  # with its namespace
    word: bytes  # without; empty if it is not known
    seed: int  # hash of its namespace

    @property
    def short(self) -> str:
        return self.word.decode("utf-8", "backslashreplace") or self.name


def derived_names(
    wanted: Derivations, examples: Examples, namespaces: Namespaces, names: dict[int, str]
) -> dict[int, str]:
    """The features of the first example by their hashes, `names` being those that it has itself."""
    groups: dict[Letter, list[Named]] = {}
    for letter, feature in _named(examples, namespaces, names):
        if letter not in wanted.ignored:
            groups.setdefault(letter, []).append(feature)
    made = dict(names)
    for letter, group in groups.items():
        group += [*_grams(wanted, letter, group), *_characters(wanted, letter, group)]
        made.update((one.feature, one.name) for one in group)
    for terms in interactions_among(groups, wanted):
        if all(term in groups for term in terms):
            made.update(_products(terms, groups))
    return made


def _named(
    examples: Examples, namespaces: Namespaces, names: dict[int, str]
) -> Iterator[tuple[Letter, Named]]:
    for run in range(int(namespaces.starts[1])):
        letter, seed = int(namespaces.letters[run]), int(namespaces.seeds[run])
        for position in range(int(namespaces.begins[run]), int(namespaces.ends[run])):
            feature, word = int(examples.batch.features[position]), b""
            if len(namespaces.word_begins):
                begin, end = namespaces.word_begins[position], namespaces.word_ends[position]
                word = examples.words[begin:end].tobytes()
            yield letter, Named(feature, names.get(feature, str(feature)), word, seed)


def _grams(wanted: Derivations, letter: Letter, group: list[Named]) -> Iterator[Named]:
    for mask in wanted.grams.get(letter, ()):
        for first in range(len(group) - mask[-1]):
            head, *rest = (group[first + gap] for gap in mask)
            feature = head.feature
            for one in rest:
                feature = (feature * _GRAM_FACTOR + one.feature) % _HASHES
            name = "^".join([head.name, *(one.short for one in rest)])
            yield Named(feature, name, b"", head.seed)


def _characters(wanted: Derivations, letter: Letter, group: list[Named]) -> Iterator[Named]:
    shortest, longest = wanted.characters.get(letter, (1, 0))
    for one in group:
        marked = _split(wanted.marks[0] + one.word + wanted.marks[1]) if one.word else []
        for first in range(len(marked)):
            for end in range(first + shortest, min(first + longest, len(marked)) + 1):
                gram = b"".join(marked[first:end])
                text = np.frombuffer(gram, np.uint8)
                feature = int(hash_name(text, 0, len(text), np.uint32(one.seed)))
                name = one.name.removesuffix(one.short) + gram.decode("utf-8", "backslashreplace")
                yield Named(feature, name, gram, one.seed)


def _split(word: bytes) -> list[bytes]:
    """Its characters; a byte that belongs to none is one."""
    starts = [place for place, byte in enumerate(word) if not place or byte & 0xC0 != 0x80]
    return [word[begin:end] for begin, end in zip(starts, [*starts[1:], len(word)], strict=True)]


def _products(
    terms: tuple[Letter, ...], groups: dict[Letter, list[Named]]
) -> Iterator[tuple[int, str]]:
    """Where a group is taken several times, its features are taken in their order."""
    choices = [
        combinations_with_replacement(groups[letter], len(list(same)))
        for letter, same in groupby(terms)
    ]
    for parts in product(*choices):
        *rest, last = (feature for part in parts for feature in part)
        hashed = 0
        for one in rest:
            hashed = (hashed ^ one.feature) * _FNV_PRIME % _HASHES
        yield hashed ^ last.feature, "*".join(one.name for one in [*rest, last])
