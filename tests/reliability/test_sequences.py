"""What the program writes, every command of it accepts, whatever came before and with any options.

The long form is `python -m scripts.reliability.fuzz --kind 'command sequences'`.
"""

from random import Random

import pytest

from tests.generators.sequences import Sequence


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_written_is_accepted(lomtree, tmp_path, seed):
    def run(*words) -> tuple[int, str]:
        done = lomtree(*words)
        return done.status, done.err

    Sequence(Random(seed), tmp_path, run).play(3)
