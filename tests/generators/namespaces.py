"""Lines of VW text with several namespaces, as interactions and n-grams like them."""

from random import Random

_NAMES = [b"a", b"ab", b"b", b"bee", b"c", b"", b"", b"d", b"\xc3\xa4", b"~"]
_WORDS = [b"x", b"y", b"seven", b"longer-than-8", b"12", b"007", b"z\xc3\xbcrich", b"\xe2\x82\xac"]
_VALUES = [b"", b"", b"", b":2", b":0.5", b":-1.25", b":0", b":3e2"]


def namespace_line(random: Random) -> bytes:
    """One to four namespaces, some of them twice, some without features."""
    line = b"1"
    for _ in range(random.choice([1, 2, 2, 3, 4])):
        line += b" |" + random.choice(_NAMES)
        count = random.randrange(5)
        if line[-1:] != b"|" and count and random.random() < 0.2:
            line += b":0.5"  # not without features: VW calls such a line malformed
        for _ in range(count):
            line += b" " + random.choice(_WORDS) + random.choice(_VALUES)
        if random.random() < 0.1:
            line += b" :4"
    return line


# What is asked of the lines; each is a command line of VW and of this program.
RECIPES: list[dict] = [
    {"quadratic": ["ab"]},
    {"quadratic": ["ba", "ab", "aa"]},
    {"quadratic": ["::"]},
    {"quadratic": ["a:", ":b"], "noconstant": True},
    {"quadratic": ["a "], "cubic": ["abc"], "ignore": ["d"]},
    {"cubic": ["aab", "bab"]},
    {"cubic": [":::"]},
    {"cubic": ["c:a"], "quadratic": ["::"], "keep": ["ac "]},
    {"interactions": ["abcd", "dcba", "aabb", "aaaa"]},
    {"interactions": ["d:::", "ab"]},
    {"ngram": ["2"]},
    {"ngram": ["3"], "skips": ["1"]},
    {"ngram": ["4"], "skips": ["3"]},
    {"ngram": ["a3", "b2"], "skips": ["a2"]},
    {"ngram": ["2", "a4"], "skips": ["1", "b2"], "ignore": ["c"]},
    {"ngram": ["a2"], "quadratic": ["ab", "aa"]},
    {"ngram": ["2"], "skips": ["1"], "quadratic": ["::"], "keep": ["ab"]},
    {"ignore": ["a", "b "]},
    {"keep": ["ab"], "ignore": ["a"]},
    {"noconstant": True},
]
