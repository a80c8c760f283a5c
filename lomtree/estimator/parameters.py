"""An estimator's parameters, checked, as the engine takes them."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from lomtree.core.errors import OptionError
from lomtree.core.options import OPTION_NAMES, Options, choose_options
from lomtree.estimator.scikit import check_random_state

DEFAULTS = {option.name: option.default for option in fields(Options)}
_WHOLE = (int, np.integer)
_WIDEST_BEAM = 1024


def options_of(estimator: Any, seed: int, before: Options | None = None) -> Options:
    """The options that an estimator's parameters say; ValueError if they make no sense. A
    parameter that has its default was not asked for, as on the command line."""
    given: dict[str, Any] = {"seed": seed}
    for name in OPTION_NAMES:
        value = getattr(estimator, name, None)
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(DEFAULTS[name], tuple):
            value = _strings(name, value)
        if name != "seed" and value != DEFAULTS[name]:
            if type(DEFAULTS[name]) is int and type(value) is not int:
                raise ValueError(f"{name} must be a whole number, not {value!r}.")
            given[name] = value
    try:
        return choose_options(given, before)
    except OptionError as error:
        raise ValueError(_as_parameters(str(error))) from None
    except TypeError:
        wrong = ", ".join(f"{name}={value!r}" for name, value in given.items() if name != "seed")
        raise ValueError(f"a parameter has the wrong type: {wrong}") from None


def _strings(name: str, value: Any) -> tuple[str, ...]:
    """A list of strings, or one string."""
    several = (value,) if isinstance(value, str) else () if value is None else value
    if isinstance(several, Mapping) or not isinstance(several, Iterable):
        raise ValueError(f"{name} must be a string or a list of strings, not {value!r}.")
    return tuple(several)


def _as_parameters(sentence: str) -> str:
    """Options as Python names them: max_nodes for --max-nodes."""
    sentence = sentence.replace("--no-ranker", "ranker=False").replace("-T", "max_nodes")
    return re.sub(r"--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_"), sentence)


def seed_of(random_state: Any, before: int | None = None) -> int:
    """The seed before stays where the state is not a number."""
    if isinstance(random_state, _WHOLE):
        return int(random_state)
    if before is not None:
        return before
    return int(check_random_state(random_state).randint(2**31 - 1))


def threads_of(n_jobs: Any) -> int:
    if n_jobs is None:
        return 1
    cores = os.cpu_count() or 1
    if not isinstance(n_jobs, _WHOLE) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a whole number other than 0, not {n_jobs!r}.")
    return max(1, int(n_jobs) if n_jobs > 0 else cores + 1 + int(n_jobs))


def passes_of(passes: Any) -> int:
    if not isinstance(passes, _WHOLE) or passes < 1:
        raise ValueError(f"passes must be a whole number from 1 on, not {passes!r}.")
    return int(passes)


def beam_of(beam: Any) -> int:
    if not isinstance(beam, _WHOLE) or not 1 <= beam <= _WIDEST_BEAM:
        raise ValueError(f"beam must be a whole number from 1 to {_WIDEST_BEAM}, not {beam!r}.")
    return int(beam)
