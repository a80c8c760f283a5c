"""A file in, a file out: whole or not there, and made once."""

import os
from pathlib import Path

import pytest


@pytest.fixture
def single(lomtree, model):
    """What is predicted of one file without workers."""

    def run(path, *arguments):
        done = lomtree("predict", "-i", model, path, "--quiet", *arguments)
        assert done.status == 0
        return done.out

    return run


@pytest.mark.parametrize("place", ["alone", "workers"])
def test_every_file_has_its_predictions(lomtree, model, parts, single, tmp_path, request, place):
    where = ()
    if place == "workers":
        where = ("--scheduler", request.getfixturevalue("address"))
    folder = tmp_path / "predictions"
    run = ("predict", "-i", model, *parts, "--into", folder, *where)
    done = lomtree(*run)
    assert done.status == 0
    assert "3 files with 300 examples predicted, 0 were there" in done.err
    assert sorted(os.listdir(folder)) == [f"part-{n}.vw.txt" for n in range(3)]
    for number, path in enumerate(parts):
        assert (folder / f"part-{number}.vw.txt").read_bytes() == single(path)
    assert "0 files with 0 examples predicted, 3 were there" in lomtree(*run).err
    (folder / "part-1.vw.txt").unlink()
    assert "1 files with 100 examples predicted, 2 were there" in lomtree(*run).err


def test_a_bad_file_is_not_written_and_the_others_are(lomtree, model, parts, tmp_path):
    bad = tmp_path / "bad.vw"
    bad.write_bytes(b"a |w x\na |w x:y\n")
    done = lomtree("predict", "-i", model, parts[0], bad, "--into", tmp_path / "out", "--json")
    assert done.status == 1
    assert f"{bad}:2:" in done.err
    assert os.listdir(tmp_path / "out") == ["part-0.vw.jsonl"]


def test_mistakes_are_one_sentence(lomtree, model, parts, tmp_path):
    for arguments, sentence in (
        (("--workers", 1), "workers write files: --into DIR"),
        (("--into", tmp_path, "-p", "x"), "and no -p"),
        (("--into", tmp_path / "out", parts[0]), "two files would be written to part-0.vw.txt"),
    ):
        done = lomtree("predict", "-i", model, *parts, *arguments)
        assert done.status == 2
        assert sentence in done.err


@pytest.mark.parametrize("read", ["data", "link", "model"])
def test_predictions_take_the_place_of_nothing_that_is_read(
    lomtree, model, parts, tmp_path, monkeypatch, read
):
    """x has its predictions in x.txt, which may be something else already."""
    monkeypatch.chdir(tmp_path)
    content = Path(model if read == "model" else parts[0]).read_bytes()
    Path("x").write_bytes(Path(parts[0]).read_bytes())
    Path("kept").write_bytes(content)
    os.utime("kept", (0, 0))  # older than x: predictions would be made anew
    os.symlink("kept", "x.txt") if read == "link" else os.rename("kept", "x.txt")
    kept = "kept" if read == "link" else "x.txt"
    given = ("-i", "x.txt", "x") if read == "model" else ("-i", model, "x", kept)
    done = lomtree("predict", *given, "--into", ".")
    what = "the model" if read == "model" else "the data"
    assert (done.status, done.err) == (
        2, f"lomtree: --into ./x.txt would overwrite {what} {kept}\n",
    )  # fmt: skip
    assert Path(kept).read_bytes() == content
