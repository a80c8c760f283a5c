"""Whether the cache of an earlier run is that of this one."""

from collections.abc import Callable

from lomtree.core.errors import DataError, LomtreeError
from lomtree.examples.cache import Cache, is_cache
from lomtree.system.atomic_file import check_writable


def find_cache(path: str, description: dict, say: Callable[[str], None]) -> Cache | None:
    """A cache that may be used; otherwise say why it is written again."""
    check_writable(path)
    try:
        if not is_cache(path):
            raise LomtreeError(f"{path}: exists, but is not a cache of this program")
        cache = Cache(path, description)
    except FileNotFoundError:
        return None
    except DataError as error:
        say(f"{path}: not used ({error}); it is written again\n")
        return None
    say(f"reading the cache {path}\n")
    return cache
