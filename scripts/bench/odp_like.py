"""Pages of a web directory, made up: VW lines like those of the Open Directory, endlessly many.

    python -m scripts.bench.odp_like --part train | lomtree train -f pages.lom
    python -m scripts.bench.odp_like --part test | lomtree test -i pages.lom

The classes are the lowest topics of a hierarchy: ten of them share a topic above, ten of those the
next, up to a handful at the top. Every topic has OWN words, drawn out of all; a page mixes words of
its class, of the topics above it and of the language, each the less likely the higher its rank
(Zipf), and its line counts them: `4711 | ba bo:3 dilu ...`. About 60 different words a page.

Classes follow Zipf's law, too. With the defaults the most frequent has 1% of the pages and the
rarest comes once in a million, so one class in eight is never seen in training. `--part test` has
other pages of the same classes. The same seed gives the same lines, fewer of them their beginning.
"""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from scripts.command import parser_of, run_script

CHUNK = 8192  # pages that are drawn at once
FAN_OUT = 10  # topics of a topic
OWN = 40  # words of a topic
PAGE, SPREAD = 62, 0.5  # words of a page: median, and the deviation of their logarithm
SHORTEST, LONGEST = 8, 999
OF_CLASS, OF_TOPICS = 0.2, 0.25  # parts of a page: words of its class, of all topics above it
FREQUENT_CLASSES, FREQUENT_WORDS = 10, 2  # of about the same frequency, at the head of Zipf's law
EXAMPLES = {"train": 1_000_000, "test": 100_000}
SYLLABLES = [a + b for b in "aeiou" for a in "bcdfghjklmnprstvwxyz"]


class Directory(NamedTuple):
    """What the pages of both parts have in common."""

    by_frequency: np.ndarray  # int[classes]; the most frequent class first
    vocabulary: np.ndarray  # int32[topics, OWN]; the topics of a level after those below them
    first: np.ndarray  # int[levels]; where the topics of a level begin
    spelling: np.ndarray  # uint8[features, letters]; padded with 0


def zipf(random: np.random.Generator, size: int, count: int, head: int) -> np.ndarray:
    """Ranks below `count`; r comes with a probability of about 1 / (r + head), up to a factor."""
    ranks = head * np.expm1(random.random(size) * np.log1p(count / head))
    return np.minimum(ranks.astype(np.int64), count - 1)


def spell(features: int) -> np.ndarray:
    """A word of syllables for each number, the lowest numbers the shortest: uint8[n, letters]."""
    syllables = np.array(SYLLABLES, "S2").view(np.uint8).reshape(-1, 2)
    digits, numbers = [], np.arange(features)
    while not digits or numbers.any():
        part = syllables[numbers % len(syllables)]
        digits.append(np.where((numbers > 0)[:, None] | (not digits), part, 0))
        numbers //= len(syllables)
    return np.hstack(digits[::-1]).astype(np.uint8)


def directory(classes: int, features: int, seed: int) -> Directory:
    random = np.random.default_rng([seed, 0])
    sizes = [classes]
    while sizes[-1] > FAN_OUT:
        sizes.append(-(-sizes[-1] // FAN_OUT))
    vocabulary = random.integers(features, size=(sum(sizes), OWN), dtype=np.int32)
    first = np.cumsum([0, *sizes[:-1]])
    return Directory(random.permutation(classes), vocabulary, first, spell(features))


def draw(made: Directory, random: np.random.Generator) -> tuple[np.ndarray, ...]:
    """The classes of CHUNK pages, and pages, numbers and counts of their different words."""
    classes = made.by_frequency[zipf(random, CHUNK, len(made.by_frequency), FREQUENT_CLASSES)]
    lengths = PAGE * np.exp(SPREAD * random.standard_normal(CHUNK))
    lengths = np.clip(lengths.astype(np.int64), SHORTEST, LONGEST)
    pages = np.repeat(np.arange(CHUNK), lengths)
    above = len(made.first) - 1
    shares = [OF_CLASS, *[OF_TOPICS / max(above, 1)] * above]
    level = np.searchsorted(np.cumsum(shares), random.random(len(pages)))
    words = zipf(random, len(pages), len(made.spelling), FREQUENT_WORDS)
    topical = np.flatnonzero(level <= above)
    level = level[topical]
    topics = made.first[level] + classes[pages[topical]] // FAN_OUT**level
    words[topical] = made.vocabulary[topics, zipf(random, len(topical), OWN, 1)]
    return classes, *counted(pages, words, len(made.spelling))


def counted(pages: np.ndarray, words: np.ndarray, features: int) -> tuple[np.ndarray, ...]:
    """Each word of a page once, in order: pages, words, and how often they come."""
    keys = np.sort(pages * features + words)
    begins = np.flatnonzero(np.diff(keys, prepend=-1))
    keys, counts = keys[begins], np.diff(begins, append=len(keys))
    return keys // features, keys % features, counts


def spell_numbers(numbers: np.ndarray, before: str, after: str = "") -> np.ndarray:
    texts = np.array([f"{before}{number}{after}" for number in numbers.tolist()], "S")
    return texts.view(np.uint8).reshape(len(texts), -1)


COUNTS = spell_numbers(np.arange(LONGEST + 1), ":")
COUNTS[:2] = 0  # once goes without saying


def lines(made: Directory, classes: np.ndarray, pages, words, counts) -> bytes:
    """The text: a row of bytes for every label and word, of which the zeros are left out."""
    heads = spell_numbers(classes + 1, "\n", " |")
    letters = made.spelling.shape[1]
    width = max(heads.shape[1], 1 + letters + COUNTS.shape[1])
    rows = np.zeros((len(heads) + len(words), width), np.uint8)
    begins = np.searchsorted(pages, np.arange(len(heads))) + np.arange(len(heads))
    rows[begins, : heads.shape[1]] = heads
    places = np.arange(len(words)) + pages + 1
    rows[places, 0] = ord(" ")
    rows[places, 1 : 1 + letters] = made.spelling[words]
    rows[places, 1 + letters : 1 + letters + COUNTS.shape[1]] = COUNTS[counts]
    return rows[rows != 0][1:].tobytes() + b"\n"


def text(part: str, examples: int, classes: int, features: int, seed: int) -> Iterator[bytes]:
    """Blocks of whole lines."""
    made = directory(classes, features, seed)
    random = np.random.default_rng([seed, 1 + list(EXAMPLES).index(part)])
    for begin in range(0, examples, CHUNK):
        block = lines(made, *draw(made, random))
        if examples - begin < CHUNK:
            block = b"".join(block.splitlines(keepends=True)[: examples - begin])
        yield block


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--part", choices=EXAMPLES, default="train")
    parser.add_argument("--examples", type=int, help="1,000,000 to train, 100,000 to test")
    parser.add_argument("--classes", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    examples = EXAMPLES[given.part] if given.examples is None else given.examples
    for block in text(given.part, examples, given.classes, given.features, given.seed):
        sys.stdout.buffer.write(block)


if __name__ == "__main__":
    run_script(main)
