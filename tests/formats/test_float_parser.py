"""Decimal numbers: what is read, where reading stops, how exact it is."""

import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lomtree.formats.float_parser import WORD, parse_number, read_fraction
from tests.oracles.text import NUMBER


def parse(data: bytes) -> tuple[float, int]:
    text = np.frombuffer(b"9" + data + b"9", np.uint8)
    value, stop = parse_number(text, 1, 1 + len(data))
    return value, stop - 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"0", 0.0),
        (b"5", 5.0),
        (b"+3", 3.0),
        (b"-0.25", -0.25),
        (b".5", 0.5),
        (b"5.", 5.0),
        (b"1e-5", 1e-5),
        (b"1.E+2", 100.0),
        (b"0.1", 0.1),
        (b"123456789012345678901234567890", 123456789012345678901234567890.0),
        (b"0." + b"0" * 400 + b"1e401", 1.0),
        (b"1" + b"0" * 400 + b"e-400", 1.0),
        (b"1e99999999999", math.inf),
        (b"-1e99999999999", -math.inf),
        (b"1e-99999999999", 0.0),
        (b"0e99999999999999999999999", 0.0),
        (b"1e309", math.inf),
        (b"1.7976931348623157e308", 1.7976931348623157e308),
        (b"5e-324", 5e-324),
        (b"2.2250738585072014e-308", 2.2250738585072014e-308),
    ],
)
def test_numbers(text, value):
    assert parse(text) == (value, len(text))


@pytest.mark.parametrize(
    "text", [b"", b"+", b"-", b".", b"-.", b"e5", b"nan", b"inf", b"abc", b"--1"]
)
def test_what_is_not_a_number_consumes_nothing(text):
    assert parse(text)[1] == 0


@pytest.mark.parametrize(
    ("text", "value", "stop"),
    [
        (b"0x10", 0.0, 1),
        (b"1e", 1.0, 1),
        (b"1e+", 1.0, 1),
        (b"1.2.3", 1.2, 3),
        (b"3:4", 3.0, 1),
        (b"7 8", 7.0, 1),
        (b"1e5e5", 1e5, 3),
    ],
)
def test_reading_stops_at_the_first_byte_that_does_not_belong(text, value, stop):
    assert parse(text) == (value, stop)


def test_a_negative_zero_keeps_its_sign():
    assert math.copysign(1, parse(b"-0.0")[0]) == -1


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_that_python_prints_is_read_within_one_ulp(number):
    value, stop = parse(repr(number).encode())
    assert stop == len(repr(number))
    assert abs(value - number) <= math.ulp(number)


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.integers(5, 20))
def test_float32_values_are_rounded_as_python_rounds_them(number, digits):
    text = f"{number:.{digits}g}"
    with np.errstate(over="ignore"):
        assert np.float32(parse(text.encode())[0]) == np.float32(float(text))


@given(st.text("0123456789.eE+-", max_size=45).map(str.encode))
@example(b"1234567890123456789.5e-3")
def test_any_mixture_of_a_numbers_bytes(text):
    match = NUMBER.match(text)
    value, stop = parse(text)
    assert stop == (match.end() if match else 0)
    if match:
        expected = float(match.group())
        assert value == expected or abs(value - expected) <= math.ulp(expected)


def fraction(word: bytes) -> tuple[float, bool]:
    text = np.frombuffer(b"7" * WORD + word + b"7" * WORD, np.uint8)
    return read_fraction(text, WORD, WORD + len(word))


@given(
    st.from_regex(rb"-?0\.[0-9]{1,9}", fullmatch=True)
    | st.binary(min_size=1, max_size=12)
    | st.text("0123456789.-+e/:", min_size=1, max_size=12).map(str.encode)
)
@example(b"0.99999999")
@example(b"-0.00000001")
@example(b"0.5")
@example(b"0.")
@example(b"-0.")
@example(b"0.1234567:")
@example(b"0./2345678")
@example(b"0.0.5")
@example(b"-")
def test_short_fractions_are_read_at_once_and_nothing_else_is(word):
    value, is_read = fraction(word)
    assert is_read == bool(re.fullmatch(rb"-?0\.[0-9]{1,8}", word))
    if is_read:
        assert (value, math.copysign(1, value)) == (float(word), math.copysign(1, float(word)))
