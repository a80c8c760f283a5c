"""A ranker from a stranger: refused with a sentence, or harmless."""

from dataclasses import replace

import numpy as np
import pytest

from lomtree.ranking.combination import SIGNS
from lomtree.ranking.label_lists import MOST_LABELS
from lomtree.ranking.rivals import RIVALS
from tests.generators.models import CLASSES, OPTIONS, STREAM, file_bytes, read, trained
from tests.generators.strange_files import put_together, take_apart
from tests.generators.streams import batch_of, example, teach
from tests.reliability.test_crafted_models import (
    assert_refused,
    in_header,
    set_array,
    set_form,
    set_item,
    without,
)


@pytest.fixture(scope="module", params=[1, 2])
def whole(request, tmp_path_factory) -> bytes:
    """A model of one tree, and one of two."""
    model = trained(replace(OPTIONS, trees=request.param))
    return file_bytes(model, tmp_path_factory.mktemp("model"))


def longer(array):
    return np.append(array, array[-1:])


def half_a_label(header, arrays):
    arrays["ranker.rivals"] = arrays["ranker.rivals"][:-2]


def rivals_of_more_labels(header, arrays):
    arrays["ranker.rivals"] = np.zeros(RIVALS * (CLASSES + 1), np.int32)


def one_label_more(header, arrays):
    for name in ("used", "length", "total"):
        arrays[f"ranker.{name}"] = longer(arrays[f"ranker.{name}"])
        arrays[f"ranker.{name}"] = longer(arrays[f"ranker.{name}"])
    arrays["ranker.used"][CLASSES:] = 0


def more_features_than_there_may_be(header, arrays):
    """In order, and finite, but no table of this many bits has room for them."""
    arrays["ranker.used"][:] = 0
    arrays["ranker.used"][0] = 100_000
    arrays["ranker.feature"] = np.arange(100_000, dtype=np.uint32)
    for name in ("sum", "weight", "squares"):
        arrays[f"ranker.{name}"] = np.ones(100_000, np.float32)


def more_postings_than_there_may_be(header, arrays):
    lists = 40_000
    arrays["lists.feature"] = np.arange(lists, dtype=np.uint32)
    arrays["lists.length"] = np.ones(lists, np.int32)
    arrays["lists.least"] = np.zeros(lists, np.float32)
    arrays["lists.label"] = np.zeros(lists, np.int32)
    arrays["lists.weight"] = np.zeros(lists, np.float32)


def an_exemplar_of_nothing(header, arrays):
    """A few items that say nothing, of which there might be many."""
    length = int(arrays["exemplars.length"][0])
    arrays["exemplars.length"][0] = 0
    for name in ("feature", "value"):
        arrays[f"exemplars.{name}"] = arrays[f"exemplars.{name}"][length:]


NAMES = [
    *(
        f"ranker.{name}"
        for name in ("used", "length", "total", "feature", "sum", "weight", "squares")
    ),
    *(f"lists.{name}" for name in ("feature", "length", "least", "label", "weight")),
    *(f"exemplars.{name}" for name in ("count", "length", "lot", "feature", "value")),
    *("ranker.rivals", "combination.weights", "combination.curvature"),
]
MALFORMED = {
    "a label with fewer features than none": set_item("ranker.used", 0, -1),
    "a label with more features": set_item("ranker.used", 0, 10**6),
    "the largest number of features": set_item("ranker.used", slice(None), 2**31 - 1),
    "more labels than there are": one_label_more,
    "more features than there may be": more_features_than_there_may_be,
    "a length that is no number": set_item("ranker.length", 0, np.nan),
    "an infinite length": set_item("ranker.length", 0, np.inf),
    "a total that is no number": set_item("ranker.total", 0, np.nan),
    "features out of order": set_form("ranker.feature", lambda a: a[::-1].copy()),
    "a feature twice": set_form("ranker.feature", lambda a: a[[1, *range(1, len(a))]]),
    "a sum that is no number": set_item("ranker.sum", 0, np.nan),
    "a sum beyond all measure": set_item("ranker.sum", 0, 2e38),
    "an infinite weight": set_item("ranker.weight", 0, -np.inf),
    "a negative sum of squares": set_item("ranker.squares", 0, -1),
    "squares that are no numbers": set_item("ranker.squares", -1, np.nan),
    "a rival out of range": set_item("ranker.rivals", 0, CLASSES),
    "a rival below none": set_item("ranker.rivals", -1, -2),
    "rivals of half a label": half_a_label,
    "rivals of more labels than there are": rivals_of_more_labels,
    "examples that are no number": in_header("ranked", "many"),
    "fewer examples than none": in_header("ranked", -1),
    "more examples than are counted": in_header("ranked", 2**60),
    "fewer examples than labels have had": in_header("ranked", 3),
    "an example that is still to come": set_item("ranker.last", 0, 10**6),
    "a list without labels": set_item("lists.length", 0, 0),
    "a list of negative length": set_item("lists.length", 0, -4),
    "a list longer than lists are": set_item("lists.length", 0, MOST_LABELS + 1),
    "two lists of a feature": set_form("lists.feature", lambda a: a[[1, *range(1, len(a))]]),
    "more postings than there may be": more_postings_than_there_may_be,
    "a list with a label out of range": set_item("lists.label", 0, CLASSES),
    "a list with a negative label": set_item("lists.label", 0, -1),
    "a list with a weight that is no number": set_item("lists.weight", 0, np.nan),
    "a least weight that is no number": set_item("lists.least", 0, np.inf),
    "a label with fewer exemplars than none": set_item("exemplars.count", 0, -1),
    "the largest number of exemplars": set_item("exemplars.count", slice(None), 2**31 - 1),
    "an exemplar of negative length": set_item("exemplars.length", 0, -1),
    "an exemplar without features": an_exemplar_of_nothing,
    "an exemplar that is too long": set_item("exemplars.length", 0, 2048),
    "an exemplar that is no number": set_item("exemplars.value", 0, np.nan),
    "an exemplar that is too large": set_item("exemplars.value", 0, -3.0),
    "a lot that is no number": set_item("exemplars.lot", 0, np.nan),
    "more room for exemplars than there may be": in_header("exemplars", 4096),
    "a sign's weight that is no number": set_item("combination.weights", 0, np.nan),
    "a sign's weight beyond all measure": set_item("combination.weights", 1, 1e7),
    "one sign less": set_array("combination.weights", [1, 1, 1]),
    "a curvature that is no number": set_item("combination.curvature", 1, np.nan),
    "a curvature of nothing": set_array("combination.curvature", np.zeros(SIGNS * SIGNS)),
    "a negative curvature": set_item("combination.curvature", 0, -1),
    **{f"{name} is missing": without(name) for name in NAMES},
    **{f"{name} is too short": set_form(name, lambda a: a[:-1]) for name in NAMES},
    **{f"{name} is too long": set_form(name, longer) for name in NAMES},
    **{f"{name} is of bytes": set_form(name, lambda a: a.astype(np.uint8)) for name in NAMES},
}


@pytest.mark.parametrize("change", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_correct_checksum_does_not_make_a_ranker(whole, tmp_path, change):
    assert_refused(whole, change, tmp_path)


def short_tables(header, arrays):
    """All labels but the first have lost their features; lists and rivals still name them."""
    used = int(arrays["ranker.used"][0])
    for name in ("used", "length", "total", "examples", "first", "last"):
        arrays[f"ranker.{name}"] = arrays[f"ranker.{name}"][:1]
    arrays["ranker.rivals"] = arrays["ranker.rivals"][:RIVALS]
    for name in ("feature", "sum", "weight", "squares"):
        arrays[f"ranker.{name}"] = arrays[f"ranker.{name}"][:used]
    arrays["ranker.rivals"][:] = CLASSES - 1
    arrays["lists.label"][:] = CLASSES - 1


def no_tables(header, arrays):
    for name in [name for name in arrays if name.startswith("ranker.")]:
        arrays[name] = arrays[name][:0]


def one_label_everywhere(header, arrays):
    for name in arrays:
        if name.endswith(("lists.label", "leaf_labels.label")):
            arrays[name][:] = 0


def largest_numbers(header, arrays):
    for name in ("sum", "weight"):
        arrays[f"ranker.{name}"][:] = np.float32(9e29)
    arrays["ranker.squares"][:] = 0
    for name in arrays:
        if name.endswith(("lists.weight", "leaf_labels.weight")):
            arrays[name][:] = np.float32(3e38)


def no_lengths(header, arrays):
    for name in ("length", "total"):
        arrays[f"ranker.{name}"][:] = [0, -1, 1e-300, 1e300, 5, 5][: len(arrays["ranker.length"])]


def singular_curvature(header, arrays):
    arrays["combination.curvature"][:] = 1.0


def indefinite_curvature(header, arrays):
    arrays["combination.curvature"][:] = -1e100
    arrays["combination.curvature"][:: SIGNS + 1] = 1.0


STRANGE = [
    short_tables, no_tables, one_label_everywhere, largest_numbers, no_lengths,
    singular_curvature, indefinite_curvature,
]  # fmt: skip


@pytest.mark.parametrize("change", STRANGE)
def test_what_is_strange_but_possible_does_no_harm(whole, tmp_path, change):
    """Learning and ranking go on, with finite numbers, and the result is a model again."""
    header, arrays = take_apart(whole)
    change(header, arrays)
    model = read(put_together(header, arrays), tmp_path)
    examples = [*STREAM, example(CLASSES - 1), example(0, {1: 1e30, 2: -1e30})]
    for _ in range(2):
        ranking = model.learner.rank(batch_of(examples), len(examples), 16, 5)
        assert np.isfinite(ranking.probabilities).all()
        assert ranking.labels.max() < CLASSES
        teach(model.learner, examples)
    assert np.isfinite(model.learner.combination.weights).all()
    again = read(file_bytes(model, tmp_path), tmp_path)
    assert file_bytes(again, tmp_path) == file_bytes(model, tmp_path)
