"""What can be wrong with a line of text, and the sentence that says so."""

from lomtree.core.printable import printable
from lomtree.derived.problems import SENTENCES as DERIVED_SENTENCES
from lomtree.examples.examples import GOOD, Examples

BAD_VALUE = 1
LARGE_VALUE = 2
COLON_IN_LABEL = 3
BAD_IMPORTANCE = 4
WORD_BEFORE_BAR = 5
NO_NAMESPACE = 6
BAD_INDEX = 7
MISSING_LABEL = 8
TAG_FOR_LABEL = 9
MISSING_BAR = 10

# What was expected; describe() adds where, and what was found there.
SENTENCES = {
    BAD_VALUE: "expected a number after ':'",
    LARGE_VALUE: "expected a value (times its namespace's weight) between -3.4e38 and 3.4e38",
    COLON_IN_LABEL: "expected a label without ':'",
    BAD_IMPORTANCE: "expected an importance (a number, 0 or more) after the label",
    WORD_BEFORE_BAR: "expected '|' after the label and its importance",
    NO_NAMESPACE: "expected a namespace or a space after '|'",
    BAD_INDEX: "expected INDEX:VALUE with a whole number below 4294967296 as the index",
    MISSING_LABEL: "expected a label",
    TAG_FOR_LABEL: (
        "expected a space after the label (VW reads a word that touches '|' or ends the line "
        "as a tag)"
    ),
    MISSING_BAR: "expected '|' before the features (this is VW text, not libsvm)",
}

_SHOWN = 20  # characters of what was found, in a message


def show(found: bytes) -> str:
    """What stands at the beginning of `found`, fit for a message."""
    line = found.partition(b"\n")[0].rstrip(b"\r").replace(b"\t", b" ")
    if not line:
        return "the end of the line"
    word = line.partition(b" ")[0].decode("utf-8", "backslashreplace")
    if not word:
        return "a space"
    return f"'{printable(word[:_SHOWN], _SHOWN)}{'...' if len(word) > _SHOWN else ''}'"


def describe(examples: Examples, number: int) -> str:
    """FILE:LINE:COLUMN: what was expected, and what was found."""
    origin, problem = examples.origin, int(examples.problems[number])
    assert origin is not None
    if problem in DERIVED_SENTENCES:
        line = origin.first_line + int(origin.lines[number])
        return f"{origin.source}:{line}: {DERIVED_SENTENCES[problem]}"
    text = examples.labels.text.tobytes()
    line, column = int(origin.lines[number]), int(origin.columns[number])
    line_begin = 0
    for _ in range(line):
        line_begin = text.index(b"\n", line_begin) + 1
    found = line_begin + column - 1
    sentence = SENTENCES[problem]
    place = f"{origin.source}:{origin.first_line + line}:{column}"
    return f"{place}: {sentence}, found {show(text[found : found + 200])}"


def require_labels(examples: Examples) -> None:
    """Mark the examples without a label; a tag that was meant as a label gets its own sentence."""
    labels, tags, count = examples.labels, examples.tags, examples.count
    missing = examples.good & (labels.begins[:count] == labels.ends[:count])
    if not missing.any():
        return
    assert examples.origin is not None
    text = labels.text.tobytes()
    for example in missing.nonzero()[0]:
        # Without a label its span is empty and stands at the first word, which is the tag if
        # there is one without a quote.
        begin = int(labels.begins[example])
        tagged = tags.begins[example] == begin < tags.ends[example]
        examples.problems[example] = TAG_FOR_LABEL if tagged else MISSING_LABEL
        examples.origin.columns[example] = begin - text.rfind(b"\n", 0, begin)


__all__ = ["GOOD", "SENTENCES", "describe", "require_labels", "show"]
