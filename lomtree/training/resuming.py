"""Whether a checkpoint is one of this very run."""

from collections.abc import Mapping
from typing import Any

from lomtree.core.errors import OptionError
from lomtree.core.options import OPTION_NAMES, Options, choose_options, option_name
from lomtree.model.model import Unfinished

# A run that stopped at a label too many may go on with a larger bound.
_MAY_CHANGE = ("max_labels",)


def refuse_other_run(
    path: str, given: Mapping[str, Any], options: Options, run: Unfinished, origin: str
) -> None:
    """OptionError if the checkpoint, with these options, is one of another run, as far as that can
    be known before the data is read. What is not given is as it was; `origin` tells which model a
    run with the given -i goes on from."""
    chosen = choose_options(given, options)
    differ = [
        f"{option_name(name)} was {getattr(options, name)}"
        for name in OPTION_NAMES
        if name not in _MAY_CHANGE and getattr(chosen, name) != getattr(options, name)
    ]
    if given.get("passes", run.passes) != run.passes:
        differ.append(f"--passes was {run.passes}")
    if given.get("initial_model") is not None and origin != run.origin:
        differ.append("it did not go on from this -i" if run.origin else "it had no -i")
    if differ:
        raise OptionError(
            f"{path} is a checkpoint of another run, which --resume cannot go on with: "
            f"{', '.join(differ)}"
        )
