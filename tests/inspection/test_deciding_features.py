"""The features that decide at a split are those whose weight times value, summed, is largest."""

import pytest

from lomtree.inspection.deciding_features import deciding_features
from lomtree.inspection.text_lines import text_lines
from lomtree.model.model_file import read_model

LINES = "".join(
    f"{label} |w {word}{rest}\n"
    for label, word in (("a", "apple"), ("b", "berry"))
    for rest in ("", " the", " of the")
)


@pytest.fixture
def model(lomtree, tmp_path):
    (tmp_path / "text").write_text(LINES * 9)
    path = tmp_path / "m"
    assert lomtree("train", tmp_path / "text", "-b", 18, "--quiet", "-f", path).status == 0
    return path


def test_the_words_of_two_labels_decide_and_others_do_not(model, tmp_path):
    tree = read_model(str(model))
    root = int(tree.learner.root)
    found = deciding_features(tree, text_lines([str(tmp_path / "text")]), [root], 1)
    assert sorted(found[root]["left"] + found[root]["right"]) == ["w^apple", "w^berry"]
    more = deciding_features(tree, text_lines([str(tmp_path / "text")]), [root], 9)
    assert more[root]["left"][:1] == found[root]["left"]
    assert not set(more[root]["left"]) & set(more[root]["right"])


def test_a_node_to_which_nothing_came_has_none(model, tmp_path):
    (tmp_path / "nothing").write_text("")
    tree = read_model(str(model))
    lines = text_lines([str(tmp_path / "nothing")])
    assert deciding_features(tree, lines, [int(tree.learner.root)], 2) == {}


def test_the_picture_names_them_where_there_is_text(lomtree, model, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "tree.svg"
    given = ("inspect", model, "--data", tmp_path / "text", "--plot", picture)
    assert lomtree(*given) == (0, b"", "")
    assert "w^berry" in picture.read_text()
    assert lomtree("inspect", model, "--plot", picture) == (0, b"", "")
    assert "w^berry" not in picture.read_text()
