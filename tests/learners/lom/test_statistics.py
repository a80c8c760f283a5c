"""The table of m, n and l by (generation, label)."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lomtree.hashing.open_addressing import LOAD_LIMIT
from lomtree.learners.lom import statistics
from lomtree.learners.lom.statistics import (
    find,
    has_room,
    home,
    make_statistics,
    move_living,
    rebuilt,
    rows_for,
)

KEYS = st.tuples(st.integers(1, 2**31 - 1), st.integers(0, 2**31 - 1))
CLOSE_KEYS = st.tuples(st.integers(1, 4), st.integers(0, 4))


def insert(table, keys):
    for number, (generation, label) in enumerate(keys):
        row = find(table, generation, label)
        assert table[row]["generation"] == 0
        table[row] = (generation, label, number, 2 * number, 3 * number)


@given(st.lists(CLOSE_KEYS | KEYS, unique=True, max_size=15))
def test_every_key_is_found_even_in_a_crowded_table(keys):
    table = make_statistics(16)
    insert(table, keys)
    for number, (generation, label) in enumerate(keys):
        row = table[find(table, generation, label)]
        assert row.tolist() == (generation, label, number, 2 * number, 3 * number)


def test_a_search_goes_on_from_the_first_row_when_it_runs_over_the_last():
    table = make_statistics(16)
    last = [(1, label) for label in range(1000) if home(table, 1, label) == 15][:2]
    insert(table, last)
    assert [find(table, *key) for key in last] == [15, 0]


def test_homes_of_neighbouring_keys_are_spread():
    table = make_statistics(1 << 12)
    keys = [(generation, label) for generation in range(1, 33) for label in range(32)]
    homes = {int(home(table, *key)) for key in keys}
    assert 0 <= min(homes) <= max(homes) < len(table)
    assert len(homes) > 0.8 * len(keys)  # 1,024 random rows of 4,096 would be 906


@given(st.lists(CLOSE_KEYS, unique=True, max_size=20), st.sets(st.integers(1, 4)))
def test_only_the_living_generations_move_and_have_new_numbers(keys, living):
    table, target = make_statistics(32), make_statistics(32)
    insert(table, keys)
    number_of = np.array([10 * g if g in living else 0 for g in range(5)], np.int32)
    kept = [key for key in keys if key[0] in living]
    assert move_living(table, number_of, target) == len(kept)
    assert np.count_nonzero(target["generation"]) == len(kept)
    for generation, label in kept:
        before, after = find(table, generation, label), find(target, 10 * generation, label)
        assert target[after].tolist()[1:] == table[before].tolist()[1:]


@given(st.integers(0, 10**7))
def test_a_new_table_has_room_for_half_as_many_more(count):
    rows = rows_for(count, 10**9)
    assert 1.5 * count <= LOAD_LIMIT * rows
    assert rows <= max(2.1 * count, statistics.FIRST_ROWS)


@pytest.mark.parametrize(
    ("largest", "dtype"),
    [(255, "u1"), (256, "u2"), (65535, "u2"), (65536, "i4"), (2**31, "f8"), (2.5, "f8")],
)
def test_counts_are_written_in_as_few_bytes_as_hold_them_exactly(largest, dtype):
    table = make_statistics(16)
    keys = [(1, 4), (1, 7), (2, 3)]
    for number, key in enumerate(keys):
        table[find(table, *key)] = (*key, -0.1 * number, float(number), largest / 2**number)
    if largest != 2.5:
        table["l"] = np.floor(table["l"])
    table[find(table, 3, 5)] = (3, 5, 0.5, 1e9 + 0.5, 1e9)  # of a node that is another one by now
    generations = np.array([1, 2, 4])
    listed = statistics.in_order(table, generations, len(keys), 8)
    arrays = statistics.to_arrays(table, generations, len(keys), lambda: listed)
    columns = {name: np.concatenate([*array.pieces()]) for name, array in arrays.items()}
    assert columns["statistics.label"].tolist() == [4, 7, 3]
    assert columns["statistics.n"].dtype == columns["statistics.l"].dtype == np.dtype(dtype)
    for name in ("m", "n", "l"):
        rows = [table[find(table, *key)][name] for key in keys]
        assert columns[f"statistics.{name}"].astype(float).tolist() == rows


@given(st.integers(0, 10**6))
def test_a_table_grows_to_its_bound_and_a_little_more(count):
    rows = rows_for(count, 10**6)
    assert count <= LOAD_LIMIT * rows
    assert rows <= max(statistics.FIRST_ROWS, 1.25 * 10**6 / LOAD_LIMIT + 1)


def test_a_table_has_room_while_a_free_row_is_certain():
    table = make_statistics(10)
    assert has_room(table, 5, 2)
    assert not has_room(table, 6, 2)


@pytest.mark.parametrize("threads", [0, 2])
def test_a_table_moves_piece_by_piece_as_it_would_in_one(monkeypatch, threads):
    """Pieces of 1,000 rows end in the middle of pages, which hold rows of the next one, too."""
    monkeypatch.setattr(statistics, "_MOVED", 1000)
    table, random = make_statistics(20_000), np.random.default_rng(5)
    insert(table, [(int(g), label) for label, g in enumerate(random.integers(1, 100, 14_000))])
    number_of = random.permutation(101).astype(np.int32) * (random.random(101) < 0.8)
    number_of[0] = 0
    expected = make_statistics(30_000)
    count = move_living(table, number_of, expected)
    cores = ThreadPoolExecutor(threads) if threads else None
    target, moved = rebuilt(table, number_of, 30_000, cores)
    assert 5_000 < moved == count
    assert np.array_equal(target, expected)
