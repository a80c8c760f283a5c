"""The model file: see storage/container for its form and model for what is in it."""

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from lomtree.core.errors import ModelError
from lomtree.core.execution import ONE_CORE, Execution
from lomtree.storage.container import read_arrays, write_arrays
from lomtree.storage.purposes import Purpose, within_tree
from lomtree.system.timing import watch

if TYPE_CHECKING:
    from lomtree.model.model import Model

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


def write_model(model: "Model", path: str, predict_only: bool = False) -> None:
    from lomtree.model.model import to_state_dict

    with watch.stage("write model"):
        state_dict = to_state_dict(model, predict_only)
        write_arrays(path, state_dict.header, state_dict.arrays)


class ModelBeingRead:
    """A model file that is read in a thread of its own, while the caller imports numba, say."""

    def __init__(self, path: str, purpose: Purpose, execution: Execution = ONE_CORE) -> None:
        self._path, self._purpose, self._execution = path, purpose, execution
        stored = _is_large if purpose is not Purpose.LEARN else lambda _name: False
        self._read = ThreadPoolExecutor(1).submit(read_arrays, path, purpose.needs, stored)

    def model(self) -> "Model":
        """Wait for it; ModelError, beginning with the path, if it is no model."""
        path = self._path
        from lomtree.model.model import from_state_dict
        from lomtree.storage.state_dict import StateDict

        try:
            with watch.stage("read model"):
                state_dict = StateDict(*self._read.result())
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
        except _MALFORMED:
            raise ModelError(f"{path}: not a usable model: its header is malformed") from None


def read_model(
    path: str, purpose: Purpose = Purpose.RANK, execution: Execution = ONE_CORE
) -> "Model":
    """The model in a file; what is not needed for the purpose is not read."""
    return ModelBeingRead(path, purpose, execution).model()


def _is_large(name: str) -> bool:
    """What need not be in memory twice."""
    return within_tree(name) == "weights.w"
