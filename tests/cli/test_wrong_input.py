"""Input that is not what it should be is noticed, with a sentence that names what is expected."""

import pytest

CSV = b"label,size,weight\na,1,2\nb,3,4\n"


def train(lomtree, tmp_path, text, *more):
    target = tmp_path / "new.lom"
    done = lomtree("train", "-b", 18, "--quiet", "-f", target, *more, stdin=text)
    return done, target


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (CSV, "looks like CSV: --label COLUMN tells which column has the labels (by its number "
         "with --no-header)"),
        (b"[1, 2]\n", "looks like a JSON array: one object a line is expected"),
        (b"__label__a x __label__b\n", "1:14: expected one label, because this learner takes one "
         "(--first-label takes the first), found '__label__b'"),
        (b"__label__a x\nno label\n", "2:1: expected a label, found 'no'"),
        (b'{"label": 1}\n', "1:1: expected a label, found '{\"label\":'"),
        (b'{"_label": 1, }\n', "1:15: expected JSON, one object a line, found '}'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_other_formats(lomtree, tmp_path, text, sentence):
    done, target = train(lomtree, tmp_path, text)
    assert (done.status, target.exists()) == (1, False)
    gap = ":" if sentence[0].isdigit() else ": "
    assert done.err == f"lomtree: standard input{gap}{sentence}\n"


def test_no_example_has_a_feature(lomtree, tmp_path, model):
    done, target = train(lomtree, tmp_path, CSV, "--format", "libsvm")
    assert (done.status, target.exists()) == (1, False)
    assert "standard input: none of the 3 examples has a feature" in done.err
    done = lomtree("predict", "-i", model, "--format", "libsvm", stdin=CSV)
    assert (done.status, len(done.out.splitlines())) == (0, 3)
    assert "warning: none of the 3 examples has a feature: is this libsvm text?" in done.err


def test_a_binary_file(lomtree, tmp_path, model):
    done, target = train(lomtree, tmp_path, b"a |f x\n\0\0\1")
    assert (done.status, target.exists()) == (1, False)
    assert done.err == "lomtree: standard input: is a binary file (byte 8 is 0), not text\n"
    done = lomtree("train", model, "-f", target)
    assert (done.status, target.exists()) == (1, False)
    assert f"{model}: is a binary file" in done.err


@pytest.mark.parametrize(
    ("magic", "title", "command"),
    [(b"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"), (b"PK\x03\x04", "zip", "unzip -p")],
)
def test_compression_that_is_not_read(lomtree, tmp_path, magic, title, command):
    path = tmp_path / "data.packed"
    path.write_bytes(magic + b"\0" * 50)
    done = lomtree("train", path, "--quiet", "-f", tmp_path / "new.lom")
    assert done.status == 1
    assert f"{path}: is compressed with {title}; gzip, bzip2, xz or plain text" in done.err
    assert f"{command} {path} | lomtree ..." in done.err
    assert done.err.count("\n") == 1


def test_a_model_asked_with_the_other_format(lomtree, tmp_path, model):
    done = lomtree("predict", "-i", model, stdin=b"class-1 3:1 5:1\n")
    assert done.status == 0
    warning = "warning: the model was trained with VW text, but this is libsvm text: their features"
    assert warning in done.err
    assert warning in lomtree("test", "-i", model, stdin=b"class-1 3:1 5:1\n").err
    done = lomtree("predict", "-i", model, "--quiet", stdin=b"class-1 3:1 5:1\n")
    assert done.err == ""
    target = tmp_path / "new.lom"
    done = lomtree("train", "-i", model, "-f", target, stdin=b"class-1 3:1 5:1\n")
    assert (done.status, warning in done.err) == (0, True)


def test_labels_that_the_model_never_saw(lomtree, model):
    text = b"class-0 |words w0\nclass-0.0 |words w0\n1.0 |words w1\n"
    done = lomtree("test", "-i", model, stdin=text)
    assert done.status == 0
    assert (
        "warning: 2 of 3 examples have labels that the model never saw, such as 'class-0.0'\n"
        in done.err
    )
    assert b'"unknown_labels": 2' in lomtree("test", "-i", model, "--json", stdin=text).out


def test_a_libsvm_line_in_vw_text_is_no_tag(lomtree, tmp_path):
    done, target = train(lomtree, tmp_path, b"a |f x\n3 5:1\n")
    assert (done.status, target.exists()) == (1, False)
    expected = "expected '|' before the features (this is VW text, not libsvm), found '5:1'"
    assert done.err == f"lomtree: standard input:2:3: {expected}\n"
