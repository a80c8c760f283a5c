"""Derived features, slowly and obviously: what VW 9 makes of namespaces by its options.

An example is a list of (namespace, its features in their order), a feature is (word, hash, value).
Everything is lists and Python's own numbers; nothing here is shared with the package.
"""

from itertools import combinations_with_replacement, product

import numpy as np

from tests.oracles.text import CONSTANT, hash_name, to_float32, words

Feature = tuple[bytes, int, np.float32]
Example = list[tuple[bytes, list[Feature]]]


def read_example(line: bytes) -> Example:
    """A line of VW text without mistakes; a return behind the first bar ends it."""
    example = []
    behind = line.partition(b"|")[2].partition(b"\r")[0]
    for section in behind.split(b"|") if b"|" in line else []:
        found = [word for _, word in words(section, 0)]
        head = found.pop(0) if section and section[:1] not in b" \t" else b""
        name, _, weight = head.partition(b":")
        seed = hash_name(name, 0) if name else 0
        features, anonymous = [], 0
        for word in found:
            feature, colon, number = word.partition(b":")
            hashed = hash_name(feature, seed) if feature else (seed + anonymous) % 2**32
            anonymous += not feature
            with np.errstate(over="ignore", under="ignore"):
                value = to_float32(number, 0) if colon else np.float32(1)
                value = np.float32(value * (to_float32(weight, 0) if weight else np.float32(1)))
            if value != 0:
                features.append((feature, hashed, value))
        example.append((name, features))
    return example


def groups_of(example: Example) -> dict[str, list[tuple[int, Feature]]]:
    """The features by the first letter of their namespace, each with its namespace's hash."""
    groups: dict[str, list] = {}
    for name, features in example:
        if features:
            letter = chr(name[0]) if name else " "
            seed = hash_name(name, 0) if name else 0
            groups.setdefault(letter, []).extend((seed, feature) for feature in features)
    return groups


def last_given(options: list[str], letter: str) -> int:
    """[A]N: the last one that is meant for this letter."""
    number = 0
    for option in options:
        if option[0].isdigit():
            number = int(option)
        elif option[0] == letter:
            number = int(option[1:])
    return number


def gram_places(length: int, skips: int) -> list[tuple[int, ...]]:
    """Where the words of an n-gram may stand: all places whose gaps leave out up to `skips` words,
    in VW's order."""
    found = [gaps for gaps in product(range(skips + 1), repeat=length - 1) if sum(gaps) <= skips]
    return [tuple(sum(gaps[:n]) + n for n in range(length)) for gaps in sorted(found)]


def grams(hashes: list[int], longest: int, skips: int) -> list[int]:
    found = []
    for length in range(2, longest + 1):
        for places in gram_places(length, skips):
            for first in range(len(hashes) - places[-1]):
                gram = hashes[first]
                for place in places[1:]:
                    gram = (gram * 27942141 + hashes[first + place]) % 2**32
                found.append(gram)
    return found


def characters(word: str, shortest: int, longest: int, marks: str) -> list[str]:
    marked = marks[:1] + word + marks[1:]
    found = [
        marked[first : first + length]
        for first in range(len(marked))
        for length in range(shortest, longest + 1)
        if first + length <= len(marked)
    ]
    return [gram for gram in found if not (marks and gram in (marks[0], marks[1]))]


def is_repeated(terms: str) -> bool:
    return 1 < len(set(terms)) < len(terms)


def once(interactions: list[str]) -> list[str]:
    """Of those that have the same letters the first in VW's order; sorted if a letter comes twice,
    but not if it is the only one."""
    found: dict[str, str] = {}
    for terms in sorted(interactions, key=lambda terms: (len(terms), terms)):
        key = "".join(sorted(terms))
        if key not in found:
            found[key] = key if is_repeated(terms) else terms
    return list(found.values())


def expanded(interactions: list[str], letters: list[str]) -> list[str]:
    """Wildcards replaced by all letters from a space to '~'."""
    letters = sorted(letter for letter in letters if " " <= letter <= "~")
    found = []
    for terms in once(interactions):
        count = terms.count(":")
        for chosen in combinations_with_replacement(letters, count):
            rest = list(chosen if count == 2 else reversed(chosen))
            found.append("".join(rest.pop(0) if term == ":" else term for term in terms))
    return once(found)


def interact(terms: str, groups: dict[str, list[tuple[int, np.float32]]]) -> list:
    """All choices of a feature for each letter; for a letter that is there twice, only those in the
    order of the features."""
    found = []
    for chosen in product(*(range(len(groups.get(term, []))) for term in terms)):
        if any(
            terms[n] == terms[n + 1] and chosen[n] > chosen[n + 1] for n in range(len(terms) - 1)
        ):
            continue
        features = [groups[term][place] for term, place in zip(terms, chosen, strict=True)]
        hashed, value = features[0]
        for other, factor in features[1:]:
            hashed = (16777619 * hashed % 2**32) ^ other
            with np.errstate(over="ignore", under="ignore"):
                value = np.float32(value * factor)
        found.append((hashed, value))
    return found


def derive(example: Example, options: dict) -> list[tuple[int, np.float32]]:
    """All features of an example as (hash, value), in no special order; options by their names."""
    given = groups_of(example)
    kept, ignored = "".join(options.get("keep", [])), "".join(options.get("ignore", []))
    for letter in list(given):
        if (letter not in kept) if kept else (letter in ignored):
            del given[letter]
    groups: dict[str, list] = {}
    for letter, found in given.items():
        own = [(hashed, value) for _seed, (_word, hashed, value) in found]
        longest = last_given(options.get("ngram", []), letter)
        skips = last_given(options.get("skips", []), letter)
        added = [(gram, np.float32(1)) for gram in grams([h for h, _ in own], longest, skips)]
        for lengths in options.get("char_ngrams", []):
            shortest, most = map(int, lengths.split("-"))
            for seed, (word, _hashed, value) in found:
                for gram in characters(word.decode(), shortest, most, "^$") if word else []:
                    added.append((hash_name(gram.encode(), seed), value))
        groups[letter] = added if options.get("chars_only") else own + added
    not_linear = "".join(options.get("ignore_linear", []))
    made = [
        feature for letter, group in groups.items() if letter not in not_linear for feature in group
    ]
    asked = [
        *options.get("quadratic", []),
        *options.get("cubic", []),
        *options.get("interactions", []),
    ]
    for terms in expanded(asked, list(groups)):
        made += interact(terms, groups)
    if not options.get("noconstant"):
        made.append((CONSTANT, np.float32(1)))
    return made
