"""predict --json and --tsv: a line an example, for programs."""

import json


def test_json_has_label_probability_tag_and_line(lomtree, model):
    text = b"class-0 'first |words w0\n\nclass-1 |words w1 v1\n"
    done = lomtree("predict", "-i", model, "--json", stdin=text)
    first, second = map(json.loads, done.out.splitlines())
    assert (first["line"], first["tag"], set(first)) == (
        1,
        "first",
        {"line", "label", "probability", "tag"},
    )
    assert (second["line"], set(second)) == (3, {"line", "label", "probability"})
    plain = lomtree("predict", "-i", model, stdin=text).out.split(b"\n")
    assert [first["label"], second["label"]] == [plain[0].split()[0].decode(), plain[2].decode()]
    assert 0 < first["probability"] <= 1


def test_top_gives_a_list(lomtree, model):
    done = lomtree("predict", "-i", model, "--json", "--top", 3, stdin=b"|words w0 v0\n")
    [row] = map(json.loads, done.out.splitlines())
    assert len(row["top"]) == 3
    assert row["top"][0] == [row["label"], row["probability"]]
    shares = [share for _, share in row["top"]]
    assert shares == sorted(shares, reverse=True)


def test_tsv_always_has_as_many_columns(lomtree, model):
    text = b"'t |words w0\n| nothing\n"
    for top, width in ((1, 3), (4, 9)):
        done = lomtree("predict", "-i", model, "--tsv", "--top", top, stdin=text)
        cells = [line.split(b"\t") for line in done.out.splitlines()]
        assert [len(row) for row in cells] == [width, width]
        assert [row[-1] for row in cells] == [b"t", b""]
        assert 0 < float(cells[0][1]) <= 1


def test_a_walk_has_no_probabilities(lomtree, model):
    text = b"'t |words w0\n"
    walked = lomtree("predict", "-i", model, "--walk", stdin=text).out
    done = lomtree("predict", "-i", model, "--walk", "--tsv", stdin=text)
    assert done.out == walked.replace(b" ", b"\t")
    done = lomtree("predict", "-i", model, "--walk", "--json", stdin=text)
    label = walked.split()[0].decode()
    assert json.loads(done.out) == {"line": 1, "label": label, "tag": "t"}


def test_bad_lines_have_no_line(lomtree, model):
    text = b"|words w0:x\n|words w1\n"
    done = lomtree("predict", "-i", model, "--json", "--on-error", "skip", stdin=text)
    assert [json.loads(line)["line"] for line in done.out.splitlines()] == [2]


def test_they_exclude_each_other(lomtree, model):
    done = lomtree("predict", "-i", model, "--json", "--tsv", stdin=b"|words w0\n")
    assert (done.status, done.err) == (2, "lomtree: --json and --tsv exclude each other\n")
