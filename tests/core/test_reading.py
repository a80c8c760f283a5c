"""What the columns of a table are for: what makes sense, and what a model keeps of it."""

import json

import pytest

from lomtree.core.errors import OptionError
from lomtree.core.reading import PLAIN, Reading


@pytest.mark.parametrize(
    "reading",
    [
        PLAIN,
        Reading(label="y", text=("a", "b"), columns=("a", "b", "c\udcff")),
        Reading(label="1", header=False, quotes=False, delimiter=";", first_label=True),
    ],
)
def test_it_comes_back_from_json(reading):
    assert Reading.from_json(json.loads(json.dumps(reading.to_json()))) == reading


def test_the_plain_one_is_nothing():
    assert PLAIN.to_json() == {}
    assert not PLAIN.is_of_table
    assert not Reading(first_label=True).is_of_table
    assert Reading(header=False).is_of_table


@pytest.mark.parametrize(
    "values",
    [
        None, [], {"label": 1}, {"label": None}, {"text": "a"}, {"text": [1]}, {"header": 0},
        {"new": "x"}, {"delimiter": "ab"}, {"delimiter": "\n"}, {"label": "a", "tag": "a"},
        {"header": False, "label": "a"}, {"columns": {"a": 1}},
    ],
)  # fmt: skip
def test_what_no_run_can_have_written_is_refused(values):
    with pytest.raises(ValueError, match=r"."):
        Reading.from_json(values)


def test_what_is_given_wins_over_what_a_model_has():
    model = Reading(label="y", tag="id")
    given = {"label": "z", "tag": None, "text": (), "header": True, "quotes": True}
    assert model.changed(given) == Reading(label="z", tag="id")
    assert Reading(label="1", header=False).changed({"header": True}).header is False


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"label": "a", "text": ("a",)}, "the column 'a' is named for two purposes"),
        ({"label": "a", "header": False},
         "columns without a header have numbers from 1, but 'a' is none"),
        ({"label": "0", "header": False},
         "columns without a header have numbers from 1, but '0' is none"),
        ({"delimiter": "ü"}, "--delimiter must be one ASCII character, not 'ü'"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_told(values, message):
    with pytest.raises(OptionError) as caught:
        Reading(**values)
    assert str(caught.value) == message


def test_very_many_columns_are_compared_in_no_time():
    """Each with each other would take minutes; a model may name so many."""
    many = [f"c{number}" for number in range(300_000)]
    assert Reading.from_json({"drop": many}).drop == tuple(many)
    with pytest.raises(ValueError, match="'c7' is named for two purposes"):
        Reading.from_json({"drop": many, "text": ["c7"]})
