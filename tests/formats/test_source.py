"""Bytes from files and pipes, unpacked where they are compressed."""

import bz2
import gzip
import lzma
import os
import threading
import zlib

import pytest

from lomtree.core.errors import DataError
from lomtree.formats import source as source_module
from lomtree.formats.source import BLOCK_BYTES, Source

TEXT = b"".join(b"%d |f word%d\n" % (i, i * i) for i in range(5000))
PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def read(path) -> bytes:
    with Source(str(path)) as source:
        return b"".join(source)


@pytest.fixture
def stdin_pipe():
    """A pipe in the place of standard input; gives its writing end."""
    before = os.dup(0)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    yield writing
    os.dup2(before, 0)
    os.close(before)


def test_a_plain_file_comes_in_full_blocks(tmp_path):
    data = os.urandom(10) * (BLOCK_BYTES // 4)
    (tmp_path / "a").write_bytes(data)
    with Source(str(tmp_path / "a")) as source:
        blocks = list(source)
        assert (source.name, source.size) == (str(tmp_path / "a"), len(data))
        assert source.bytes_read == len(data)
    assert b"".join(blocks) == data
    assert [len(block) for block in blocks] == [
        BLOCK_BYTES,
        BLOCK_BYTES,
        len(data) - 2 * BLOCK_BYTES,
    ]


def test_an_empty_file_has_no_blocks(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    with Source(str(tmp_path / "empty")) as source:
        assert list(source) == []
    assert read(os.devnull) == b""


@pytest.mark.parametrize("packer", PACKERS)
def test_compressed_files_are_known_by_their_content(tmp_path, packer):
    packed = PACKERS[packer](TEXT)
    (tmp_path / "no-suffix").write_bytes(packed)
    with Source(str(tmp_path / "no-suffix")) as source:
        assert b"".join(source) == TEXT
        assert source.size == source.bytes_read == len(packed)


@pytest.mark.parametrize("packer", PACKERS)
def test_streams_may_follow_each_other(tmp_path, packer):
    pack = PACKERS[packer]
    (tmp_path / "a").write_bytes(pack(TEXT) + pack(b"") + b"\0" * 8 + pack(b"end\n") + b"\0" * 4)
    assert read(tmp_path / "a") == TEXT + b"end\n"


@pytest.mark.parametrize("packer", PACKERS)
def test_an_empty_compressed_file(tmp_path, packer):
    (tmp_path / "a").write_bytes(PACKERS[packer](b""))
    assert read(tmp_path / "a") == b""


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("missing", [1, 5, 100])
def test_truncated_data_is_an_error(tmp_path, packer, missing):
    (tmp_path / "a").write_bytes(PACKERS[packer](TEXT)[:-missing])
    with pytest.raises(DataError, match=r"/a: the compressed data ends too early$"):
        read(tmp_path / "a")


@pytest.mark.parametrize("packer", PACKERS)
def test_corrupt_data_is_an_error(tmp_path, packer):
    packed = bytearray(PACKERS[packer](TEXT))
    middle = len(packed) // 2
    packed[middle : middle + 50] = b"\xff" * 50
    (tmp_path / "a").write_bytes(packed)
    with pytest.raises(DataError, match=r"/a: the compressed data is corrupt$"):
        read(tmp_path / "a")


def test_a_wrong_checksum_is_an_error(tmp_path):
    packed = bytearray(gzip.compress(TEXT))
    packed[-8] ^= 1
    (tmp_path / "a").write_bytes(packed)
    with pytest.raises(DataError, match="corrupt"):
        read(tmp_path / "a")


@pytest.mark.parametrize("packer", PACKERS)
def test_something_behind_the_compressed_data_is_an_error(tmp_path, packer):
    (tmp_path / "a").write_bytes(PACKERS[packer](TEXT) + b"1 |f x\n")
    with pytest.raises(DataError, match=r"/a: something else follows the compressed data$"):
        read(tmp_path / "a")


@pytest.mark.parametrize("packer", PACKERS)
def test_a_small_file_that_unpacks_to_much_comes_in_small_blocks(tmp_path, packer):
    (tmp_path / "a").write_bytes(PACKERS[packer](bytes(20 * BLOCK_BYTES)))
    with Source(str(tmp_path / "a")) as source:
        sizes = [len(block) for block in source]
    assert sum(sizes) == 20 * BLOCK_BYTES
    assert max(sizes) <= BLOCK_BYTES


@pytest.mark.parametrize("packer", PACKERS)
def test_ten_thousand_tiny_streams_take_no_more_than_their_bytes(tmp_path, packer, monkeypatch):
    """Each stream hands back what follows it, so none may be given all that there is."""
    found, given = source_module._unpacker_for, []

    class Counted:
        def __init__(self, unpacker) -> None:
            self._unpacker = unpacker

        def __getattr__(self, name):
            return getattr(self._unpacker, name)

        def decompress(self, data, most):
            given.append(len(data))
            return self._unpacker.decompress(data, most)

    def counted(head):
        unpacker = found(head)
        return unpacker and Counted(unpacker)

    monkeypatch.setattr(source_module, "_unpacker_for", counted)
    tiny = PACKERS[packer](b"x\n")
    (tmp_path / "a").write_bytes(10_000 * tiny)
    assert read(tmp_path / "a") == 10_000 * b"x\n"
    assert sum(given) < 10_000 * 1024


@pytest.mark.parametrize(
    "text",
    [b"BZh", b"BZh9 |f a\n", b"BZ", b"B", b"\x1f", b"\x1f\x8b", b"\xfd7zXZ", zlib.compress(b"")],
)
def test_what_only_begins_like_compressed_data_is_plain(tmp_path, text):
    (tmp_path / "a").write_bytes(text)
    assert read(tmp_path / "a") == text


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError, match=r"/none: no such file$"):
        Source(str(tmp_path / "none"))


def test_a_directory(tmp_path):
    with pytest.raises(DataError, match=r": is a directory, not a file$"):
        Source(str(tmp_path))


def test_a_file_below_a_file(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(DataError, match=r"/a/b: cannot be read \(not a directory\)$"):
        Source(str(tmp_path / "a" / "b"))


def test_no_permission(tmp_path, monkeypatch):
    (tmp_path / "a").write_bytes(b"")

    def refuse(*_arguments):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # root may read everything
    with pytest.raises(DataError, match=r"/a: no permission to read it$"):
        Source(str(tmp_path / "a"))


def test_a_name_that_no_file_can_have():
    with pytest.raises(DataError, match="not a file name"):
        Source("a\0b")


def test_leaving_the_context_closes_the_file(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    with Source(str(tmp_path / "a")) as source:
        descriptor = source._descriptor
        os.fstat(descriptor)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_standard_input_hands_bytes_on_when_the_other_side_pauses(stdin_pipe):
    with Source("-") as source:
        assert (source.name, source.size) == ("standard input", None)
        blocks = iter(source)
        os.write(stdin_pipe, b"1 |f a\n2 |")
        assert next(blocks) == b"1 |f a\n2 |"  # would wait for ever if it wanted a full block
        os.write(stdin_pipe, b"f b\n")
        assert next(blocks) == b"f b\n"
        os.close(stdin_pipe)
        assert list(blocks) == []
        assert source.bytes_read == 14
    os.fstat(0)  # standard input is not ours to close


@pytest.mark.parametrize("packer", PACKERS)
def test_compressed_standard_input_that_arrives_byte_by_byte(stdin_pipe, packer):
    packed = PACKERS[packer](b"1 |f a\n")

    def write():
        for byte in packed:
            os.write(stdin_pipe, bytes([byte]))
        os.close(stdin_pipe)

    writer = threading.Thread(target=write)
    writer.start()
    assert read("-") == b"1 |f a\n"
    writer.join()


def test_a_non_blocking_standard_input_is_waited_for(stdin_pipe):
    os.set_blocking(0, False)
    timer = threading.Timer(0.2, lambda: (os.write(stdin_pipe, b"late\n"), os.close(stdin_pipe)))
    timer.start()
    assert read("-") == b"late\n"
    timer.join()


def test_a_named_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(TEXT))
    writer.start()
    assert read(tmp_path / "pipe") == TEXT
    writer.join()
