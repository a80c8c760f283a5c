"""What people ask to be derived is read as VW reads it, or refused in words."""

import pytest

from lomtree.core.derivations import NOTHING, gram_masks, read_derivations
from lomtree.core.errors import OptionError
from lomtree.core.options import DERIVATIONS, Options, choose_options

A, B, C = b"abc"


def test_nothing_is_derived_where_nothing_is_asked_for():
    assert read_derivations() == NOTHING == Options().derived


def test_interactions_are_there_once_whatever_their_order():
    found = read_derivations(quadratic=["ba", "ab", "aa"], cubic=["cab"], interactions=["abc"])
    assert found.interactions == ((A, A), (A, B), (A, B, C))
    assert read_derivations(quadratic=["ba"]).interactions == ((B, A),)


def test_a_namespace_that_is_there_twice_has_its_places_side_by_side():
    assert read_derivations(cubic=["bab"]).interactions == ((A, B, B),)
    assert read_derivations(cubic=["bbb"]).interactions == ((B, B, B),)


def test_namespaces_can_be_named_by_their_bytes():
    found = read_derivations(quadratic=[r"a\x20", r"\xC3\xc3"], ignore=[r"b\x00"])
    assert found.interactions == ((A, 32), (0xC3, 0xC3))
    assert found.ignored == {B, 0}
    assert read_derivations(ngram=[r"\xC32"]).grams == {0xC3: ((0, 1),)}


def test_what_is_kept_counts_instead_of_what_is_ignored():
    found = read_derivations(keep=["ab"], ignore=["a"])
    assert found.ignored == set(range(256)) - {A, B}


def test_of_lengths_for_a_namespace_the_last_one_counts():
    found = read_derivations(ngram=["2", "a3"])
    assert len(found.grams) == 256
    assert found.grams[A] == ((0, 1), (0, 1, 2))
    assert found.grams[B] == ((0, 1),)
    assert read_derivations(ngram=["a3", "2"]).grams[A] == ((0, 1),)
    assert read_derivations(ngram=["1"]).grams == {}


def test_skips_leave_out_words_in_vw_s_order():
    assert gram_masks(2, 2) == ((0, 1), (0, 2), (0, 3))
    assert gram_masks(3, 1) == ((0, 1), (0, 2), (0, 1, 2), (0, 1, 3), (0, 2, 3))


def test_characters_are_of_all_namespaces_or_of_one():
    assert len(read_derivations(char_ngrams=["3-5"]).characters) == 256
    assert read_derivations(char_ngrams=["3-5a", "2b"]).characters == {A: (3, 5), B: (2, 2)}
    assert read_derivations(char_ngrams=["3"], char_marks="<é").marks == (b"<", "é".encode())


WRONG = {
    "quadratic": ["a", "abc", "", "ä", "éb"],
    "cubic": ["ab", "abcd"],
    "interactions": ["a", "abcdefghi"],
    "ngram": ["", "a", "0", "17", "ab2", "2a", "a-2", "1234"],
    "char_ngrams": ["", "a3", "0-3", "4-3", "3-65", "3-5ab", "-3", "3-b4"],
    "keep": ["", "ä"],
    "ignore": [""],
    "ignore_linear": ["ö"],
}


@pytest.mark.parametrize(("name", "value"), [(n, value) for n in WRONG for value in WRONG[n]])
def test_what_makes_no_sense_is_refused_by_the_option_s_name(name, value):
    option = "--" + name.replace("_", "-")
    with pytest.raises(OptionError, match=f"^{option} must .*, not '{value}'$"):
        Options(**{name: (value,)})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"skips": ("2",)}, "--skips needs --ngram"),
        ({"chars_only": True}, "--chars-only needs --char-ngrams"),
        ({"char_marks": "^"}, "--char-marks must be two characters or none, not '\\^'"),
        ({"ngram": ("16",), "skips": ("16",)}, "--ngram 16 with --skips 16 is too much"),
    ],
)
def test_what_makes_no_sense_together_is_refused(options, sentence):
    with pytest.raises(OptionError, match=sentence):
        Options(**options)


def test_a_model_keeps_what_it_derives():
    before = Options(quadratic=("ab",))
    assert choose_options({}, before).quadratic == ("ab",)
    assert choose_options({"quadratic": ("ab",)}, before).quadratic == ("ab",)
    with pytest.raises(OptionError, match=r"^--quadratic is ab in this model and cannot change$"):
        choose_options({"quadratic": ("ac",)}, before)
    with pytest.raises(OptionError, match=r"^--ngram is not given in this model"):
        choose_options({"ngram": ("2",)}, before)


def test_all_of_them_are_options():
    values = {name: getattr(Options(), name) for name in DERIVATIONS}
    assert read_derivations(**values) == NOTHING
