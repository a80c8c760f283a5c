"""One run of `lomtree train` does nothing twice."""

import pytest

from lomtree.core.options import Options
from lomtree.learners.lom import learner as lom
from lomtree.training.description import describe_trees


@pytest.fixture
def counted(monkeypatch):
    """How often a function is called."""

    def count(owner, name: str) -> list:
        calls, function = [], getattr(owner, name)

        def counting(*arguments):
            calls.append(name)
            return function(*arguments)

        monkeypatch.setattr(owner, name, counting)
        return calls

    return count


def test_options_are_checked_once_and_when_the_model_is_read_back(lomtree, data, tmp_path, counted):
    calls = counted(Options, "__post_init__")
    assert lomtree("train", data, "-b", 18, "--quiet", "-f", tmp_path / "m").status == 0
    assert len(calls) == 2


@pytest.mark.parametrize(("trees", "times"), [(1, 1), (2, 2)])
def test_what_leaves_offer_is_kept_for_calibration_and_listed_once_for_the_file(
    lomtree, data, tmp_path, counted, trees, times
):
    calls = counted(lom, "store_leaf_labels")
    train = ("train", data, "-b", 18, "--holdout", 0.2, "--trees", trees, "--quiet")
    assert lomtree(*train, "-f", tmp_path / "m").status == 0
    assert len(calls) == times


def test_what_shapes_the_trees_is_told():
    assert describe_trees(Options(algorithm="oaa")) == "oaa"
    assert describe_trees(Options(algorithm="rtree", trees=3)) == "3 trees, rtree"
    told = describe_trees(Options(max_nodes=7))
    assert told == "lomtree, 7 internal nodes at most, swap resistance 4, minimum impurity 0.1"
