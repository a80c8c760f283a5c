"""Real data without a file: the names of Unicode characters, from Python itself, as VW lines.

    python scripts/unicode_names.py --part train | lomtree train -f names.lom
    python scripts/unicode_names.py --part test | lomtree test -i names.lom

The words of a name are the features, its block of 128 code points is the label:

    0 'U+0041 |name LATIN CAPITAL LETTER A

Names that only spell out their own code point or syllable (ideographs, Hangul) say nothing and are
left out. Lines come in a random but fixed order; `--part` gives 9 in 10 of them, or the tenth.
This file runs with nothing installed but Python.
"""

import argparse
import random
import re
import signal
import sys
import unicodedata

SPELLED_OUT = re.compile(r"-[0-9A-F]{4,5}$|^HANGUL SYLLABLE ")


def lines() -> list[str]:
    made = []
    for code in range(sys.maxunicode + 1):
        name = unicodedata.name(chr(code), "")
        if name and not SPELLED_OUT.search(name):
            made.append(f"{code // 128:X} 'U+{code:04X} |name {name}\n")
    random.Random(0).shuffle(made)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--part", choices=["all", "train", "test"], default="all")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` is no mistake
    part = parser.parse_args().part
    for number, line in enumerate(lines()):
        if part == "all" or (part == "test") == (number % 10 == 0):
            sys.stdout.write(line)


if __name__ == "__main__":
    main()
