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
SEVERAL_LABELS = 11
FEW_FIELDS = 12
MANY_FIELDS = 13
OPEN_QUOTE = 14
BEHIND_QUOTE = 15
BAD_WEIGHT = 16
BROKEN_LABEL = 17
LARGE_NUMBER = 18
BAD_JSON = 19
JSON_OBJECT = 20
JSON_ARRAY = 21
JSON_LABEL = 22
JSON_TAG = 23
JSON_TEXT = 24

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
    SEVERAL_LABELS: (
        "expected one label, because this learner takes one (--first-label takes the first)"
    ),
    FEW_FIELDS: "expected another field, because the first row has more",
    MANY_FIELDS: "expected the end of the row, because the first row has fewer fields",
    OPEN_QUOTE: "expected a field whose quotes end (--no-quotes reads quotes as they are)",
    BEHIND_QUOTE: (
        "expected the end of the field behind its quotes (a quote in them is doubled; --no-quotes "
        "reads quotes as they are)"
    ),
    BAD_WEIGHT: "expected an importance (a number, 0 or more)",
    BROKEN_LABEL: "expected a label without tabs and newlines",
    LARGE_NUMBER: "expected a number between -3.4e38 and 3.4e38",
    BAD_JSON: "expected JSON, one object a line",
    JSON_OBJECT: "expected a JSON object",
    JSON_ARRAY: "expected an array of numbers or of objects",
    JSON_LABEL: 'expected a string or a number as "_label", or an object with "Label" and "Weight"',
    JSON_TAG: 'expected a string as "_tag"',
    JSON_TEXT: 'expected a string as "_text"',
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
    line, column = int(origin.lines[number]), int(origin.columns[number])
    sentence = SENTENCES[problem]
    if origin.text is None and origin.translated is not None:  # a row of a file that is no text
        return f"{origin.source}: row {origin.first_line + line}: {sentence}"
    text = (examples.labels.text if origin.text is None else origin.text).tobytes()
    line_begin = 0
    for _ in range(line):
        line_begin = text.index(b"\n", line_begin) + 1
    found = line_begin + column - 1
    place = f"{origin.source}:{origin.first_line + line}:{column}"
    return f"{place}: {sentence}, found {show(text[found : found + 200])}"


def require_labels(examples: Examples) -> None:
    """Mark the examples without a label; a tag that was meant as a label gets its own sentence."""
    labels, tags, count = examples.labels, examples.tags, examples.count
    missing = examples.good & (labels.begins[:count] == labels.ends[:count])
    if not missing.any():
        return
    assert examples.origin is not None
    if examples.origin.translated is not None:  # the columns are those of the labels
        examples.problems[:count][missing] = MISSING_LABEL
        return
    text = labels.text.tobytes()
    for example in missing.nonzero()[0]:
        # Without a label its span is empty and stands at the first word, which is the tag if
        # there is one without a quote.
        begin = int(labels.begins[example])
        tagged = tags.begins[example] == begin < tags.ends[example]
        examples.problems[example] = TAG_FOR_LABEL if tagged else MISSING_LABEL
        examples.origin.columns[example] = begin - text.rfind(b"\n", 0, begin)


__all__ = ["GOOD", "SENTENCES", "describe", "require_labels", "show"]
