"""A model: what it was trained with, the labels, and what was learned; to and from its parts."""

from dataclasses import asdict, dataclass, fields
from typing import NamedTuple

from lomtree.algorithms import learner_for, new_learner
from lomtree.array_file import Arrays
from lomtree.errors import ModelError, OptionError
from lomtree.labels import Labels
from lomtree.learner import Learner
from lomtree.options import Options
from lomtree.parts import MOST_COUNTED, Parts, whole_number

MOST_SHARPNESS = 10.0


class Unfinished(NamedTuple):
    """How far the run had come that saved a checkpoint."""

    first: int  # the model's position when the run began
    done: int  # examples gone through since then, in all its passes


@dataclass
class Model:
    options: Options
    labels: Labels
    learner: Learner
    position: int = 0  # examples read in training so far, held-out ones included
    predict_only: bool = False  # its file has nothing but what answering needs
    unfinished: Unfinished | None = None  # of a checkpoint

    @classmethod
    def new(cls, options: Options) -> "Model":
        return cls(options, Labels(), new_learner(options))


def to_parts(model: Model, predict_only: bool) -> Parts:
    """What goes into a file; the same model always gives the same bytes."""
    header = {
        "predict_only": predict_only,
        "options": asdict(model.options),
        "position": model.position,
        "sharpness": model.learner.sharpness,
        "unfinished": model.unfinished,
    }
    parts = Parts(header, {"labels.text": model.labels.text, "labels.ends": model.labels.ends})
    model.learner.store(parts, predict_only)
    return parts


def from_parts(parts: Parts, learning: bool) -> Model:
    """A model from what a file holds; ModelError with the reason if that is no whole model.

    Without `learning` it can only answer.
    """
    options = _read_options(parts.header["options"])
    labels = _read_labels(parts.arrays)
    predict_only = parts.header["predict_only"]
    if type(predict_only) is not bool:
        raise ModelError("nobody knows what it was saved for")
    if learning and predict_only:
        raise ModelError("it was saved with --predict-only, so its training cannot go on")
    learner = learner_for(options).load(options, parts, len(labels), learning)
    learner.sharpness = _read_sharpness(parts.header["sharpness"])
    position = whole_number(parts.header["position"], 0, MOST_COUNTED)
    unfinished = _read_unfinished(parts.header["unfinished"], position)
    return Model(options, labels, learner, position, predict_only, unfinished)


def _read_sharpness(value: object) -> float:
    if type(value) is not float or not 0.0 < value <= MOST_SHARPNESS:
        raise ModelError("its sharpness is none")
    return value


def _read_unfinished(values: list | None, position: int) -> Unfinished | None:
    if values is None:
        return None
    first, done = values
    return Unfinished(whole_number(first, 0, position), whole_number(done, 1, MOST_COUNTED))


def _read_options(values: dict) -> Options:
    wanted = {option.name: type(option.default) for option in fields(Options)}
    if set(values) != set(wanted):
        raise ModelError("its options are not those of this version")
    for name, kind in wanted.items():
        if type(values[name]) is not kind and not (kind is float and type(values[name]) is int):
            raise ModelError(f"its option {name} has the wrong type")
    options = Options(**values)
    try:
        options.check()
    except OptionError as error:
        raise ModelError(f"its options are wrong: {error}") from None
    return options


def _read_labels(arrays: Arrays) -> Labels:
    try:
        labels = Labels.from_arrays(arrays["labels.text"], arrays["labels.ends"])
    except ValueError as error:
        raise ModelError(str(error)) from None
    if len(labels) == 0:
        raise ModelError("it has no labels")
    return labels
