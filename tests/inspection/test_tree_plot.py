"""A picture of a tree has its counts, labels and folds, and stays legible however large it is."""

import os
import struct
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from lomtree.core.errors import LomtreeError, OptionError
from lomtree.inspection.drawing import cut, escaped, width_of
from lomtree.inspection.tree_layout import LEGIBLE_ENDS, LEGIBLE_LEVELS, MOST_ENDS
from lomtree.inspection.tree_plot import check_picture, draw_tree

SVG = "{http://www.w3.org/2000/svg}"


def split(node, depth, side, below, **rest):
    row = {"node": node, "depth": depth, "side": side, "examples": 12345.0, "beta": 0.4}
    row |= {"alpha": 0.1, "J": 0.456, "entropy": 1.0, "label": "cat", "label_share": 0.25}
    return row | {"labels": 345, "below": below, "folded": False} | rest


def leaf(node, depth, side, **rest):
    nothing = {"beta": None, "alpha": None, "J": None, "labels": 1}
    return split(node, depth, side, 0, **(nothing | rest))


def without_statistics(rows):
    nothing = dict.fromkeys(("beta", "alpha", "J", "entropy", "label_share"))
    return [row | nothing | {"examples": 0.0} for row in rows]


SMALL = [
    split(0, 0, "root", 1236, beta=0.3),
    leaf(1, 1, "left", examples=8642.0, label="dog", label_share=0.9),
    split(2, 1, "right", 1234, examples=3703.0, folded=True),
]


def full_tree(levels, depth=0, side="root"):
    """The top levels of a tree in which every end is folded."""
    below, folded = 2 ** (20 - depth) - 2, depth == levels - 1
    rows = [split(0, depth, side, below, folded=folded, examples=1e6 / 2**depth)]
    for child in () if folded else ("left", "right"):
        rows += full_tree(levels, depth + 1, child)
    for node, row in enumerate(rows):
        row["node"] = node
    return rows


def chain(levels, leaf_side):
    """A split on every level, with a leaf on one side."""
    other = {"left": "right", "right": "left"}[leaf_side]
    splits = [split(2 * d, d, other if d else "root", 2 * (levels - d)) for d in range(levels)]
    leaves = [leaf(2 * d + 1, d + 1, leaf_side) for d in range(levels)]
    last = leaf(2 * levels, levels, other)
    if leaf_side == "left":
        return [row for pair in zip(splits, leaves, strict=True) for row in pair] + [last]
    return [*splits, last, *reversed(leaves)]


class Drawn:
    """An SVG file that was drawn: its texts, and the names of its shapes."""

    def __init__(self, path):
        self.bytes = path.read_bytes()
        elements = list(ElementTree.fromstring(self.bytes).iter())
        self.texts = ["".join(one.itertext()) for one in elements if one.tag == f"{SVG}text"]
        self.names = [one.get("id", "") for one in elements]
        self.nodes = [name for name in self.names if name.startswith("node-")]
        self.folds = [name for name in self.names if name.startswith("fold-")]


@pytest.fixture
def draw(tmp_path):
    pytest.importorskip("matplotlib")

    def drawn(rows, title="a tree", **how) -> Drawn:
        draw_tree(rows, str(tmp_path / "tree.svg"), title, **how)
        assert os.listdir(tmp_path) == ["tree.svg"]
        return Drawn(tmp_path / "tree.svg")

    return drawn


def test_counts_labels_balance_and_folds_are_there(draw):
    drawn = draw(SMALL, "model: 1,237 nodes")
    expected = ["model: 1,237 nodes", "the root and 1 level below it: 3 of 1,237 nodes"]
    expected += ["#0", "#1", "#2", "12.3k examples", "J 0.46", "cat", "25%", "70%", "30%"]
    expected += ["8.64k examples", "1 label", "dog", "90%"]
    expected += ["+1,234 nodes, 345 labels", "share going left (up) and right (down)"]
    assert [text for text in expected if text not in drawn.texts] == []
    assert drawn.nodes == ["node-0", "node-1", "node-2"]
    assert drawn.folds == ["fold-2"]


def test_the_same_rows_give_the_same_bytes(draw):
    assert draw(SMALL).bytes == draw(SMALL).bytes
    assert b"<dc:date>" not in draw(SMALL).bytes


def test_settings_of_the_user_change_nothing(draw):
    import matplotlib

    before = draw(SMALL).bytes
    with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.facecolor": "red"}):
        assert draw(SMALL).bytes == before


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("$x_1$", "$x_1$"),
        (r"\$\frac{$", r"\$\frac{$"),
        ("$\\nothing{$", "$\\nothing{$"),
        ("<&>\"'", "<&>\"'"),
        ("W" * 200, "W" * 25 + "…"),
        ("a label of thirty-two characters", "a label of thirty-two characters"),
        ("naïve café", "naïve café"),
        ("日本語", "日本語"),
        ("日本語のラベル" * 9, "日本語のラベル" * 3 + "日本語の…"),
        ("a\nb\tc\0d", "a\ufffdb\ufffdc\ufffdd"),
        ("\udcff", "\ufffd"),  # a byte that is no UTF-8
    ],
)
def test_odd_labels_are_words_as_they_are(draw, label, shown):
    assert shown in draw([leaf(0, 0, "root", label=label)]).texts


def test_letters_that_the_font_of_a_png_lacks_are_escaped():
    pytest.importorskip("matplotlib")
    assert escaped("日本 naïve $") == r"\u65e5\u672c naïve $"


def test_a_box_is_as_wide_as_its_label_and_a_cut_leaves_no_room_for_another_letter():
    pytest.importorskip("matplotlib")
    text = "iW" * 30
    for room in (0.2, 0.8, 1.7):
        shown = cut(text, room)
        assert width_of(shown) <= room < width_of(text[: len(shown)] + "…")
    assert cut("iWi", 9.0) == "iWi"


def test_features_that_decide_stand_in_their_split(draw):
    features = {"left": ["a^x", "Constant"], "right": ["b"]}
    drawn = draw([SMALL[0] | {"features": features}, *SMALL[1:]])
    assert {"↑ a^x, Constant", "↓ b"} <= set(drawn.texts)
    one_side = draw([SMALL[0] | {"features": {"left": [], "right": ["b"]}}, *SMALL[1:]])
    assert "↓ b" in one_side.texts
    assert not [text for text in one_side.texts if text.startswith("↑ ") and text != "↑ ↓"]


def test_an_odd_title(draw):
    assert "$a_1$ & <b>\ufffd" in draw(SMALL, "$a_1$ & <b>\n").texts
    assert "t" * 200 not in draw(SMALL, "t" * 200).texts


@pytest.mark.parametrize("levels", [5, 7, 10])
def test_the_deep_levels_of_a_full_tree_are_folded(draw, levels):
    drawn = draw(full_tree(levels))
    assert len(drawn.nodes) == 31
    assert len(drawn.folds) == 16
    assert drawn.texts.count("+65,534 nodes, 345 labels") == 16
    assert len(drawn.bytes) < 300_000


@pytest.mark.parametrize("leaf_side", ["left", "right"])
def test_a_chain_is_folded(draw, leaf_side):
    drawn = draw(chain(500, leaf_side))
    assert len(drawn.nodes) == 2 * LEGIBLE_LEVELS + 1
    assert len(drawn.folds) == 1
    assert "+990 nodes, 345 labels" in drawn.texts


def test_as_much_as_is_legible_is_drawn_whole(draw):
    drawn = draw(chain(LEGIBLE_LEVELS, "left"))
    assert len(drawn.nodes) == 2 * LEGIBLE_LEVELS + 1 <= 2 * LEGIBLE_ENDS - 1
    assert not drawn.folds
    assert f"all of its {2 * LEGIBLE_LEVELS + 1} nodes" in drawn.texts


@pytest.mark.parametrize("levels", [1, 3, 7])
def test_all_levels_that_are_asked_for_are_drawn(draw, levels):
    drawn = draw(full_tree(levels), all_levels=True)
    assert (len(drawn.nodes), len(drawn.folds)) == (2**levels - 1, 2 ** (levels - 1))


def test_more_than_can_be_drawn_is_told(draw):
    with pytest.raises(OptionError, match=f"would have 512 lines, and at most {MOST_ENDS}"):
        draw(full_tree(10), all_levels=True)


def test_boxes_are_named_by_their_nodes_in_any_order(draw):
    rows = [SMALL[0] | {"node": 7}, SMALL[1] | {"node": 0}, SMALL[2] | {"node": 3}]
    assert draw(rows).nodes == ["node-7", "node-0", "node-3"]


def test_a_tree_that_is_one_leaf(draw):
    drawn = draw([leaf(0, 0, "root", examples=1.0)])
    assert drawn.nodes == ["node-0"]
    assert "1 example" in drawn.texts
    assert "all of its 1 node" in drawn.texts


def test_a_node_to_which_nothing_came(draw):
    nothing = dict.fromkeys(("beta", "alpha", "J", "label_share"))
    nothing |= {"examples": 0.0, "label": "", "labels": 0}
    drawn = draw([SMALL[0], SMALL[1], SMALL[2] | nothing])
    assert "0 examples" in drawn.texts
    assert "+1,234 nodes" in drawn.texts


def test_a_tree_without_statistics_is_its_structure(draw):
    drawn = draw(without_statistics([SMALL[0] | {"label": ""}, *SMALL[1:]]))
    assert {"1,236 nodes below", "345 labels", "leaf", "dog", "+1,234 nodes, 345 labels"} <= set(
        drawn.texts
    )
    assert not [text for text in drawn.texts if "example" in text or "J" in text or "%" in text]


@pytest.mark.parametrize(
    ("examples", "shown"),
    [
        (0.25, "0.25"), (999.0, "999"), (999.9, "1k"), (1000.0, "1k"), (12345.0, "12.3k"),
        (999_999.0, "1M"), (1_234_567.0, "1.23M"), (2e9, "2G"), (3e12, "3T"),
    ],
)  # fmt: skip
def test_counts_are_short(draw, examples, shown):
    assert f"{shown} examples" in draw([leaf(0, 0, "root", examples=examples)]).texts


@pytest.mark.parametrize(
    ("share", "shown"), [(0.0, "0%"), (0.001, "<1%"), (0.5, "50%"), (0.999, ">99%"), (1.0, "100%")]
)
def test_some_is_neither_none_nor_all(draw, share, shown):
    assert shown in draw([leaf(0, 0, "root", label_share=share)]).texts


@pytest.mark.parametrize("rows", [SMALL, full_tree(7), chain(100, "left"), SMALL[1:2]])
def test_a_png_of_a_sensible_size(tmp_path, rows):
    pytest.importorskip("matplotlib")
    draw_tree(rows, str(tmp_path / "tree.PNG"), "a tree")
    data = (tmp_path / "tree.PNG").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert 800 <= width <= 2500
    assert 200 <= height <= 2600


def test_a_failure_leaves_no_half_file(tmp_path, monkeypatch):
    figure = pytest.importorskip("matplotlib.figure")

    def fail(self, file, **settings):
        file.write(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(figure.Figure, "savefig", fail)
    with pytest.raises(KeyboardInterrupt):
        draw_tree(SMALL, str(tmp_path / "tree.svg"), "a tree")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["tree.pdf", "tree", ".svg", "png"])
def test_another_kind_of_file(name):
    with pytest.raises(OptionError) as error:
        draw_tree(SMALL, name, "a tree")
    assert str(error.value) == f"--plot must be a .svg or a .png file, not {name}"


@pytest.mark.parametrize("work", [check_picture, lambda path: draw_tree(SMALL, path, "a tree")])
def test_matplotlib_is_missing(tmp_path, monkeypatch, work):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(LomtreeError) as error:
        work(str(tmp_path / "tree.svg"))
    assert str(error.value) == "a picture needs matplotlib: pip install 'lomtree[plots]'"
    assert os.listdir(tmp_path) == []


def test_the_module_does_not_import_matplotlib():
    code = "import sys, lomtree.inspection.tree_plot; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
