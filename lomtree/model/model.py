"""A model: what it was trained with, its labels, and what was learned; to and from a state dict."""

from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple, get_origin

from lomtree.core.errors import LomtreeError, ModelError, OptionError, PredictOnlyError
from lomtree.core.execution import ONE_CORE, Execution
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN, Reading
from lomtree.examples.examples import Examples
from lomtree.examples.label_index import LabelIndex
from lomtree.learners.base import Learner
from lomtree.learners.factory import learner_for, new_learner
from lomtree.storage.state_dict import MOST_COUNTED, StateDict, counted, whole_number

LARGEST_INVERSE_TEMPERATURE = 10.0
LONGEST_SUM = 128  # characters


class Unfinished(NamedTuple):
    """How far the run had come that saved a checkpoint."""

    first: int  # the model's position when the run began
    done: int  # examples gone through since then, in all its passes
    passes: int = 1  # of the run
    data: str = ""  # a checksum of the examples read: see training/data_sum
    origin: str = ""  # which model it went on from: see origin_of() in model_file


@dataclass
class Model:
    options: Options
    labels: LabelIndex
    learner: Learner
    position: int = 0  # examples read in training so far, held-out ones included
    predict_only: bool = False  # its file has nothing but what predicting needs
    unfinished: Unfinished | None = None  # of a checkpoint
    format: str | None = None  # of the text it was trained with, where it was text
    reading: Reading = PLAIN  # how that was read

    @classmethod
    def new(cls, options: Options, execution: Execution = ONE_CORE) -> "Model":
        model = cls(options, LabelIndex(), new_learner(options, execution))
        model.labels.most = options.max_labels
        return model

    def check(self, examples: Examples) -> None:
        """LomtreeError if the examples do not have the derived features that the model learns."""
        wanted = self.options.derived
        if examples.derived is not wanted and examples.derived != wanted:
            raise LomtreeError(
                "the model and its examples have different derived features: "
                "Reader(..., derived=model.options.derived) gives those of a model"
            )

    def reconfigure(self, options: Options) -> None:
        """Train on with other options."""
        self.options = options
        self.learner.reconfigure(options)
        self.labels.most = options.max_labels


def to_state_dict(model: Model, predict_only: bool) -> StateDict:
    """What goes into a file; the same model always gives the same bytes."""
    header = {
        "predict_only": predict_only,
        "options": asdict(model.options),
        "position": counted(model.position),
        "inverse_temperature": model.learner.inverse_temperature,
        "unfinished": model.unfinished and _stored(model.unfinished),
        "format": model.format,
        "reading": model.reading.to_json(),
    }
    state_dict = StateDict(
        header, {"labels.text": model.labels.text, "labels.ends": model.labels.ends}
    )
    model.learner.store(state_dict, predict_only)
    return state_dict


def _stored(unfinished: Unfinished) -> list[Any]:
    first, done, passes, data, origin = unfinished
    return [counted(first), counted(done), counted(passes), data, origin]


def from_state_dict(
    state_dict: StateDict, learning: bool, execution: Execution = ONE_CORE
) -> Model:
    """A model from what a file holds; ModelError with the reason if that is no whole model.

    Without `learning` it can only predict.
    """
    read = _read_header(state_dict, learning)
    options, labels = read.options, read.labels
    learner = learner_for(options).load(options, state_dict, len(labels), learning, execution)
    learner.inverse_temperature = read.inverse_temperature
    return Model(
        options, labels, learner, read.position, read.predict_only, read.unfinished, read.format,
        read.reading,
    )  # fmt: skip


def check_state_dict(state_dict: StateDict, learning: bool) -> None:
    """ModelError if from_state_dict() would raise one; no second model is made."""
    read = _read_header(state_dict, learning)
    learner_for(read.options).check(read.options, state_dict, len(read.labels), learning)


class _Read(NamedTuple):
    """What a file says of a model beside its learner."""

    options: Options
    labels: LabelIndex
    inverse_temperature: float
    position: int
    predict_only: bool
    unfinished: Unfinished | None
    format: str | None
    reading: Reading


def _read_header(state_dict: StateDict, learning: bool) -> _Read:
    header = state_dict.header
    predict_only = header["predict_only"]
    if type(predict_only) is not bool:
        raise ModelError("it does not say whether its training can go on")
    if learning and predict_only:
        raise PredictOnlyError("it was saved with --predict-only, so its training cannot go on")
    position = whole_number(header["position"], 0, MOST_COUNTED)
    return _Read(
        _read_options(header["options"]),
        _read_labels(state_dict),
        _read_inverse_temperature(header["inverse_temperature"]),
        position,
        predict_only,
        _read_unfinished(header["unfinished"], position),
        _read_format(header["format"]),
        _read_reading(header["reading"]),
    )


def _read_format(value: object) -> str | None:
    if value is not None and type(value) is not str:
        raise ModelError("its format is not a name")
    return value


def _read_reading(values: object) -> Reading:
    try:
        return Reading.from_json(values)
    except ValueError as error:
        raise ModelError(f"it does not say how its data is read: {error}") from None


def _read_inverse_temperature(value: object) -> float:
    if type(value) is not float or not 0.0 < value <= LARGEST_INVERSE_TEMPERATURE:
        raise ModelError("its calibration temperature is missing or not a number")
    return value


def _read_unfinished(values: list[Any] | None, position: int) -> Unfinished | None:
    if values is None:
        return None
    first, done, passes, data, origin = values
    for text in (data, origin):
        if type(text) is not str or len(text) > LONGEST_SUM:
            raise ModelError("it does not say of which run it is a checkpoint")
    return Unfinished(
        whole_number(first, 0, position),
        whole_number(done, 1, MOST_COUNTED),
        whole_number(passes, 1, MOST_COUNTED),
        data,
        origin,
    )


def _read_options(values: dict[str, Any]) -> Options:
    wanted = {option.name: get_origin(option.type) or option.type for option in fields(Options)}
    if set(values) != set(wanted):
        raise ModelError("its options are not those of this version")
    values = {name: _as_given(value) for name, value in values.items()}
    for name, kind in wanted.items():
        if type(values[name]) is not kind and not (kind is float and type(values[name]) is int):
            raise ModelError(f"its option {name} has the wrong type")
    try:
        return Options(**values)
    except OptionError as error:
        raise ModelError(f"its options are wrong: {error}") from None


def _as_given(value: object) -> object:
    """A list of words as the tuple that it was before it was written."""
    if type(value) is list and all(type(word) is str for word in value):
        return tuple(value)
    return value


def _read_labels(state_dict: StateDict) -> LabelIndex:
    text, ends = state_dict.whole("labels.text"), state_dict.whole("labels.ends")
    try:
        labels = LabelIndex.from_arrays(text, ends)
    except ValueError as error:
        raise ModelError(str(error)) from None
    if len(labels) == 0:
        raise ModelError("it has no labels")
    return labels
