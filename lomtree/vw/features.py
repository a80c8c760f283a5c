"""Rows of the table: which features an example has."""

from lomtree.vw.row import Row, becomes, left_out, needless, refused

_NAMESPACE = r"\\x[0-9a-fA-F]{2}|\S"
_PAIR = rf"(?:{_NAMESPACE}){{2}}"
_TRIPLE = rf"(?:{_NAMESPACE}){{3}}"
_SOME = rf"(?:{_NAMESPACE}){{2,5}}"
_LENGTH = r"[^\d\s]?\d+"
_WRITTEN = "write such features into the data; train --char-ngrams has parts of words"

ROWS: tuple[Row, ...] = (
    becomes("-q --quadratic", "AB", "-q {}", further=_PAIR),
    becomes("--cubic", "ABC", "--cubic {}", further=_TRIPLE),
    becomes("--interactions", "ABC", "--interactions {}", further=_SOME),
    becomes("--ngram", "[A]N", "--ngram {}", further=_LENGTH),
    becomes("--skips", "[A]N", "--skips {}", further=_LENGTH),
    becomes("--keep", "A", "--keep {}", further=_NAMESPACE),
    becomes("--ignore", "A", "--ignore {}", further=_NAMESPACE),
    becomes("--ignore_linear", "A", "--ignore-linear {}", further=_NAMESPACE),
    becomes("--noconstant", "", "--noconstant"),
    needless("--sort_features", "", "leave it out: the order of features does not matter"),
    left_out("--hash", "HOW", "names that are numbers are used as they are, others are hashed",
             usual="strings"),
    left_out("--hash_seed", "N", "names are hashed as VW does it with seed 0", usual="0"),
    left_out("-C --constant", "X", "the constant's weight begins at 0", usual="0"),
    left_out("--permutations --leave_duplicate_interactions", "",
             "a pair of features interacts once"),
    refused("--affix --spelling", "ARG", _WRITTEN),
    refused("--dictionary --dictionary_path", "ARG", "dictionaries are not read: write their "
            "features into the data"),
    refused("--redefine", "N:=S", "namespaces keep their names: sed can rename them in the data"),
    refused("--feature_limit", "[A]N", "examples keep all their features"),
    refused("--experimental_full_name_interactions", "A|B", "name the first letters: -q AB"),
    refused("--ignore_features_dsjson_experimental", "A|F", "train --ignore A leaves out all of a "
            "namespace"),
)  # fmt: skip
