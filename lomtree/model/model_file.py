"""The model file: see storage/container for its form and model for what is in it."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from lomtree.core.errors import LomtreeError, ModelError
from lomtree.core.execution import ONE_CORE, Execution
from lomtree.storage.container import (
    Arrays,
    Extent,
    compacted,
    read_arrays,
    sizes_in,
    write_arrays,
)
from lomtree.storage.purposes import Purpose, within_tree
from lomtree.system.atomic_file import STANDARD
from lomtree.system.threads import leave_signals
from lomtree.system.timing import watch

if TYPE_CHECKING:
    from lomtree.model.model import Model

# What reading a header that means nothing may raise.
MALFORMED_HEADER = (
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
)


def write_model(model: "Model", path: str, predict_only: bool = False) -> None:
    """Write a model to a file; `predict_only`, in few bits and without what only training needs.
    LomtreeError if what would be written is no model that can be read again; then `path` is as it
    was."""
    write_parts(model, path, predict_only)


def write_parts(model: "Model", path: str, predict_only: bool) -> dict[str, int]:
    """The same; returns the bytes of the model's parts."""
    from lomtree.model.model import to_state_dict

    with watch.stage("write model"):
        state_dict = to_state_dict(model, predict_only)
        try:
            arrays = compacted(state_dict.arrays) if predict_only else state_dict.arrays
            return _sizes_of_parts(write_arrays(path, state_dict.header, arrays, check_written))
        except (ModelError, *MALFORMED_HEADER) as error:
            raise LomtreeError(
                f"{path}: not written, since the model could not be read again ({error})"
            ) from None


def check_written(header: dict[str, Any], arrays: Arrays, extents: dict[str, Extent]) -> None:
    """ModelError, or what a malformed header raises, if a file of these could not be read again:
    to go on with its training, unless it says that this is not possible."""
    from lomtree.model.model import check_state_dict
    from lomtree.storage.state_dict import StateDict

    check_state_dict(StateDict(header, arrays, extents), learning=not header["predict_only"])


class ModelBeingRead:
    """A model file that is read in a thread of its own, while the caller imports numba, say. What
    was read tells `sizes`, the bytes of the file's parts."""

    sizes: dict[str, int]

    def __init__(self, path: str, purpose: Purpose, execution: Execution = ONE_CORE) -> None:
        self._path, self._purpose, self._execution = path, purpose, execution
        stored = _is_large if purpose is not Purpose.LEARN else lambda _name: False
        self._read = ThreadPoolExecutor(1, initializer=leave_signals).submit(
            read_arrays, path, purpose.needs, stored
        )

    def model(self) -> "Model":
        """Wait for it; ModelError, beginning with the path, if it is no model."""
        path = self._path
        from lomtree.model.model import from_state_dict
        from lomtree.storage.state_dict import StateDict

        try:
            with watch.stage("read model"):
                state_dict = StateDict(*self._read.result())
                self.sizes = _sizes_of_parts(state_dict.header)
                learning = self._purpose is Purpose.LEARN
                return from_state_dict(state_dict, learning, self._execution)
        except ModelError as error:
            raise type(error)(f"{path}: not a usable model: {error}") from None
        except FileNotFoundError:
            raise ModelError(f"{path}: no such file") from None
        except IsADirectoryError:
            raise ModelError(f"{path}: is a directory, not a model") from None
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from None
        except MALFORMED_HEADER:
            raise ModelError(f"{path}: not a usable model: its header is malformed") from None


def read_model(
    path: str, purpose: Purpose = Purpose.RANK, execution: Execution = ONE_CORE
) -> "Model":
    """The model in a file; what is not needed for the purpose is not read."""
    return ModelBeingRead(path, purpose, execution).model()


def origin_of(path: str | None, target: str) -> str:
    """What tells models apart that a run which writes to `target` may go on from: the size of the
    file and the checksum at its end. What the run itself replaces cannot be told later."""
    if path is None:
        return ""
    if path == STANDARD:
        return "standard input"
    try:
        if os.path.exists(target) and os.path.samefile(path, target):
            return "itself"
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 4, 0))
            return f"{size}-{file.read(4).hex()}"
    except OSError:
        return "unknown"


def _sizes_of_parts(header: dict[str, Any]) -> dict[str, int]:
    """How many bytes each part of a model takes in a file, by what its arrays' names begin with."""
    sizes: dict[str, int] = {}
    for name, size in sizes_in(header).items():
        part = within_tree(name).partition(".")[0]
        sizes[part] = sizes.get(part, 0) + size
    return sizes


def _is_large(name: str) -> bool:
    """What need not be in memory twice."""
    return within_tree(name) == "weights.w"
