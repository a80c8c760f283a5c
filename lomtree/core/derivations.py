"""What is derived from the features of an example, as people ask for it: VW's options, read.

A namespace is known by the first byte of its name, as in VW: the default one by a space, any by
ASCII letters, others by their bytes, `\\xHH`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lomtree.core.errors import OptionError

# The options that say what is derived from features.
DERIVATIONS = (
    "quadratic",
    "cubic",
    "interactions",
    "ngram",
    "skips",
    "char_ngrams",
    "char_marks",
    "chars_only",
    "keep",
    "ignore",
    "ignore_linear",
    "noconstant",
)

WILDCARD = ord(":")  # in an interaction: any namespace from a space to '~'
MOST_TERMS = 8  # namespaces in an interaction
LONGEST_GRAM = 16  # words
MOST_SKIPS = 16
MOST_MASKS = 4096  # of one namespace: ways to choose words for n-grams with skips
LONGEST_CHARACTERS = 64  # of a character n-gram

Letter = int  # the first byte of a namespace's name
ALL = range(256)  # letters
Gaps = tuple[int, ...]  # where the words of an n-gram stand, from its first one on

_LETTER = re.compile(r"\\x([0-9a-fA-F]{2})|([\x00-\x7f])")
_GRAM = re.compile(r"(\\x[0-9a-fA-F]{2}|[^0-9])?([0-9]{1,3})", re.DOTALL)
_CHARACTERS = re.compile(r"([0-9]{1,3})(?:-([0-9]{1,3}))?(\\x[0-9a-fA-F]{2}|[^0-9])?", re.DOTALL)


@dataclass(frozen=True)
class Derivations:
    """What VW's options come to; all letters are numbers from 0 to 255."""

    interactions: tuple[tuple[Letter, ...], ...] = ()  # each once; may have wildcards
    grams: Mapping[Letter, tuple[Gaps, ...]] = field(default_factory=dict)  # in VW's order
    characters: Mapping[Letter, tuple[int, int]] = field(default_factory=dict)  # shortest, longest
    marks: tuple[bytes, bytes] = (b"", b"")  # before and behind a word
    characters_only: bool = False  # whether words go whose character n-grams are taken
    ignored: frozenset[Letter] = frozenset()
    not_linear: frozenset[Letter] = frozenset()  # these are only parts of interactions
    constant: bool = True


NOTHING = Derivations()


def read_derivations(
    quadratic: Iterable[str] = (),
    cubic: Iterable[str] = (),
    interactions: Iterable[str] = (),
    ngram: Iterable[str] = (),
    skips: Iterable[str] = (),
    char_ngrams: Iterable[str] = (),
    char_marks: str = "^$",
    chars_only: bool = False,
    keep: Iterable[str] = (),
    ignore: Iterable[str] = (),
    ignore_linear: Iterable[str] = (),
    noconstant: bool = False,
) -> Derivations:
    """The names are those of the options; OptionError says which of them makes no sense."""
    if skips and not ngram:
        raise OptionError("--skips needs --ngram: there is nothing to skip words in")
    if chars_only and not char_ngrams:
        raise OptionError("--chars-only needs --char-ngrams: no features would be left")
    if len(char_marks) not in (0, 2):
        raise OptionError(f"--char-marks must be two characters or none, not '{char_marks}'")
    characters = _read_characters(char_ngrams)
    kept = _union("--keep", keep)
    marks = (char_marks[:1].encode(), char_marks[1:].encode())
    return Derivations(
        interactions=without_doubles(
            [
                *(_terms("--quadratic", text, 2, 2) for text in quadratic),
                *(_terms("--cubic", text, 3, 3) for text in cubic),
                *(_terms("--interactions", text, 2, MOST_TERMS) for text in interactions),
            ]
        ),
        grams=_read_grams(ngram, skips),
        characters=characters,
        marks=marks if characters else (b"", b""),
        characters_only=chars_only,
        ignored=frozenset(ALL) - kept if kept else _union("--ignore", ignore),
        not_linear=_union("--ignore-linear", ignore_linear),
        constant=not noconstant,
    )


def letters_in(option: str, text: str) -> tuple[Letter, ...]:
    """The namespaces that a text names one by one."""
    found = list(_LETTER.finditer(text))
    if not text or sum(len(one[0]) for one in found) < len(text):
        raise OptionError(
            f"{option} must name namespaces by their first bytes, such as ab or \\xC3, not '{text}'"
        )
    return tuple(int(one[1], 16) if one[1] else ord(one[2]) for one in found)


def _terms(option: str, text: str, fewest: int, most: int) -> tuple[Letter, ...]:
    letters = letters_in(option, text)
    if not fewest <= len(letters) <= most:
        wanted = f"{fewest}" if fewest == most else f"from {fewest} to {most}"
        raise OptionError(f"{option} must name {wanted} namespaces, not '{text}'")
    return letters


def _union(option: str, texts: Iterable[str]) -> frozenset[Letter]:
    return frozenset(letter for text in texts for letter in letters_in(option, text))


def _is_mixed(terms: tuple[Letter, ...]) -> bool:
    """Whether some of the namespaces, but not all, are the same."""
    return 1 < len(set(terms)) < len(terms)


def without_doubles(given: Iterable[tuple[Letter, ...]]) -> tuple[tuple[Letter, ...], ...]:
    """Each combination of namespaces once, however it is ordered: as VW's first one has it, or
    sorted where a namespace is in it twice, so that the two are neighbours."""
    found: dict[tuple[Letter, ...], tuple[Letter, ...]] = {}
    for terms in sorted(given, key=lambda terms: (len(terms), terms)):
        ordered = tuple(sorted(terms))
        found.setdefault(ordered, ordered if _is_mixed(ordered) else terms)
    return tuple(found.values())


def _read_grams(ngram: Iterable[str], skips: Iterable[str]) -> dict[Letter, tuple[Gaps, ...]]:
    words = _read_lengths("--ngram", ngram, LONGEST_GRAM)
    skipped = _read_lengths("--skips", skips, MOST_SKIPS)
    made: dict[tuple[int, int], tuple[Gaps, ...]] = {}
    found = {}
    for letter, length in words.items():
        key = length, skipped.get(letter, 0)
        if key not in made:
            made[key] = gram_masks(*key)
        if made[key]:
            found[letter] = made[key]
    return found


def _read_lengths(option: str, texts: Iterable[str], most: int) -> dict[Letter, int]:
    """What is meant for all namespaces, or for one; as in VW the last one counts."""
    found: dict[Letter, int] = {}
    for text in texts:
        parts = _GRAM.fullmatch(text)
        if parts is None or not 1 <= int(parts[2]) <= most:
            raise OptionError(
                f"{option} must be a number from 1 to {most}, behind the first letter of a "
                f"namespace if it is meant for one, not '{text}'"
            )
        found.update(
            dict.fromkeys(letters_in(option, parts[1]) if parts[1] else ALL, int(parts[2]))
        )
    return found


def _read_characters(texts: Iterable[str]) -> dict[Letter, tuple[int, int]]:
    found: dict[Letter, tuple[int, int]] = {}
    for text in texts:
        parts = _CHARACTERS.fullmatch(text)
        shortest, longest = (int(parts[1]), int(parts[2] or parts[1])) if parts else (0, 0)
        if parts is None or not 1 <= shortest <= longest <= LONGEST_CHARACTERS:
            raise OptionError(
                f"--char-ngrams must be MIN-MAX with numbers from 1 to {LONGEST_CHARACTERS}, before"
                f" the first letter of a namespace if it is meant for one, not '{text}'"
            )
        named = letters_in("--char-ngrams", parts[3]) if parts[3] else ALL
        found.update(dict.fromkeys(named, (shortest, longest)))
    return found


def gram_masks(longest: int, skips: int) -> tuple[Gaps, ...]:
    """The n-grams of 2 to `longest` words, of which up to `skips` are left out between them, in the
    order in which VW makes them."""
    found: list[Gaps] = []

    def extend(mask: Gaps, words: int, skips_left: int, skipped: int) -> None:
        """`skipped` words are left out already between the mask's last word and the next one."""
        if words == 0:
            found.append(mask)
            if len(found) > MOST_MASKS:
                raise OptionError(
                    f"--ngram {longest} with --skips {skips} is too much: there are more than "
                    f"{MOST_MASKS} ways to choose the words of an n-gram"
                )
            return
        extend((*mask, mask[-1] + 1 + skipped), words - 1, skips_left, 0)
        if skips_left > 0:
            extend(mask, words, skips_left - 1, skipped + 1)

    for words in range(1, longest):
        extend((0,), words, skips, 0)
    return tuple(found)
