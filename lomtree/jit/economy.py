"""What numba does for every function that a kernel calls, and nobody needs.

It optimises each as a whole, makes machine code of it and lets Python call that. But kernels inline
these functions and optimise them there, and only the kernel itself is ever called. To do that alone
takes two thirds of the time.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock


def _no_code(library: Any) -> None:
    library._finalized = True


def _no_address(library: Any, _name: str) -> int:
    library._ensure_finalized()
    return 0


def _nothing(*_arguments: Any) -> None:
    pass


_REPLACED = (
    (CPUCodeLibrary, "_optimize_final_module", _nothing),
    (CPUCodeLibrary, "_finalize_final_module", _no_code),
    (JITCodeLibrary, "get_pointer_to_function", _no_address),
    (JITCPUCodegen, "set_env", _nothing),
)


@contextlib.contextmanager
def economy() -> Iterator[None]:
    """What numba compiles meanwhile can be inlined and given to object_file_of(), but not called.
    The lock keeps others who use numba from compiling in the same way."""
    with global_compiler_lock, contextlib.ExitStack() as stack:
        for owner, name, other in _REPLACED:
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, other)
        yield


def object_file_of(library: Any) -> bytes:
    """The machine code of what was compiled economically."""
    library._optimize_final_module()
    return library._codegen._tm.emit_object(library._final_module)
