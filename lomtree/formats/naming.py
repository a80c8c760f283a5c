"""The names of a line's features, those derived from others included."""

from lomtree.core.derivations import NOTHING, Derivations
from lomtree.derived.names import derived_names
from lomtree.formats.one_line import parse_line
from lomtree.formats.registry import Format


def names_in_line(line: bytes, format: Format, derived: Derivations = NOTHING) -> dict[int, str]:
    """The features of a line by their hashes, named as people know them."""
    examples, namespaces = parse_line(line, format.name, derived, words=True)
    assert examples.origin is not None
    translated = examples.origin.translated
    names = format.feature_names(line if translated is None else translated.tobytes())
    if namespaces is None:
        return names
    return derived_names(derived, examples, namespaces, names)
