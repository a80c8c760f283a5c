"""What a label or a word of a file shows on a terminal is only ever text."""

import pytest

from lomtree.core.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\rb\0\u202e", "a\\rb\\x00\\u202e"),
        ("0123456789", "0123456789"),
        ("0123456789a", "0123456..."),
    ],
)
def test_what_cannot_be_printed_is_escaped(text, shown):
    assert printable(text, 10 if text[0] == "0" else 20) == shown


def test_no_command_lets_a_label_act_on_the_terminal(lomtree, tmp_path):
    lines = b"\x1b[31mred\x1b[0m |f \x1bx:1\n1 |f y\n" * 9
    path = tmp_path / "m"
    train = lomtree("train", "-b", 18, "-f", path, stdin=lines)
    shown = [train.err.encode()]
    for arguments in (
        ("inspect",),
        ("inspect", "--tree"),
        ("inspect", "--label", "\x1b[31mred\x1b[0m"),
    ):
        shown.append(lomtree(arguments[0], path, *arguments[1:]).out)
    shown.append(lomtree("inspect", path, "--path", "|f \x1bx").out)
    shown.append(lomtree("inspect", path, "--label", "\x1bno").err.encode())
    shown.append(lomtree("test", "-i", path, "--by-label", "--confusion", stdin=lines).out)
    assert not any(b"\x1b" in text for text in shown)
    assert b"\\x1b[31mred" in shown[1]
    assert b"\\x1bx" in shown[4]
