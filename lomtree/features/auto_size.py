"""What `--scale auto` takes from a value, and then divides it by: its feature's own centre and
size, or the size of all rare features.

A column that every example has may be in any unit and begin anywhere, like degrees, so its values
are centred and divided by their root mean square. Words are all counted in one unit and from
nothing on, so their values are divided by one number: twice is more than once also for a word that
is always there twice. Between the two, for a feature that n of N examples have, a value is

    (v - centre) / size

    centre = d^32 mean, for d = n / N; 0 for a feature that always has the same value
    size = rms^w common^(1 - w) / idf^IDF_POWER

    w = d (1 + c) / (d + c), for c = HALF_RARE
    rms: the root of the mean of (v - centre)^2
    common^2 = sum of (1 - w) v^2 / sum of (1 - w), over all values v seen; 1 while that is 0
    idf = 1 + ln((1 + N) / (1 + n))

and then by the length of the example, so (rms / common)^w / idf^IDF_POWER would be the same; but
this one is never beyond the sizes of values. Logarithms take time, so a size is kept until it is
due again, which that of a rare feature always is.
"""

from math import exp, log

import numpy as np

from lomtree.jit.kernel import kernel

HALF_RARE = 0.1  # the share of examples with a feature where w is about a half
IDF_POWER = 1.0
LARGE_SHARE = 0.25  # of a feature's sum of squares: such a value changes its root mean square

LEAST_SPREAD = 1e-9  # of the mean's square: below that a variance is but rounding

# Columns of the table: n, the sums of v^2 and of v, the centre and the size that are kept.
COUNT, SQUARES, SUM, CENTRE, SIZE = range(5)

_SMALLEST_SQUARE, _LARGEST_SQUARE = 1e-90, 1e78  # beyond those of any float32
_INFINITE = float(np.finfo(np.float32).max)
_ROUNDING = float((1 << 50) + 1)  # leaves 3 of the 53 digits of a float64


@kernel
def rareness(count, examples):
    """1 - w."""
    return max(HALF_RARE * (examples - count) / (count + HALF_RARE * examples), 0.0)


@kernel
def log_common(common):
    """From the sums of 1 - w and of (1 - w) v^2, be they of a stream or of a strange model."""
    if common[0] <= 0.0 or common[1] <= 0.0:
        return 0.0
    return 0.5 * log(min(max(common[1] / common[0], _SMALLEST_SQUARE), _LARGEST_SQUARE))


@kernel
def auto_centre(count, squares, total, examples):
    """From the number of values, the sums of their squares and of themselves."""
    if not squares * count - total * total > LEAST_SPREAD * total * total:
        return 0.0
    part = min(count / examples, 1.0)
    for _ in range(5):
        part *= part
    return part * total / count


@kernel
def squares_around(centre, count, squares, total):
    """The sum of (v - centre)^2."""
    if centre == 0.0:
        return squares
    return max(squares - centre * (2.0 * total - centre * count), 0.0)


@kernel
def auto_size(count, squares, examples, log_of_common):
    """The squares are those around the centre. A count above that of the examples is one of
    features that share a row."""
    if squares <= 0.0:
        return 0.0
    rare = rareness(count, examples)
    idf = 1.0 + log(max((1.0 + examples) / (1.0 + count), 1.0))
    log_rms = 0.5 * log(squares / count)
    size = exp((1.0 - rare) * log_rms + rare * log_of_common - IDF_POWER * log(idf))
    return min(size, _INFINITE)


@kernel
def is_due(count, squares, square):
    """Whether a size is due with the value number `count` of its feature, which has this square:
    when the count is at most 3 binary digits and zeros behind them (up to 8, and then wherever it
    has grown by an eighth to a quarter), or when the value is a large part of all that were seen.
    Of features that keep coming as often as before, sizes hardly change."""
    product = count * _ROUNDING
    leading = product - (product - count)  # the count, rounded to 3 digits
    return leading == count or square > LARGE_SHARE * squares
