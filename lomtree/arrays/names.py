"""Names of features become their numbers, as VW hashes them in the default namespace.

A name of digits is its own number, as in VW text and libsvm text; a name may also be an int, or a
pair of a namespace and a name, which is what `|namespace name` is in VW text. What a name of VW
text cannot have (white space, `:`, `|`) is `_`, as in tables that the command line reads.
"""

from collections.abc import Hashable, Iterable

import numpy as np

from lomtree.formats.translation import plain_name
from lomtree.hashing.names import hash_name
from lomtree.jit.kernel import kernel

_REMEMBERED = 1 << 20  # names: more of them are hashed again


@kernel
def hash_words(text, ends, seeds, hashes):
    """The hash of each of the words text[ends[i]:ends[i + 1]]."""
    for word in range(len(hashes)):
        hashes[word] = hash_name(text, ends[word], ends[word + 1], seeds[word])


def hash_names(names: list[str], seeds: list[int]) -> list[int]:
    """As VW's `--hash strings` does it."""
    words = [plain_name(name.encode("utf-8", "surrogateescape")) for name in names]
    ends = np.cumsum([0, *map(len, words)])
    hashes = np.empty(len(words), np.uint32)
    text = np.frombuffer(b"".join(words) + bytes(4), np.uint8)
    hash_words(text, ends, np.array(seeds, np.uint32), hashes)
    found: list[int] = hashes.tolist()
    return found


class FeatureNames:
    """Numbers of names that were asked for before are remembered. Several threads may ask."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}

    def learn(self, names: Iterable[Hashable]) -> dict[Hashable, int]:
        """The numbers of at least these names; ValueError if one of them is no name."""
        names = set(names)
        if len(self.numbers) > _REMEMBERED:
            self.numbers = {}
        numbers = self.numbers  # another thread may put an empty one in its place
        new = [name for name in names if name not in numbers]
        if new:
            numbers.update(zip(new, _numbers_of(new), strict=True))
        return numbers


def _numbers_of(names: list[Hashable]) -> list[int]:
    spaces = {name[0] for name in names if isinstance(name, tuple) and len(name) == 2}
    known = dict(zip(spaces, hash_names(list(map(_text, spaces)), [0] * len(spaces)), strict=True))
    words, seeds = [], []
    for name in names:
        space, own = name if isinstance(name, tuple) and len(name) == 2 else (None, name)
        words.append(_text(own))
        seeds.append(0 if space is None else known[space])
    return hash_names(words, seeds)


def _text(name: Hashable) -> str:
    if isinstance(name, str):
        return name
    if isinstance(name, int | np.integer) and 0 <= name < 2**32:
        return str(int(name))
    raise ValueError(
        f"{name!r} is no name of a feature: a string is, a whole number from 0 to 2^32 - 1, or a "
        "pair of a namespace and a name."
    )
