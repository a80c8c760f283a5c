"""A first training compiles on two cores: another process begins where this one will be last.

A process cannot compile two kernels at once. Both keep what they have compiled (jit/cache) and
wait for what the other is at. Functions that several kernels call are compiled once if these are
compiled by the same process: those of the ranker by the other one, which goes on with what a first
prediction will want. Nobody waits for it, and it may end after the run.
"""

import contextlib
import os
import subprocess
import tempfile
import threading

import numpy as np

from lomtree.core.constants import BEAM, NO_LABEL
from lomtree.core.options import Options
from lomtree.examples.batch import Batch
from lomtree.model.model import Model
from lomtree.model.model_file import write_model
from lomtree.system.isolated_python import isolated
from lomtree.system.threads import leave_signals

_LABELS = 100  # of fewer some kernels are not wanted
_WORDS = [b"%d" % number for number in range(_LABELS)]
_DATA = b"".join(b"%b |f %b\n" % (word, word) for word in _WORDS)
_LEAST_URGENT = 19


def start(algorithm: str, ranker: bool = True) -> None:
    """Start the other process, if there is a core for it; nothing but time is lost where it cannot
    be started."""
    if (os.cpu_count() or 1) > 1:
        command = isolated(__name__, rehearse.__name__, algorithm, "ranker" if ranker else "")
        nothing = subprocess.DEVNULL
        with contextlib.suppress(OSError, MemoryError, RuntimeError, subprocess.SubprocessError):
            process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
            threading.Thread(target=_bury, args=(process,), daemon=True).start()


def _bury(process: subprocess.Popen) -> None:
    """A long run has no dead child beside it."""
    leave_signals()
    process.wait()


def rehearse(algorithm: str, ranker: str) -> None:
    """Train with an example of each of some labels, and predict them."""
    model = Model.new(Options(algorithm=algorithm, bits=18, ranker=bool(ranker)))
    train_a_little(model)
    os.nice(_LEAST_URGENT)
    with tempfile.TemporaryDirectory() as folder:
        predict_a_little(model, folder)


def train_a_little(model: Model) -> None:
    """What the ranker compiles comes first: the run itself comes to it last."""
    labels = np.array(model.labels.add(*_WORDS), np.int32)
    ones = np.ones(_LABELS, np.float32)
    features = np.arange(_LABELS, dtype=np.uint32)
    batch = Batch(np.arange(_LABELS + 1), features, ones, labels, ones)
    _rank_a_little(model, batch)
    model.learner.drawn_probes(batch, _LABELS)
    predictions, depths = np.empty((2, _LABELS), np.int32)
    model.learner.learn(batch, _LABELS, predictions, depths)
    write_model(model, os.devnull)


def _rank_a_little(model: Model, batch: Batch) -> None:
    learner = model.learner
    if learner.ranker is not None:
        rivals = np.full((len(learner.members), _LABELS), NO_LABEL, np.int32)
        scaled = learner.scaler.outline(batch, _LABELS)
        scaled.values[:] = 1.0
        learner.ranker.learn(scaled, rivals, np.ones(_LABELS), 0, _LABELS)
        learner.probe.teach(learner.combination, *learner.candidates(batch), 0)
        learner.rank(batch, _LABELS, BEAM, 1)


def predict_a_little(model: Model, folder: str) -> None:
    """By the command itself."""
    from lomtree.cli.main import cli

    path, data = os.path.join(folder, "model"), os.path.join(folder, "data")
    write_model(model, path)
    with open(data, "wb") as file:
        file.write(_DATA)
    words = ["predict", "--quiet", "-i", path, "-p", os.devnull, data]
    cli.main(words, standalone_mode=False, obj={})
