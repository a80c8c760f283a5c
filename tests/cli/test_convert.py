"""lomtree convert: the same features in another format, or a sentence about what it cannot say."""

import os

import pytest

from lomtree.core.reading import PLAIN, Reading
from lomtree.formats.reader import Reader

VW = (
    b"a 2 't1 |f x y:2.5 |g:2 z\n"
    b"b | x :3 :4\n"
    b"|f x\n"
)  # fmt: skip


def features(path, reading: Reading = PLAIN) -> list:
    """Label, importance, tag and features of every example of a file."""
    found = []
    for block in Reader([str(path)], reading=reading):
        for n in range(block.count):
            inside = slice(block.batch.starts[n], block.batch.starts[n + 1])
            pairs = zip(
                block.batch.features[inside].tolist(),
                block.batch.values[inside].tolist(),
                strict=True,
            )
            weight = float(block.batch.weights[n])
            found.append((block.labels.word(n), weight, block.tags.word(n), sorted(pairs)))
    return found


def convert(lomtree, tmp_path, text: bytes, target: str, *more):
    (tmp_path / "in").write_bytes(text)
    out = tmp_path / f"out.{target}"
    out.unlink(missing_ok=True)
    done = lomtree("convert", tmp_path / "in", out, "--to", target, "--quiet", *more)
    return done, out


def test_vw_text_stays_what_it_is(lomtree, tmp_path):
    done, out = convert(lomtree, tmp_path, VW, "vw")
    assert (done.status, done.err, done.out) == (0, "", b"")
    assert features(out) == features(tmp_path / "in")


def test_parquet_and_back(lomtree, tmp_path):
    pytest.importorskip("pyarrow")
    done, out = convert(lomtree, tmp_path, VW, "parquet")
    assert (done.status, done.err) == (0, "")
    how = Reading(label="label", tag="tag", importance="importance")
    assert features(out, how) == features(tmp_path / "in")


def test_libsvm_to_vw_and_back(lomtree, tmp_path):
    text = b"a 3:0.5 7:2 # comment\nb 1:1e-3\n5:1\n"
    done, out = convert(lomtree, tmp_path, text, "vw")
    assert (done.status, out.read_bytes()) == (0, b"a | 3:0.5 7:2\nb | 1:1e-3\n| 5:1\n")
    assert features(out) == features(tmp_path / "in")
    back, again = convert(lomtree, tmp_path, out.read_bytes(), "libsvm")
    assert (back.status, again.read_bytes()) == (0, b"a 3:0.5 7:2\nb 1:1e-3\n5:1\n")


def test_fasttext_to_vw_and_back(lomtree, tmp_path):
    text = b"__label__a some words some\n\n__label__b x\n"
    done, out = convert(lomtree, tmp_path, text, "vw")
    assert (done.status, out.read_bytes().split()[:2]) == (0, [b"__label__a", b"|"])
    assert features(out) == features(tmp_path / "in")
    back, again = convert(lomtree, tmp_path, out.read_bytes(), "fasttext")
    assert (back.status, again.read_bytes()) == (0, text.replace(b"\n\n", b"\n"))
    done, out = convert(lomtree, tmp_path, b"a |f x:2 y\n", "fasttext")
    assert (done.status, out.read_bytes()) == (0, b"__label__a x x y\n")


def test_tables_and_json_become_vw_text(lomtree, tmp_path):
    done, out = convert(
        lomtree, tmp_path, b'y,n,t\na,3,"x y"\n', "vw", "--label", "y", "--text", "t"
    )
    assert (done.status, out.read_bytes()) == (0, b"a | n:3 |t x y\n")
    done, out = convert(lomtree, tmp_path, b'{"_label": "a", "n": {"m": 3}, "_tag": "t"}\n', "vw")
    assert (done.status, out.read_bytes()) == (0, b"a 't |n m:3\n")


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        (b"x | a\na |f b\n", "libsvm", "1: the feature 'a' cannot be written as libsvm text"),
        (b"a |f 3\n", "libsvm", "1: the feature 'f^3' cannot be written as libsvm text"),
        (b"a 2 | 3\n", "libsvm", "1: an importance cannot be written as libsvm text"),
        (b"a |f x |g y\n", "fasttext",
         "1: more than one namespace cannot be written as fastText's text"),
        (b"a | x:0.5\n", "fasttext", "1: the feature 'x:0.5' cannot be written as fastText's text"),
        (b"a 't | x\n", "fasttext", "1: a tag cannot be written as fastText's text"),
        (b"\na 2 | x\n", "fasttext", "2: an importance cannot be written as fastText's text"),
        (b'{"_label": "a b"}\n', "vw", "1: the label 'a b' cannot be written as VW text"),
        (b'{"_label": "a b"}\n', "fasttext",
         "1: the label 'a b' cannot be written as fastText's text"),
        (b'{"_tag": "a b"}\n', "vw", "1: the tag 'a b' cannot be written as VW text"),
        (b"a | 4294967296\n", "libsvm",
         "1: the feature '4294967296' cannot be written as libsvm text"),
        (b"a | 1" + 4100 * b"0", "libsvm",
         f"1: the feature '1{36 * '0'}...' cannot be written as libsvm text"),
        (b"a | " + 2000 * b"x" + b":1000\n", "fasttext",
         f"1: the feature '{37 * 'x'}...:1000' cannot be written as fastText's text"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_told_and_nothing_is(lomtree, tmp_path, text, target, message):
    done, out = convert(lomtree, tmp_path, text, target)
    assert (done.status, out.exists()) == (1, False)
    assert done.err == f"lomtree: {tmp_path / 'in'}:{message}\n"


def test_pipes_bad_lines_and_files_that_must_not_be_lost(lomtree, tmp_path):
    done = lomtree("convert", "-", "-", "--to", "vw", "--quiet", stdin=VW)
    assert (done.status, done.out.count(b"\n")) == (0, 3)
    done = lomtree("convert", "-", "--to", "vw", "--on-error", "skip", stdin=b"a | x:y\nb | z\n")
    assert (done.status, done.out) == (0, b"b | z\n")
    assert "skipped 1 bad lines" in done.err
    path = tmp_path / "same.vw"
    path.write_bytes(VW)
    done = lomtree("convert", path, path, "--to", "vw")
    assert (done.status, path.read_bytes()) == (2, VW)


def test_of_many_files_the_last_one_is_not_lost(lomtree, tmp_path):
    """As in `lomtree convert *.csv --to vw`."""
    files = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path in files:
        path.write_bytes(b"y,x\n1,2\n")
    done = lomtree("convert", *files, "--to", "vw", "--label", "y")
    assert (done.status, files[1].read_bytes()) == (1, b"y,x\n1,2\n")
    assert (
        done.err == f"lomtree: {files[1]}: is there already, and would be lost; remove it first\n"
    )
    (tmp_path / "empty").touch()
    done = lomtree("convert", files[0], tmp_path / "empty", "--to", "vw", "--label", "y", "--quiet")
    assert (done.status, (tmp_path / "empty").read_bytes()) == (0, b"1 | x:2\n")


def test_numbers_with_zeros_before_them_are_indices(lomtree, tmp_path):
    done, out = convert(lomtree, tmp_path, b"a | " + 5000 * b"0" + b"7:2 0\n", "libsvm")
    assert (done.status, out.read_bytes()) == (0, b"a 0:1 7:2\n")


def test_whether_a_file_can_be_read_is_found_out_by_reading_it(
    lomtree, data, tmp_path, monkeypatch
):
    """click would ask first, and say it in words and with a status of its own."""
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.R_OK and access(path, mode))
    done = lomtree("convert", data, tmp_path / "out.vw", "--to", "vw", "--quiet")
    assert (done.status, done.err) == (0, "")
