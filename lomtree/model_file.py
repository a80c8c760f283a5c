"""The model file: see array_file for its form and model for what is in it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from lomtree.array_file import read_arrays, write_arrays
from lomtree.errors import ModelError
from lomtree.stopwatch import watch

if TYPE_CHECKING:
    from lomtree.model import Model

# What reading a header that means nothing may raise.
_MALFORMED = (
    KeyError,
    IndexError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
)

# The parts of a model that answering needs; the rest is for learning.
ANSWERING = ("labels.", "leaf_labels.", "scales.", "rows.", "weights.where", "weights.w")
ANSWERING_COLUMNS = ("left", "right", "label", "place")  # of the nodes


_FOR_LEARNING_ALONE = ("weights.squares", "squares.", "tags.", "profiles.")


def write_model(model: "Model", path: str, predict_only: bool = False) -> None:
    from lomtree.model import to_parts

    with watch.stage("write model"):
        parts = to_parts(model, predict_only)
        write_arrays(path, parts.header, parts.arrays)


class ModelBeingRead:
    """A model file that is read in a thread of its own, while the caller imports numba, say."""

    def __init__(
        self, path: str, learning: bool, counted: bool = False, ranked: bool = False
    ) -> None:
        needed: Callable[[str], bool] = _needed_to_answer
        if learning:
            needed = _needed_to_learn
        elif counted:
            needed = _needed_to_count
        elif ranked:
            needed = _needed_to_rank
        self._path, self._learning = path, learning
        stored = (lambda _name: False) if learning else _is_large
        self._read = ThreadPoolExecutor(1).submit(read_arrays, path, needed, stored)

    def model(self) -> "Model":
        """Wait for it; ModelError, beginning with the path, if it is no model."""
        path = self._path
        from lomtree.model import from_parts
        from lomtree.parts import Parts

        try:
            with watch.stage("read model"):
                return from_parts(Parts(*self._read.result()), self._learning)
        except ModelError as error:
            raise ModelError(f"{path}: not a usable model: {error}") from None
        except FileNotFoundError:
            raise ModelError(f"{path}: no such file") from None
        except IsADirectoryError:
            raise ModelError(f"{path}: is a directory, not a model") from None
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from None
        except _MALFORMED:
            raise ModelError(f"{path}: not a usable model: its header is malformed") from None


def read_model(path: str, learning: bool, counted: bool = False, ranked: bool = False) -> "Model":
    """The model in a file. With `learning` its training can go on; without, it loads faster and
    needs less memory. With `counted` it knows at least who came to which node, if the file does;
    with `ranked` it has the profiles of its labels, by which rank() weighs them."""
    return ModelBeingRead(path, learning, counted, ranked).model()


def _is_large(name: str) -> bool:
    """What need not be in memory twice."""
    return _within_tree(name) == "weights.w"


def _needed_to_learn(_name: str) -> bool:
    return True


def _needed_to_count(name: str) -> bool:
    return not _within_tree(name).startswith(_FOR_LEARNING_ALONE)


def _needed_to_answer(name: str) -> bool:
    name = _within_tree(name)
    column = name.removeprefix("nodes.")
    return name.startswith(ANSWERING) or column in ANSWERING_COLUMNS


def _needed_to_rank(name: str) -> bool:
    return name.startswith("profiles.") or _needed_to_answer(name)


def _within_tree(name: str) -> str:
    """The name without the number of its tree."""
    return name.rpartition("/")[2]
