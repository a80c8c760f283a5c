"""train -p and train --json: what was predicted before it was learned, and the summary."""

import json

import pytest


def test_predictions_are_those_that_the_progressive_error_counts(lomtree, lines, tmp_path):
    tagged = [line.replace(b" |", b" 'n%d |" % n) for n, line in enumerate(lines)]
    tagged.insert(7, b"bad |f x:y\n")
    told, model = tmp_path / "told", tmp_path / "m.lom"
    arguments = ("-b", 18, "--quiet", "--on-error", "skip", "-f", model, "-p", told, "--json")
    done = lomtree("train", *arguments, stdin=b"".join(tagged))
    summary = json.loads(done.out)
    found = [line.split(b" ") for line in told.read_bytes().splitlines()]
    assert [tag for _, tag in found] == [b"n%d" % n for n in range(len(lines))]
    wrong = sum(label != line.split()[0] for (label, _), line in zip(found, lines, strict=True))
    assert summary["progressive_error"] == pytest.approx(wrong / len(lines))
    assert (summary["examples"], summary["skipped"]) == (len(lines), 1)
    assert (summary["model"], summary["format"]) == (str(model), "vw")
    assert summary["labels"] == len({line.split()[0] for line in lines})


def test_only_the_first_pass_is_told(lomtree, data, lines, tmp_path):
    told = []
    for passes in (1, 3):
        path = tmp_path / f"told{passes}"
        done = lomtree(
            "train", data, "-b", 18, "--no-ranker", "--passes", passes, "-p", path,
            "--quiet", "-f", tmp_path / "m.lom",
        )  # fmt: skip
        assert (done.status, done.err) == (0, "")
        told.append(path.read_bytes())
    assert told[0] == told[1]
    assert told[0].count(b"\n") == len(lines)


def test_they_do_not_change_the_model(lomtree, data, tmp_path):
    plain, told = tmp_path / "plain.lom", tmp_path / "told.lom"
    lomtree("train", data, "-b", 18, "--quiet", "-f", plain)
    done = lomtree("train", data, "-b", 18, "--quiet", "-f", told, "-p", "-")
    assert done.out.count(b"\n") == 300
    assert plain.read_bytes() == told.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-f", "-", "--json"), "-f - and --json exclude each other: both are for stdout"),
        (("-f", "m", "-p", "-", "--json"),
         "-p - and --json exclude each other: both are for stdout"),
        (("-f", "m", "-p", "p", "--holdout", "0.1"), "-p and --holdout exclude each other: what is "
         "held out is not predicted before it is learned"),
        (("-f", "m", "-p", "p", "--cache", "c"),
         "-p and --cache exclude each other: a cache has no "
         "tags"),
    ],
)  # fmt: skip
def test_what_excludes_each_other(lomtree, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = lomtree("train", *arguments, stdin=b"a |f x\n")
    assert (done.status, done.err) == (2, f"lomtree: {message}\n")
