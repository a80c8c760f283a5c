"""VW's JSON: the features of a running VW, labels, tags, and what is wrong with a line."""

import json
import random
import re
import subprocess
import sys

import pytest

from lomtree.core.errors import DataError
from lomtree.examples.examples import Examples
from lomtree.formats import json_lines
from lomtree.formats.one_line import read_line
from lomtree.formats.reader import Reader


def features(line: str | bytes) -> dict[int, float]:
    examples = read_line(line.encode() if isinstance(line, str) else line, "json")
    count = int(examples.batch.starts[1]) - 1
    values = examples.batch.values[:count].tolist()
    return dict(zip(examples.batch.features[:count].tolist(), values, strict=True))


def vw(line: str) -> dict[int, float]:
    examples = read_line(line.encode(), "vw")
    count = int(examples.batch.starts[1]) - 1
    values = examples.batch.values[:count].tolist()
    return dict(zip(examples.batch.features[:count].tolist(), values, strict=True))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"a": 1, "b": 2.5, "zero": 0, "no": null}', "| a b:2.5"),
        ('{"s": "red", "e": "", "t": true, "f": false}', "| sred e t"),
        ('{"s": "New York: a|b"}', "| sNew_York__a_b"),
        ('{"ns": {"a": 1, "deep": {"b": 2}}, "c": 3}', "|ns a |deep b:2 | c:3"),
        ('{"v": [1, 0, 3.5]}', "|v 0:1 2:3.5"),
        ('{"v": [{"a": 1}, {"b": 2}, 7]}', "|v a b:2 0:7"),
        ('{"n": {"_text": "some words: 12"}, "_text": "x"}', "|n some words_ 12 | x"),
        ('{"a": 1, "a": 2}', "| a:3"),
        ('{"_skipped": {"a": 1}, "_x": 3, "b": 1}', "| b"),
        ('{"12": 5, "": 7}', "| 12:5 0:7"),
        ("{}", "|"),
    ],
)
def test_features_are_those_of_vw_text(line, text):
    assert features(line) == vw(text)


def only(line: str) -> tuple[bytes, float, bytes]:
    examples: Examples = read_line(line.encode(), "json")
    return examples.labels.word(0), float(examples.batch.weights[0]), examples.tags.word(0)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"_label": "x", "_tag": "t 1"}', (b"x", 1, b"t 1")),
        ('{"_label": 3}', (b"3", 1, b"")),
        ('{"_label": 2.0}', (b"2.0", 1, b"")),
        ('{"_label": "3 2.5"}', (b"3", 2.5, b"")),
        ('{"_label": "Boeing 747"}', (b"Boeing 747", 1, b"")),
        ('{"_label": {"Label": 2, "Weight": 3}}', (b"2", 3, b"")),
        ('{"_label_Label": 2, "_label_Weight": 0.5}', (b"2", 0.5, b"")),
        ('{"n": {"_label": "y", "_tag": "u"}}', (b"y", 1, b"u")),
        ('{"_label": null}', (b"", 1, b"")),
    ],
)
def test_label_importance_and_tag(line, found):
    assert only(line) == found


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"[1]", "1: expected a JSON object, found '[1]'"),
        (b'{"a": }', "7: expected JSON, one object a line, found '}'"),
        (b'{"a": 1', "8: expected JSON, one object a line, found the end of the line"),
        (b'{"a": "\xff"}', "8: expected JSON, one object a line, found '\\xff\"}'"),
        (b'{"z": 1, "a": ["x"]}', "10: expected an array of numbers or of objects, found '\"a\":'"),
        (b'{"a": 1e39}', "2: expected a number between -3.4e38 and 3.4e38, found '\"a\":'"),
        (b'{"a": NaN}', "2: expected a number between -3.4e38 and 3.4e38, found '\"a\":'"),
        (b'{"_label": true}', '2: expected a string or a number as "_label", or an object with '
         '"Label" and "Weight", found \'"_label":\''),
        (b'{"_label": {"Weight": -1}}', "1: expected an importance (a number, 0 or more), found "
         "'{\"_label\":'"),
        (b'{"_tag": 1}', "2: expected a string as \"_tag\", found '\"_tag\":'"),
        (b'{"_text": 1}', "2: expected a string as \"_text\", found '\"_text\":'"),
        (b'{"_label": "a\\tb"}',
         "2: expected a label without tabs and newlines, found '\"_label\":'"),
        (b"[" * 100_000, "1: expected JSON, one object a line, found '[[[[[[[[[[[[[[[[[[[[...'"),
        (b'{"a": ' + b"1" * 10_000 + b"}", "2: expected a number between -3.4e38 and 3.4e38, found "
         "'\"a\":'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(tmp_path, line, message):
    path = tmp_path / "a.json"
    path.write_bytes(b'{"_label": 1}\n' + line + b"\n")
    with pytest.raises(DataError) as caught:
        list(Reader([str(path)], "json"))
    assert str(caught.value) == f"{path}:2:{message}"


def test_it_is_found_by_itself(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b'\n{"_label": "x", "s": "a|b"}\n\n{"_label": "y"}\n')
    reader = Reader([str(path)], labels_required=True)
    [block] = reader
    assert (reader.format, block.count, block.origin.lines.tolist()) == ("json", 2, [1, 3])
    path.write_bytes(b"[1, 2]\n")
    with pytest.raises(
        DataError, match=r": looks like a JSON array: one object a line is expected$"
    ):
        list(Reader([str(path)]))


def drawn(rng: random.Random, depth: int = 0) -> dict:
    """An object as VW takes it, with strange keys and values."""
    keys = [
        "a",
        "b c",
        "d:e",
        "12",
        "007",
        "ü",
        "x|y",
        " lead",
        "trail ",
        "long_name_of_a_thing",
        "q",
    ]
    made: dict = {}
    for key in rng.sample(keys, rng.randrange(1, 6)):
        # (VW itself crashes at namespaces that do not begin with ASCII.)
        kind = rng.randrange(7 if depth < 2 and key.isascii() else 5)
        made[key] = [
            rng.randrange(-5, 100), rng.randrange(1, 9) / 4,
            rng.choice(["red", "New York", "a:b|c", "", "12"]),
            True, rng.choice([None, False]), None, None,
        ][kind]  # fmt: skip
        if kind == 5:
            made[key] = drawn(rng, depth + 1)
        elif kind == 6:
            made[key] = [rng.randrange(5) for _ in range(rng.randrange(4))]
    if rng.random() < 0.3:
        made["_text"] = "some words and a:b"
    return made


def test_features_are_those_of_a_running_vw(tmp_path):
    pytest.importorskip("vowpalwabbit")
    rng = random.Random(5)
    lines = [json.dumps({"_label": 1, **drawn(rng)}, ensure_ascii=False) for _ in range(300)]
    path = tmp_path / "some.json"
    path.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "vowpalwabbit", "--json", "-d", str(path), "--audit", "-t"]
    audit = subprocess.run(
        [*command, "--quiet", "-b", "24", "--noconstant"], capture_output=True, check=True
    ).stdout
    printed = [line for line in audit.split(b"\n") if line.startswith(b"\t")]
    compared = 0
    for line in lines:
        ours: dict[int, float] = {}
        for index, value in features(line).items():
            ours[index % 2**24] = ours.get(index % 2**24, 0) + value
        if not ours:
            continue
        theirs: dict[int, float] = {}
        for index, value in re.findall(rb":(\d+):([^:]+):[^:\t]+(?:\t|$)", printed[compared]):
            theirs[int(index)] = theirs.get(int(index), 0) + float(value)
        assert ours == {index: value for index, value in theirs.items() if value}, line
        compared += 1
    assert compared == len(printed) > 250


def test_long_strings_are_not_remembered():
    """There may be a million of them."""
    before = json_lines._known_name.cache_info().currsize
    for number in range(50):
        text = f"{number} " + 200 * "long "
        name = "k" + text.replace(" ", "_")
        assert features(json.dumps({"k": text})) == vw(f"| {name}")
    assert json_lines._known_name.cache_info().currsize == before
    before = json_lines._known_namespace.cache_info().currsize
    assert features(json.dumps({name: {"x": 1}})) == vw(f"|{name} x")
    assert json_lines._known_namespace.cache_info().currsize == before
