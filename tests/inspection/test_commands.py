"""What `inspect` prints for people, draws, and says where there is nothing to show."""

import re
import shutil

import pytest

from lomtree.model.model_file import read_model


def test_no_tree_no_picture(lomtree, trained, tmp_path):
    pytest.importorskip("matplotlib")
    path, picture = trained("--algorithm", "oaa"), tmp_path / "tree.svg"
    result = lomtree("inspect", path, "--plot", picture)
    assert result == (1, b"", f"lomtree: {path}: a model of oaa has no tree\n")
    assert not picture.exists()


def test_the_picture_of_a_model(lomtree, trained, tmp_path):
    pytest.importorskip("matplotlib")
    path, picture = trained(), tmp_path / "tree.svg"
    assert lomtree("inspect", path, "--plot", picture, "--levels", 2) == (0, b"", "")
    text = picture.read_text()
    assert "model.lom: 20 labels, by the model's statistics" in text.replace("&#39;", "'")
    root = read_model(path).learner.state.tree.counts["root"][0]
    assert f'id="node-{root}"' in text


def test_text_for_people_has_the_numbers_of_the_json(lomtree, trained, inspect):
    path = trained("-T", 5)
    found = inspect(path)["summary"]
    text = lomtree("inspect", path).out.decode()
    assert f"G = {found['quality']['G']:.4f} in the leaves\n" in text
    assert f"mean {found['tree']['mean_depth']:.2f} over the examples, " in text
    assert f"alpha {found['quality']['mean_alpha']:.4f}" in text
    tree = lomtree("inspect", path, "--tree", "--levels", 1).out.decode().splitlines()
    rows = inspect(path, "--tree", "--levels", 1)["tree"]
    for line, row in zip(tree, rows, strict=True):
        assert line.startswith("  " * row["depth"])
        assert f"{row['examples']:,.0f} examples" in line
    depths = lomtree("inspect", path, "--depths").out.decode()
    assert re.search(r"^ +\d+ +\d+ +[\d,]+ +#{40}$", depths, re.MULTILINE)
    label = lomtree("inspect", path, "--label", "class-1").out.decode()
    assert re.match(r"class-1: [\d,]+ examples in (one|\d+) lea", label)
    way = lomtree("inspect", path, "--path", "|words w1 v1").out.decode()
    assert re.search(r"^  0 node \d+: score [+-]\d", way)
    assert "words^w1" in way


def test_colours_only_where_someone_sees_them(lomtree, trained):
    assert b"\x1b[" not in lomtree("inspect", trained(), "--tree").out


def test_labels_that_are_no_text(lomtree, inspect, tmp_path):
    lines = b"\xff\xfe |f x\n<b>&\xc3\xa9 |f y\n" * 9
    lomtree("train", "-b", 18, "--quiet", "-f", tmp_path / "m", stdin=lines)
    rows = inspect(tmp_path / "m", "--tree")["tree"]
    assert {row["label"] for row in rows} == {"\\xff\\xfe", "<b>&é"}
    found = lomtree(
        "inspect", tmp_path / "m", "--label", b"\xff\xfe".decode(errors="surrogateescape")
    )
    assert found.status == 0


WRONG = [
    (("--label", "nobody"), "the model knows no label 'nobody'"),
    (("--path", ""), "the line is empty"),
    (("--path", "word"), "the line has no features: is it libsvm text?"),
    (("--path", "|f a:x"), "line:1:6: expected a number after ':', found 'x'"),
    (("--path", "|f a\n|f b"), "one line with one example is needed"),
    (("--data", "no-such-file"), "no-such-file: no such file"),
    (("--data", "/dev/null"), "there were no labelled examples to count in the tree"),
]


@pytest.mark.parametrize(("arguments", "sentence"), WRONG, ids=str)
def test_what_cannot_be_shown_is_one_sentence(lomtree, trained, arguments, sentence):
    result = lomtree("inspect", trained(), *arguments)
    assert (result.status, result.out) == (1, b"")
    assert result.err == f"lomtree: {sentence}\n"


def test_what_is_no_model_is_one_sentence(lomtree, trained, tmp_path, data):
    cut = tmp_path / "cut.lom"
    shutil.copy(trained(), cut)
    cut.write_bytes(cut.read_bytes()[:-9])
    (tmp_path / "empty.lom").write_bytes(b"")
    for path in (cut, tmp_path / "empty.lom", data, tmp_path / "none.lom", tmp_path):
        result = lomtree("inspect", path)
        assert (result.status, result.out, result.err.count("\n")) == (1, b"", 1)
        assert result.err.startswith(f"lomtree: {path}: ")


@pytest.mark.parametrize(
    "arguments", [("--levels", -1), ("--top", 0), ("--plot", "tree.gif"), ("--nonsense",)]
)
def test_usage_errors(lomtree, trained, arguments):
    result = lomtree("inspect", trained(), *arguments)
    assert (result.status, result.out) == (2, b"")
