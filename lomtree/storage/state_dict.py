"""The state dict of a model, on its way to a file and back: plain values, and arrays by name."""

from typing import Any

import numpy as np

from lomtree.core.errors import ModelError
from lomtree.storage.container import NOTHING, Arrays, Extent, at_once
from lomtree.storage.sparse_rows import check_packed, pack, unpack_into

MOST_COUNTED = 2**53  # examples: no stream is so long, and what is added stays in an int64


def whole_number(value: object, smallest: int, largest: int) -> int:
    """A number of a header that is what it should be."""
    if type(value) is not int or not smallest <= value <= largest:
        raise ModelError("a number in its header is out of range")
    return value


def counted(value: int) -> int:
    """A count on its way to a file: no larger than one that is let in from a file."""
    return min(int(value), MOST_COUNTED)


def all_differ(numbers: np.ndarray) -> bool:
    """Whether no number is there twice. (np.unique would import numpy.ma, which takes time.)"""
    ordered = np.sort(numbers)
    return not np.any(ordered[1:] == ordered[:-1])


class StateDict:
    """What comes from a file has been checked only as far as these methods do it. Of arrays that
    were just written, the extents are known."""

    def __init__(
        self, header: dict[str, Any], arrays: Arrays, extents: dict[str, Extent] | None = None
    ) -> None:
        self.header = header
        self.arrays = arrays
        self._extents = extents or {}

    def add_trees(self, trees: list["StateDict"]) -> None:
        self.header["trees"] = [tree.header for tree in trees]
        for number, tree in enumerate(trees):
            self.arrays |= {f"{number}/{name}": array for name, array in tree.arrays.items()}

    def tree(self, number: int) -> "StateDict":
        """The state_dict of one of the trees that were added."""
        prefix = f"{number}/"

        def own(named: dict[str, Any]) -> dict[str, Any]:
            return {
                name.removeprefix(prefix): value
                for name, value in named.items()
                if name.startswith(prefix)
            }

        return StateDict(self.header["trees"][number], own(self.arrays), own(self._extents))

    def put_packed(self, part: str, names: tuple[str, ...], table: np.ndarray) -> None:
        """Add the columns of a table of which many rows are zero."""
        packed = pack(table)
        self.header[part] = packed.kind
        self.arrays[f"{part}.where"] = packed.where
        for name, column in zip(names, packed.columns, strict=False):
            self.arrays[f"{part}.{name}"] = column

    def check_packed(self, part: str, names: tuple[str, ...], rows: int, dtype: type) -> None:
        """ModelError if these columns cannot fill a table of so many rows."""
        for name in names:
            values, where = self.arrays[f"{part}.{name}"], self.whole(f"{part}.where")
            if values.dtype != dtype:
                raise ModelError("its rows do not have the expected form")
            check_packed(self.header[part], where, len(values), rows)

    def fill_packed(self, part: str, names: tuple[str, ...], table: np.ndarray) -> None:
        """Fill a table of zeros with the columns that it has room for."""
        for column, name in enumerate(names[: table.shape[1]]):
            values, where = self.arrays[f"{part}.{name}"], self.whole(f"{part}.where")
            unpack_into(self.header[part], where, values, table, column)

    def column(self, name: str, dtype: np.dtype | type, length: int) -> np.ndarray:
        array = self.whole(name)
        if array.dtype != dtype or array.shape != (length,):
            raise ModelError(f"its part {name} has the wrong form")
        return array

    def whole(self, name: str) -> np.ndarray:
        """An array, also one that is still to be written."""
        array = self.arrays[name]
        return at_once(array) if hasattr(array, "pieces") else array

    def extent(self, name: str) -> Extent:
        """Between which numbers those of an array are."""
        known = self._extents.get(name)
        return NOTHING.with_more(self.whole(name)) if known is None else known
