"""The functions below the estimator, for those who bring their own stream: examples from a file or
from memory, a model that learns them as they come, and its predictions, a batch at a time.

Nothing here needs scikit-learn.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lomtree.arrays.classes import Classes, label_array
from lomtree.core.constants import BEAM, NO_LABEL
from lomtree.core.derivations import NOTHING, Derivations
from lomtree.core.reading import PLAIN, Reading
from lomtree.evaluation.predict import Search, predict_all
from lomtree.examples.examples import Examples
from lomtree.formats.reader import Reader
from lomtree.formats.registry import AUTO
from lomtree.model.model import Model
from lomtree.training.trainer import Trainer


class Predictions(NamedTuple):
    """Those of one batch, a row an example."""

    labels: NDArray[Any]  # [examples], or [examples, top]; None where there is none
    probabilities: NDArray[np.float32] | None  # of the same shape; None after a walk


def open(
    *paths: str,
    format: str = AUTO,
    on_error: str = "stop",
    reading: Reading = PLAIN,
    derived: Derivations = NOTHING,
) -> Reader:
    """The examples of files, packed or not, to be gone through: each item is a batch of them.
    `reading` tells what the columns of tables are for; a model with derived features wants its
    `options.derived`."""
    return Reader([*paths], format, on_error, reading=reading, derived=derived)


def learn(model: Model, examples: Iterable[Examples], passes: int = 1) -> Model:
    """Let a model learn from batches of examples as they come; returns the model. What further
    passes need is kept in memory up to 1 GB, then in a temporary file."""
    Trainer(model).learn(examples, passes)
    return model


def predict(
    model: Model,
    examples: Iterable[Examples],
    top: int | None = None,
    beam: int = BEAM,
    walk: bool = False,
) -> Iterator[Predictions]:
    """The predictions for each batch of examples: the best label, or the `top` best ones."""
    classes = Classes(model.labels)
    search = None if walk else Search(beam, top or 1)
    for predicted in predict_all(model, examples, search):
        if predicted.ranking is None:
            yield Predictions(_named(classes, predicted.labels), None)
        elif top is None:
            probabilities = predicted.ranking.probabilities[:, 0]
            yield Predictions(_named(classes, predicted.labels), probabilities)
        else:
            labels = _named(classes, predicted.ranking.labels)
            yield Predictions(labels, predicted.ranking.probabilities)


def _named(classes: Classes, numbers: NDArray[np.int32]) -> NDArray[Any]:
    labels = classes.labels
    found = [labels[number] if number != NO_LABEL else None for number in numbers.ravel().tolist()]
    return label_array(found).reshape(numbers.shape)
