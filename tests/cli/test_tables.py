"""Tables, JSON and fastText's text from the command line: one model, whatever the data came in."""

import gzip
import json
import random

import pytest

NAMES = ["kind", "size", "color", "title", "id"]


def rows(count: int) -> list[list[str]]:
    rng = random.Random(4)
    made = []
    for number in range(count):
        kind = rng.randrange(6)
        title = " ".join(rng.choice(["some", "words", f"w{kind}"]) for _ in range(4))
        color = rng.choice(["dark red", "blue"]) if kind % 2 else "green"
        made.append([f"kind {kind}", f"{kind + rng.random():.3f}", color, title, f"n{number}"])
    return made


def csv(names: list[str], table: list[list[str]], delimiter: str = ",") -> bytes:
    lines = [delimiter.join(names)] if names else []
    lines += [delimiter.join(f'"{cell}"' for cell in row) for row in table]
    return "".join(line + "\n" for line in lines).encode()


TABLE = rows(150)
COLUMNS = ("--label", "kind", "--text", "title", "--tag", "id")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    (folder / "train.csv").write_bytes(csv(NAMES, TABLE))
    return folder


@pytest.fixture
def trained(lomtree, folder):
    model = folder / "csv.lom"
    if not model.exists():
        done = lomtree("train", folder / "train.csv", *COLUMNS, "-b", 18, "--quiet", "-f", model)
        assert (done.status, done.err) == (0, "")
    return model


def test_predict_and_test_need_no_option(lomtree, folder, trained):
    done = lomtree("predict", "-i", trained, folder / "train.csv")
    lines = done.out.decode().splitlines()
    assert [line.rpartition(" ")[2] for line in lines] == [row[4] for row in TABLE]
    right = sum(line.startswith(row[0]) for line, row in zip(lines, TABLE, strict=True))
    assert right > 120
    report = json.loads(lomtree("test", "-i", trained, folder / "train.csv", "--json").out)
    assert report["errors"] == 150 - right


def test_other_columns_in_another_order_change_nothing(lomtree, folder, trained):
    other = csv(
        ["new", "title", "id", "color", "size"], [["x", r[3], r[4], r[2], r[1]] for r in TABLE]
    )
    wanted = lomtree("predict", "-i", trained, folder / "train.csv").out
    assert lomtree("predict", "-i", trained, stdin=other).out == wanted
    assert lomtree("predict", "-i", trained, stdin=gzip.compress(other)).out == wanted


def test_a_missing_column_is_told(lomtree, trained):
    done = lomtree("predict", "-i", trained, stdin=csv(["title", "id"], [r[3:] for r in TABLE]))
    assert (done.status, done.out) == (1, b"")
    assert done.err == (
        "lomtree: standard input: the column 'color' is missing; the columns are title, id\n"
    )


@pytest.mark.parametrize("form", ["tsv", "delimiter", "parquet", "vw"])
def test_the_same_table_gives_the_same_model(lomtree, folder, trained, form):
    path, more = folder / f"t.{form}", COLUMNS
    if form == "tsv":
        path.write_bytes(csv(NAMES, TABLE, "\t"))
    elif form == "delimiter":
        path.write_bytes(csv(NAMES, TABLE, ";"))
        more = (*COLUMNS, "--delimiter", ";")
    elif form == "parquet":
        arrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(
            arrow.table(
                {
                    name: [float(row[n]) if name == "size" else row[n] for row in TABLE]
                    for n, name in enumerate(NAMES)
                }
            ),
            path,
        )
    else:
        path.write_bytes(
            b"".join(
                f"{r[0].replace(' ', '_')} '{r[4]} | size:{r[1]} color={r[2].replace(' ', '_')} "
                f"|title {r[3]}\n".encode()
                for r in TABLE
            )
        )
        more = ()
    model = folder / f"{form}.lom"
    done = lomtree("train", path, *more, "-b", 18, "--quiet", "-f", model)
    assert (done.status, done.err) == (0, "")
    wanted = lomtree("predict", "-i", trained, "--probabilities", folder / "train.csv").out
    found = lomtree("predict", "-i", model, "--probabilities", path).out
    assert found == (wanted.replace(b"kind ", b"kind_") if form == "vw" else wanted)


def test_without_a_header(lomtree, tmp_path):
    text = csv([], [[r[0], r[3]] for r in TABLE], "\t")
    model = tmp_path / "m.lom"
    how = ("--format", "tsv", "--label-column", 1, "--text-column", 2)
    assert lomtree("train", *how, "-b", 18, "--quiet", "-f", model, stdin=text).status == 0
    done = lomtree("predict", "-i", model, stdin=text)
    assert (done.status, done.err, done.out.count(b"\n")) == (0, "", 150)
    done = lomtree("predict", "-i", model, stdin=b"kind 1\n")
    assert "standard input: the column '2' is missing; the columns are 1" in done.err


def test_the_cache_knows_how_a_table_was_read(lomtree, folder, trained, tmp_path):
    data, cache, model = folder / "train.csv", tmp_path / "c", tmp_path / "m.lom"
    for said in ("", "reading the cache"):
        done = lomtree("train", data, *COLUMNS, "-b", 18, "--cache", cache, "-f", model)
        assert (done.status, said in done.err) == (0, True)
        assert model.read_bytes() == trained.read_bytes()
    done = lomtree("train", data, *COLUMNS[:4], "-b", 18, "--cache", cache, "-f", model)
    assert "not used (it was made with other options)" in done.err


def test_training_goes_on_with_the_columns_of_the_model(lomtree, folder, trained, tmp_path):
    model = tmp_path / "m.lom"
    more = csv([*NAMES, "new"], [[*row, "x"] for row in TABLE])
    done = lomtree("train", "-i", trained, "--quiet", "-f", model, stdin=more)
    assert (done.status, done.err) == (0, "")
    again = lomtree(
        "train", "-i", trained, folder / "train.csv", "--quiet", "-f", tmp_path / "n.lom"
    )
    assert again.status == 0
    assert model.read_bytes() == (tmp_path / "n.lom").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ((), 1, "standard input: looks like CSV: --label COLUMN tells which column has the labels "
         "(by its number with --no-header)"),
        (("--label", "x", "--format", "vw"), 2, "columns have no meaning for --format vw"),
        (("--label", "x", "--label-column", "1"), 2,
         "--label-column and --text-column exclude --label and --text"),
        (("--label", "x", "--no-header"), 2,
         "columns without a header have numbers from 1, but 'x' is none"),
        (("--label", "kind", "--tag", "kind"), 2, "the column 'kind' is named for two purposes"),
        (("--label", "kind", "--tag", "nr"), 1,
         "standard input: the column 'nr' of the tags is missing; the columns are kind, size, "
         "color, title, id"),
    ],
)  # fmt: skip
def test_wrong_options_are_one_sentence(lomtree, tmp_path, arguments, status, message):
    target = tmp_path / "m.lom"
    done = lomtree("train", *arguments, "--quiet", "-f", target, stdin=csv(NAMES, TABLE))
    assert (done.status, target.exists()) == (status, False)
    assert done.err == f"lomtree: {message}\n"


def test_inspect_takes_vw_text(lomtree, trained):
    done = lomtree("inspect", trained, "--path", "| size:3.1 color=blue |title w3", "--top", 9)
    assert done.status == 0
    assert b"title^w3" in done.out
    done = lomtree("inspect", trained, "--path", "3.1,blue,w3")
    assert done.err.startswith("lomtree: an example of a table is given as VW text: ")


def test_fasttext_labels_come_out_as_they_went_in(lomtree, tmp_path):
    text = "".join(f"__label__{r[0][5:]} {r[3]}\n" for r in TABLE).encode()
    model = tmp_path / "m.lom"
    assert lomtree("train", "-b", 18, "--quiet", "-f", model, stdin=text).status == 0
    words = "".join(r[3] + "\n" for r in TABLE).encode()
    done = lomtree("predict", "-i", model, stdin=words)
    assert (done.status, done.err) == (0, "")
    assert set(done.out.split()) <= {b"__label__%d" % number for number in range(6)}
    assert lomtree("predict", "-i", model, stdin=text).out == done.out


def test_json_is_what_vw_text_is(lomtree, tmp_path):
    lines = [{"_label": r[0], "_tag": r[4], "title": {"_text": r[3]}} for r in TABLE]
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    vw = "".join(f"{r[0].replace(' ', '_')} '{r[4]} |title {r[3]}\n" for r in TABLE).encode()
    for name, data in (("json", text), ("vw", vw)):
        assert lomtree("train", "-b", 18, "--quiet", "-f", tmp_path / name, stdin=data).status == 0
    ours = lomtree("predict", "-i", tmp_path / "json", stdin=text).out
    assert (
        ours.replace(b"kind ", b"kind_") == lomtree("predict", "-i", tmp_path / "vw", stdin=vw).out
    )
