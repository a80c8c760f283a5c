"""Logarithmic time online multiclass prediction: a streaming learner for very many classes.

The public API; the command line is `lomtree --help`. Everything below is loaded when it is first
used, so that importing lomtree costs nothing. For data in memory, with scikit-learn:

    import lomtree

    classifier = lomtree.LomTreeClassifier(passes=3).fit(X, y)
    classifier.predict(X)
    classifier.save("model.lom")
    classifier = lomtree.load("model.lom")

For streams, without it:

    model = lomtree.Model.new(lomtree.Options())
    lomtree.learn(model, lomtree.open("train.vw"), passes=3)
    for labels, probabilities in lomtree.predict(model, lomtree.examples_of(dicts)):
        ...
    lomtree.write_model(model, "model.lom")

docs/python.md has more.

Choromanska, Langford: Logarithmic Time Online Multiclass prediction. NIPS 2015.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from lomtree.arrays.source import examples_of
    from lomtree.cluster.estimator import DaskLomTreeClassifier
    from lomtree.core.errors import DataError, LomtreeError, ModelError, OptionError
    from lomtree.core.execution import Execution
    from lomtree.core.options import Options
    from lomtree.core.reading import Reading
    from lomtree.estimator.classifier import LomTreeClassifier, load
    from lomtree.estimator.functions import learn, open, predict
    from lomtree.evaluation.predict import Search, predict_all
    from lomtree.evaluation.score import score_examples
    from lomtree.examples.examples import Examples
    from lomtree.formats.reader import Reader
    from lomtree.formats.record_batches import read_batches
    from lomtree.model.model import Model
    from lomtree.model.model_file import read_model, write_model
    from lomtree.training.sources import number_examples
    from lomtree.training.trainer import Trainer

_WHERE = {
    "DaskLomTreeClassifier": "cluster.estimator",
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
    "Reading": "core.reading",
    "Search": "evaluation.predict",
    "Trainer": "training.trainer",
    "examples_of": "arrays.source",
    "learn": "estimator.functions",
    "load": "estimator.classifier",
    "number_examples": "training.sources",
    "open": "estimator.functions",
    "predict": "estimator.functions",
    "predict_all": "evaluation.predict",
    "read_batches": "formats.record_batches",
    "read_model": "model.model_file",
    "score_examples": "evaluation.score",
    "write_model": "model.model_file",
}

__all__ = [
    "DaskLomTreeClassifier",
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
    "Reading",
    "Search",
    "Trainer",
    "__version__",
    "examples_of",
    "learn",
    "load",
    "number_examples",
    "open",
    "predict",
    "predict_all",
    "read_batches",
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
