"""Data in chunks: every line is in one of them, wherever it is cut."""

import gzip

import pytest

from lomtree.cluster.chunks import (
    CHUNK_BYTES,
    LARGEST_CHUNK,
    MOST_CHUNKS,
    Chunk,
    Manner,
    chunk_bytes_for,
    chunks_of,
    expand,
    find_manner,
    local_copy,
)
from lomtree.cluster.parsing import parse
from lomtree.core.derivations import NOTHING
from lomtree.core.errors import DataError, OptionError
from lomtree.core.reading import PLAIN

MANNER = Manner("vw", "stop", PLAIN, NOTHING)


def text_of(chunk: Chunk) -> bytes:
    with local_copy(chunk) as path, open(path, "rb") as file:
        return file.read()


@pytest.mark.parametrize("text", [b"a\nbb\n\nccc\n", b"a\nbb\n\nccc", b"one long line", b"\n\n\n"])
def test_chunks_are_the_whole_text_cut_behind_newlines(tmp_path, text):
    (tmp_path / "data.vw").write_bytes(text)
    path = str(tmp_path / "data.vw")
    for size in range(1, len(text) + 1):
        texts = [text_of(chunk) for chunk in chunks_of(path, "vw", size)]
        assert b"".join(texts) == text
        assert all(one.endswith(b"\n") for one in texts[:-1] if one and text.endswith(b"\n"))


def test_what_cannot_be_cut_stays_whole(tmp_path):
    (tmp_path / "data.vw.gz").write_bytes(gzip.compress(b"a |w x\n" * 100))
    (tmp_path / "data.csv").write_bytes(b"label,x\na,1\n")
    for name, format in (("data.vw.gz", "vw"), ("data.csv", "csv")):
        assert chunks_of(str(tmp_path / name), format, 2) == [Chunk(str(tmp_path / name))]


def test_patterns_mean_files_in_order(parts, tmp_path):
    folder = parts[0].rpartition("/")[0]
    assert expand([f"{folder}/part-*.vw", parts[0]]) == [*parts, parts[0]]
    odd = tmp_path / "a[1].vw"
    odd.touch()
    assert expand([str(odd)]) == [str(odd)]
    with pytest.raises(DataError, match="there are no such files"):
        expand([f"{folder}/nothing-*"])
    with pytest.raises(OptionError, match="standard input"):
        expand(["-"])


def test_other_file_systems_are_read_through_fsspec():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe_file("/cluster/b.vw", b"x |w one\ny |w two\n")
    system.pipe_file("/cluster/a.vw.gz", gzip.compress(b"z |w three\n"))
    paths = expand(["memory://cluster/*"])
    assert [path.rpartition("/")[2] for path in paths] == ["a.vw.gz", "b.vw"]
    assert find_manner(paths, MANNER._replace(format="auto")).format == "vw"
    chunks = [chunk for path in paths for chunk in chunks_of(path, "vw", 10)]
    pieces = [parse(chunk, MANNER).piece for chunk in chunks]
    assert b"".join(piece.text.tobytes() for piece in pieces) == b"zxy"
    with pytest.raises(DataError, match="memory://nothing: no such file"):
        chunks_of("memory://nothing", "vw", 10)


def test_a_problem_is_that_of_the_file_and_its_line(tmp_path):
    path = str(tmp_path / "data.vw")
    (tmp_path / "data.vw").write_bytes(b"a |w x\nb |w x:y\n")
    problem = parse(Chunk(path, 7, 16), MANNER, first_line=2).facts.problem
    assert problem.startswith(f"{path}:2:")


def test_large_data_has_larger_chunks():
    assert chunk_bytes_for(0) == chunk_bytes_for(MOST_CHUNKS * CHUNK_BYTES) == CHUNK_BYTES
    assert chunk_bytes_for(MOST_CHUNKS * CHUNK_BYTES + 1) == 2 * CHUNK_BYTES
    assert chunk_bytes_for(1 << 60) == LARGEST_CHUNK
