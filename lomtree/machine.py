"""Machine instructions that numba has no word for, as kernels name them."""

from typing import Any

import numpy as np

LANES = 16  # float32 in a vector: one cache line

# An index with a sign might count from the end of an array, and asking for that takes time in every
# turn of a loop. Those without may only meet their like: with others they become floats.
ONE, TWO, THREE, FOUR = (np.uint64(number) for number in range(1, 5))


class Instruction:
    """A name until numba asks for its type; only then is it made, and numba imported."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def _numba_type_(self) -> Any:
        from lomtree import instructions

        return instructions.type_of(self._name)

    def __call__(self, *arguments: Any) -> Any:
        raise TypeError(f"only kernels can use {self._name}")


prefetch = Instruction("prefetch")
load32 = Instruction("load32")
load64 = Instruction("load64")
find16 = Instruction("find16")
trailing_zeros = Instruction("trailing_zeros")
move8 = Instruction("move8")
add16 = Instruction("add16")
add_products16 = Instruction("add_products16")
divide_by_root16 = Instruction("divide_by_root16")
