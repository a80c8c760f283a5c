"""A first run compiles on two cores: another process begins where this one will be last.

A process cannot compile two kernels at once. Both keep what they have compiled (jit/cache) and
wait for what the other is at.
"""

import os
import subprocess
import sys

import numpy as np

from lomtree.core.options import Options
from lomtree.examples.batch import Batch
from lomtree.model.model import Model
from lomtree.model.model_file import write_model


def start(algorithm: str) -> None:
    """Start the other process, if there is a core for it."""
    if (os.cpu_count() or 1) > 1:
        program = f"from {__name__} import train_a_little; train_a_little({algorithm!r})"
        nothing = subprocess.DEVNULL
        subprocess.Popen(
            [sys.executable, "-c", program], stdin=nothing, stdout=nothing, stderr=nothing
        )


def train_a_little(algorithm: str) -> None:
    """Learn two examples and write a model to nowhere."""
    model = Model.new(Options(algorithm=algorithm, bits=18))
    labels = np.array(model.labels.add(b"a", b"b"), np.int32)
    ones = np.ones(2, np.float32)
    batch = Batch(np.arange(3), np.arange(2, dtype=np.uint32), ones, labels, ones)
    predictions, depths = np.empty((2, 2), np.int32)
    model.learner.learn(batch, 2, predictions, depths)
    write_model(model, os.devnull)
