"""A first run compiles on two cores: another process begins where this one will be last.

A process cannot compile two kernels at once. Both keep what they have compiled (jit/cache) and
wait for what the other is at.
"""

import contextlib
import os
import subprocess

import numpy as np

from lomtree.core.options import Options
from lomtree.examples.batch import Batch
from lomtree.model.model import Model
from lomtree.model.model_file import write_model
from lomtree.system.isolated_python import isolated


def start(algorithm: str) -> None:
    """Start the other process, if there is a core for it. Nobody waits for it, and nothing but
    time is lost where it cannot be started."""
    if (os.cpu_count() or 1) > 1:
        command, nothing = (
            isolated(__name__, train_a_little.__name__, algorithm),
            subprocess.DEVNULL,
        )
        with contextlib.suppress(OSError, MemoryError, subprocess.SubprocessError):
            subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)


def train_a_little(algorithm: str) -> None:
    """Learn two examples and write a model to nowhere."""
    model = Model.new(Options(algorithm=algorithm, bits=18))
    labels = np.array(model.labels.add(b"a", b"b"), np.int32)
    ones = np.ones(2, np.float32)
    batch = Batch(np.arange(3), np.arange(2, dtype=np.uint32), ones, labels, ones)
    predictions, depths = np.empty((2, 2), np.int32)
    model.learner.learn(batch, 2, predictions, depths)
    write_model(model, os.devnull)
