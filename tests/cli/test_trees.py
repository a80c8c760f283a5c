"""--trees on the command line, and what inspect shows of several trees."""

import pytest


@pytest.fixture
def train(lomtree, tmp_path):
    """Train with these arguments; returns the model's path."""

    def run(name, *arguments):
        path = tmp_path / name
        done = lomtree("train", *arguments, "--quiet", "-f", path)
        assert done == (0, b"", "")
        return path

    return run


@pytest.mark.parametrize("algorithm", ["lomtree", "filter"])
def test_threads_do_not_change_the_model(train, data, algorithm):
    options = (data, "-b", 18, "-M", 3, "--algorithm", algorithm, "--passes", 2)
    one, two = (train(f"m{n}", *options, "--threads", n) for n in (1, 2))
    assert one.read_bytes() == two.read_bytes()


def test_one_run_is_two_runs_one_after_the_other(train, lines, data, tmp_path):
    for number, part in enumerate((lines[:120], lines[120:])):
        (tmp_path / f"part{number}").write_bytes(b"".join(part))
    whole = train("whole", data, "-b", 18, "--trees", 3)
    first = train("first", tmp_path / "part0", "-b", 18, "--trees", 3)
    second = train("second", tmp_path / "part1", "-i", first)
    assert second.read_bytes() == whole.read_bytes()


def test_a_predict_only_model_predicts_nearly_the_same(lomtree, train, data):
    whole = train("whole", data, "-b", 18, "--trees", 3)
    small = train("small", data, "-b", 18, "--trees", 3, "--predict-only")
    assert small.stat().st_size < whole.stat().st_size
    for options in ((), ("--beam", 4)):
        both = [
            lomtree("predict", "-i", m, data, *options).out.splitlines() for m in (whole, small)
        ]
        pairs = list(zip(*both, strict=True))
        assert len(pairs) == 300
        assert sum(one != other for one, other in pairs) <= 3  # weights are rounded
    refused = lomtree("train", "-i", small, data, "-f", small)
    assert refused.status == 1
    assert "--predict-only" in refused.err


def test_inspect_shows_the_tree_that_is_asked_for(lomtree, train, data):
    path = train("m", data, "-b", 18, "--trees", 3)
    trees = [lomtree("inspect", path, "--nth", n, "--tree") for n in range(3)]
    assert [shown.status for shown in trees] == [0, 0, 0]
    assert len({shown.out for shown in trees}) == 3
    assert lomtree("inspect", path, "--tree").out == trees[0].out
    assert lomtree("inspect", path, "--nth", 1).status == 0


def test_inspect_says_that_there_is_no_such_tree(lomtree, train, data):
    path = train("m", data, "-b", 18, "--trees", 3)
    status, out, err = lomtree("inspect", path, "--nth", 9)
    assert (status, out) == (1, b"")
    assert err.count("\n") == 1
    assert "there is no tree 9" in err


@pytest.mark.parametrize("arguments", [("--algorithm", "oaa"), ("--trees", 65), ("--trees", 0)])
def test_how_many_trees_there_can_be(lomtree, data, tmp_path, arguments):
    status, out, err = lomtree("train", data, "--trees", 2, *arguments, "-f", tmp_path / "m")
    assert (status, out) == (2, b"")
    assert "--trees" in err
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(("before", "after"), [(2, 3), (1, 2), (2, 1)])
def test_a_model_keeps_its_number_of_trees(lomtree, train, data, tmp_path, before, after):
    path = train("m", data, "-b", 18, "--trees", before)
    kept = path.read_bytes()
    refused = lomtree("train", data, "-i", path, "--trees", after, "-f", path)
    assert refused.status == 2
    assert "--trees" in refused.err
    assert path.read_bytes() == kept
