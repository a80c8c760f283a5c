"""Logarithmic time online multiclass prediction: a streaming learner for very many classes.

The public API; the command line is `lomtree --help`. Everything below is loaded when it is first
used, so that importing lomtree costs nothing.

    import lomtree

    model = lomtree.Model.new(lomtree.Options())
    lomtree.Trainer(model).learn(lomtree.Reader(["train.vw"], labels_required=True), passes=3)
    lomtree.write_model(model, "model.lom")

    model = lomtree.read_model("model.lom")
    lomtree.score_examples(model, lomtree.Reader(["test.vw"], labels_required=True)).error

Choromanska, Langford: Logarithmic Time Online Multiclass prediction. NIPS 2015.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from lomtree.arrays.source import examples_of
    from lomtree.core.errors import DataError, LomtreeError, ModelError, OptionError
    from lomtree.core.execution import Execution
    from lomtree.core.options import Options
    from lomtree.estimator.classifier import LomTreeClassifier, load
    from lomtree.evaluation.predict import Search, predict_all
    from lomtree.evaluation.score import score_examples
    from lomtree.examples.examples import Examples
    from lomtree.formats.reader import Reader
    from lomtree.model.model import Model
    from lomtree.model.model_file import read_model, write_model
    from lomtree.training.sources import number_examples
    from lomtree.training.trainer import Trainer

_WHERE = {
    "DataError": "core.errors",
    "Examples": "examples.examples",
    "Execution": "core.execution",
    "LomTreeClassifier": "estimator.classifier",
    "LomtreeError": "core.errors",
    "Model": "model.model",
    "ModelError": "core.errors",
    "OptionError": "core.errors",
    "Options": "core.options",
    "Reader": "formats.reader",
    "Search": "evaluation.predict",
    "Trainer": "training.trainer",
    "examples_of": "arrays.source",
    "load": "estimator.classifier",
    "number_examples": "training.sources",
    "predict_all": "evaluation.predict",
    "read_model": "model.model_file",
    "score_examples": "evaluation.score",
    "write_model": "model.model_file",
}

__all__ = [
    "DataError",
    "Examples",
    "Execution",
    "LomTreeClassifier",
    "LomtreeError",
    "Model",
    "ModelError",
    "OptionError",
    "Options",
    "Reader",
    "Search",
    "Trainer",
    "__version__",
    "examples_of",
    "load",
    "number_examples",
    "predict_all",
    "read_model",
    "score_examples",
    "write_model",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'lomtree' has no attribute {name!r}")
    return getattr(import_module(f"lomtree.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return __all__
