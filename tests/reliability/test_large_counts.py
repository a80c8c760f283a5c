"""Counts as large as a file may have: what is trained further is still let in."""

import pytest

from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.errors import OptionError
from lomtree.core.options import Options, choose_options
from lomtree.model.model_file import write_model
from lomtree.storage.state_dict import MOST_COUNTED
from tests.generators.models import STREAM, file_bytes, read, trained
from tests.generators.strange_files import put_together, take_apart
from tests.generators.streams import teach


def raise_counts(header: dict, arrays: dict) -> None:
    """As if as many examples had been read and learned as may be."""
    header["position"] = header["ranked"] = MOST_COUNTED
    header["unfinished"] = [MOST_COUNTED - 5, MOST_COUNTED, MOST_COUNTED, "data", "origin"]
    for name in ("examples", "swaps"):
        if "counts" in header:
            header["counts"][name] = MOST_COUNTED
    if "ranker.examples" in arrays:
        for name in ("examples", "first", "last"):
            arrays[f"ranker.{name}"][:] = MOST_COUNTED
    if "scales.count" in arrays:
        arrays["scales.count"][:] = MOST_COUNTED


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_counts_do_not_grow_beyond_what_is_let_in(tmp_path, algorithm):
    header, arrays = take_apart(
        file_bytes(trained(Options(bits=18, algorithm=algorithm)), tmp_path)
    )
    raise_counts(header, arrays)
    model = read(put_together(header, arrays), tmp_path)
    teach(model.learner, STREAM)
    model.position += len(STREAM)
    again = read(file_bytes(model, tmp_path), tmp_path)
    assert again.position == MOST_COUNTED
    teach(again.learner, STREAM)
    write_model(again, str(tmp_path / "more.lom"))


@pytest.mark.parametrize("algorithm", ["rtree", "filter"])
def test_the_seed_of_a_tree_over_labels_stays(algorithm):
    before = Options(algorithm=algorithm, seed=3)
    with pytest.raises(OptionError, match="--seed is 3 in this model and cannot change"):
        choose_options({"seed": 4}, before)
    assert choose_options({"seed": 3}, before) == before


@pytest.mark.parametrize("algorithm", ["lomtree", "oaa"])
def test_other_seeds_may_change(algorithm):
    assert choose_options({"seed": 4}, Options(algorithm=algorithm, seed=3)).seed == 4
