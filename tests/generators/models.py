"""Small trained models for the tests, and files of them."""

import numpy as np

from lomtree.core.options import Options
from lomtree.model.model import Model
from lomtree.model.model_file import read_model, write_model
from lomtree.storage.purposes import Purpose
from tests.generators.streams import random_stream, teach

CLASSES = 6
STREAM = random_stream(np.random.default_rng(1), 120, CLASSES, weighted=True)
OPTIONS = Options(bits=18, max_nodes=9, swap_resistance=1)


def trained(options: Options = OPTIONS, stream=STREAM) -> Model:
    model = Model.new(options)
    for number in range(CLASSES):
        model.labels.add(b"label-%d\xff" % number)
    teach(model.learner, stream)
    model.position = len(stream)
    return model


def file_bytes(model: Model, folder, predict_only: bool = False) -> bytes:
    write_model(model, str(folder / "model.lom"), predict_only)
    return (folder / "model.lom").read_bytes()


def read(data: bytes, folder, learning: bool = True) -> Model:
    (folder / "read.lom").write_bytes(data)
    return read_model(str(folder / "read.lom"), Purpose.LEARN if learning else Purpose.RANK)


def whole(array) -> np.ndarray:
    """An array that comes in pieces, each of which is filled anew for others."""
    if not hasattr(array, "pieces"):
        return array
    pieces = [piece.copy() for piece in array.pieces()]
    return np.concatenate([np.empty(0, array.dtype), *pieces])
