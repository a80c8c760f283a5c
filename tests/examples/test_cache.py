"""A cache is used again only for the text it came from, read in the same way, by this version."""

import os
from contextlib import suppress
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lomtree.core.errors import DataError
from lomtree.core.reading import Reading
from lomtree.examples.cache import Cache, CacheWriter, describe, is_cache
from lomtree.examples.label_index import LabelIndex
from tests.generators.strange_files import put_cache_together, strange_cache, take_cache_apart
from tests.generators.streams import batch_of, example

LABELS = [b"cat", b"\xff", b"dog"]


def batches():
    return [
        batch_of([example(0, {5: 1.5}), example(1, {}, 2), example(2, {7: -1, 8: 0.25})]),
        batch_of([example(2, {2**32 - 1: 3})]),
    ]


@pytest.fixture
def source(tmp_path) -> str:
    path = tmp_path / "data.vw"
    path.write_bytes(b"cat |f a\n" * 20_000)
    return str(path)


@pytest.fixture
def cache(source, tmp_path) -> str:
    path = str(tmp_path / "data.cache")
    labels = LabelIndex()
    for label in LABELS:
        labels.add(label)
    with open(path, "wb") as file:
        writer = CacheWriter(file, description(source))
        for batch in batches():
            writer.add(batch)
        writer.finish(labels, 3, "vw", Reading(label="y"))
    return path


def description(*sources: str, format="auto", on_error="stop", program="1.0") -> dict:
    return describe(list(sources), format, on_error, program)


def content(some_batches):
    return [[array.tobytes() for array in batch] for batch in some_batches]


def test_a_cache_gives_back_what_was_written(cache, source):
    found = Cache(cache, description(source))
    assert list(found.labels) == LABELS
    assert (found.skipped, found.format, found.reading) == (3, "vw", Reading(label="y"))
    for _ in range(2):
        assert content(found) == content(batches())


def test_a_cache_is_known_by_its_first_bytes(cache, source, tmp_path):
    assert is_cache(cache)
    assert not is_cache(source)
    (tmp_path / "empty").write_bytes(b"")
    assert not is_cache(str(tmp_path / "empty"))


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"format": "vw"}, "other options"),
        ({"on_error": "skip"}, "other options"),
        ({"program": "1.1"}, "another version of the program"),
    ],
)
def test_other_options_or_another_version_do_not_match(cache, source, other, reason):
    with pytest.raises(DataError, match=reason):
        Cache(cache, description(source, **other))


def rewrite(path: str, change) -> None:
    """Change the bytes of a file; the time of its last change stays the same."""
    status = os.stat(path)
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(change(data))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data + b"x",
        lambda data: data[:-1],
        lambda data: b"d" + data[1:],
        lambda data: data[:-2] + b"b\n",
    ],
    ids=["longer", "shorter", "another beginning", "another end"],
)
def test_another_text_does_not_match(cache, source, change):
    rewrite(source, change)
    with pytest.raises(DataError, match="source has changed"):
        Cache(cache, description(source))


def test_a_text_written_anew_does_not_match(cache, source):
    os.utime(source, ns=(0, os.stat(source).st_mtime_ns + 1))
    with pytest.raises(DataError, match="source has changed"):
        Cache(cache, description(source))


def test_other_sources_do_not_match(cache, source, tmp_path):
    (tmp_path / "copy.vw").write_bytes(b"cat |f a\n" * 20_000)
    for sources in ([source, source], [], [str(tmp_path / "copy.vw")]):
        with pytest.raises(DataError, match="source has changed or is another one"):
            Cache(cache, description(*sources))


def test_the_same_file_by_another_name_matches(cache, source, monkeypatch):
    monkeypatch.chdir(os.path.dirname(source))
    assert len(content(Cache(cache, description("./data.vw")))) == 2


def test_standard_input_never_matches(tmp_path):
    path = str(tmp_path / "stdin.cache")
    with open(path, "wb") as file:
        writer = CacheWriter(file, description("-"))
        writer.finish(LabelIndex(), 0, "vw")
    with pytest.raises(DataError, match="cannot be compared"):
        Cache(path, description("-"))


def read_all(path: str, wanted: dict) -> None:
    for batch in Cache(path, wanted):
        assert np.all(np.isfinite(batch.values))


def test_every_truncation_is_refused(cache, source, tmp_path):
    with open(cache, "rb") as file:
        whole = file.read()
    short = tmp_path / "short.cache"
    for length in range(len(whole)):
        short.write_bytes(whole[:length])
        with pytest.raises(DataError):
            read_all(str(short), description(source))


def test_every_flipped_bit_is_refused(cache, source, tmp_path):
    with open(cache, "rb") as file:
        whole = file.read()
    damaged = tmp_path / "damaged.cache"
    for position in range(8, len(whole)):  # without its first 8 bytes it is no cache at all
        for bit in (0, 5, 6, 7):
            data = bytearray(whole)
            data[position] ^= 1 << bit
            damaged.write_bytes(data)
            with pytest.raises(DataError):
                read_all(str(damaged), description(source))


def set_labels(text: bytes, ends=None):
    def change(header, blocks, labels):
        labels[1:3] = np.array(ends or [0, 3, 4, 7]), np.frombuffer(text, np.uint8)
        return header

    return change


def set_found(found: bytes):
    def change(header, blocks, labels):
        labels[3] = found
        return header

    return change


STRANGE = {
    "a label with a tab": set_labels(b"cat\xffd\tg"),
    "a label with a line end": set_labels(b"c\nt\xffdog"),
    "two labels that are the same": set_labels(b"cat\xffcat"),
    "labels that overlap": set_labels(b"cat\xffdog", [0, 4, 3, 7]),
    "labels beyond their text": set_labels(b"cat\xffdog", [0, 3, 4, 2**40]),
    "nothing about its text": set_found(b"{}"),
    "a format without end": set_found(b"[" * 10**5),
    "a reading that is none": set_found(b'{"format": "vw", "reading": {"label": 1}}'),
    "a header without end": lambda header, blocks, labels: b"[" * 10**5,
    "a header that is no object": lambda header, blocks, labels: b"7",
}


@pytest.mark.parametrize("change", STRANGE.values(), ids=STRANGE.keys())
def test_a_correct_checksum_does_not_make_a_cache(cache, source, change):
    with open(cache, "rb") as file:
        whole = file.read()
    header, blocks, labels = take_cache_apart(whole)
    assert put_cache_together(header, blocks, labels) == whole
    header = change(header, blocks, labels)
    rewrite(cache, lambda _data: put_cache_together(header, blocks, labels))
    with pytest.raises(DataError, match="it is damaged"):
        Cache(cache, description(source))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**64))
def test_a_strange_cache_is_refused_or_has_examples(cache, source, tmp_path, seed):
    with open(cache, "rb") as file:
        data = strange_cache(Random(seed), file.read())
    (tmp_path / "strange.cache").write_bytes(data)
    with suppress(DataError):
        found = Cache(str(tmp_path / "strange.cache"), description(source))
        for batch in found:
            assert np.all(batch.starts[1:] >= batch.starts[:-1])
            assert batch.starts[-1] == len(batch.features) == len(batch.values)
            assert all(found.labels[label] for label in batch.labels)
            assert np.all(np.isfinite(batch.values))


def test_a_damaged_cache_is_named(cache, source):
    with open(cache, "rb") as file:
        head = file.read(16)
    at = 16 + int.from_bytes(head[12:], "little") + 20  # in the first block
    rewrite(cache, lambda data: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    with pytest.raises(DataError, match=r"data.cache: a damaged cache: "):
        read_all(cache, description(source))


def train(lomtree, model, *arguments, stdin=b"") -> str:
    result = lomtree("train", "-b", 18, "-f", model, *arguments, stdin=stdin)
    assert (result.status, result.out) == (0, b"")
    return result.err


def test_a_run_makes_a_cache_and_the_next_one_uses_it(lomtree, data, model, tmp_path):
    made = tmp_path / "made.cache"
    assert str(made) not in train(lomtree, model + "1", data, "--cache", made)
    before = made.read_bytes()
    assert f"reading the cache {made}\n" in train(lomtree, model + "2", data, "--cache", made)
    assert made.read_bytes() == before
    with open(model, "rb") as file:
        expected = file.read()
    for number in "12":
        with open(model + number, "rb") as file:
            assert file.read() == expected


def test_a_cache_that_does_not_match_is_said_and_made_anew(lomtree, data, lines, tmp_path):
    made, model = tmp_path / "made.cache", tmp_path / "m"
    train(lomtree, model, data, "--cache", made)
    with open(data, "ab") as file:
        file.write(lines[0])
    said = train(lomtree, model, data, "--cache", made)
    assert (
        f"{made}: not used (its source has changed or is another one); it is written again\n"
        in said
    )
    assert "examples           301," in said
    said = train(lomtree, model, data, "--cache", made, "--on-error", "skip")
    assert f"{made}: not used (it was made with other options); it is written again\n" in said


def test_a_truncated_cache_is_made_anew(lomtree, data, tmp_path):
    made = tmp_path / "made.cache"
    train(lomtree, tmp_path / "m", data, "--cache", made)
    whole = made.read_bytes()
    made.write_bytes(whole[: len(whole) // 2])
    assert "it is written again" in train(lomtree, tmp_path / "m", data, "--cache", made)
    assert made.read_bytes() == whole


def test_a_cache_of_standard_input_is_never_used(lomtree, lines, tmp_path):
    made, text = tmp_path / "made.cache", b"".join(lines)
    train(lomtree, tmp_path / "1", "--cache", made, stdin=text)
    said = train(lomtree, tmp_path / "2", "--cache", made, stdin=text)
    assert f"{made}: not used (what it was made from cannot be compared" in said
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_a_cache_made_while_going_on_serves_a_fresh_run(lomtree, data, model, lines, tmp_path):
    made = tmp_path / "made.cache"
    train(lomtree, tmp_path / "other", stdin=b"another-label |f x\n" + lines[299])
    train(lomtree, tmp_path / "on", data, "-i", tmp_path / "other", "--cache", made)
    assert "reading the cache" in train(lomtree, tmp_path / "fresh", data, "--cache", made)
    with open(model, "rb") as file:
        assert (tmp_path / "fresh").read_bytes() == file.read()


def test_a_run_that_fails_leaves_no_cache(lomtree, data, tmp_path):
    made = tmp_path / "made.cache"
    with open(data, "ab") as file:
        file.write(b"a |f x:y\n")
    result = lomtree("train", data, "-b", 18, "--quiet", "-f", tmp_path / "m", "--cache", made)
    assert result.status == 1
    assert os.listdir(tmp_path) == ["data.vw"]
