"""Predictions of many files: one file in, one file out, each whole or not there."""

import os
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from lomtree.cluster.chunks import (
    Chunk,
    ChunkReader,
    Manner,
    expand,
    filesystem_of,
    is_remote,
    local_copy,
)
from lomtree.cluster.connection import Cluster, connected
from lomtree.cluster.executors import Executor, Inline, OnDask
from lomtree.core.errors import LomtreeError, OptionError, Stopped
from lomtree.core.reading import Reading
from lomtree.evaluation.predict import Search, predict_all
from lomtree.model.model import Model
from lomtree.model.model_file import read_model
from lomtree.storage.purposes import Purpose
from lomtree.system.atomic_file import open_to_replace
from lomtree.system.overwriting import refuse_overwriting


class Wanted(NamedTuple):
    """What is predicted of every file, and how it is written."""

    model: str  # a path that workers can read
    search: Search | None
    lines_of: Callable[..., bytes]
    format: str
    on_error: str
    reading: dict[str, Any]  # what is given of a Reading


class Done(NamedTuple):
    examples: int
    skipped: int


def targets_of(paths: list[str], folder: str, ending: str) -> list[str]:
    """Where the predictions of each file go: named after it."""
    names = [path.rstrip("/").rpartition("/")[2] + ending for path in paths]
    for name, files in Counter(names).items():
        if files > 1:
            raise OptionError(f"two files would be written to {name} in {folder}")
    return [f"{folder.rstrip('/')}/{name}" for name in names]


def _refuse_overwriting(targets: list[str], model: str, paths: list[str]) -> None:
    """OptionError if predictions would take the place of the model or of data: x has its own in
    x.txt, which may be data, too."""
    inputs = [("the model", model), *(("the data", path) for path in paths)]
    for target in filter(is_remote, targets):
        for name, path in inputs:
            if target == path:
                raise OptionError(f"--into {target} would overwrite {name} {path}")
    refuse_overwriting(
        [("--into", target) for target in targets if not is_remote(target)],
        [(name, path) for name, path in inputs if not is_remote(path)],
    )


def is_finished(path: str, target: str, model: str) -> bool:
    """Whether the predictions are there, and are no older than the file and the model."""
    made = _time_of(target)
    return made is not None and all(made >= (_time_of(one) or made) for one in (path, model))


def _time_of(path: str) -> float | None:
    """When a file was changed; None if it is not there, or nobody knows."""
    try:
        if not is_remote(path):
            return os.stat(path).st_mtime
        system, own = filesystem_of(path)
        if not system.exists(own):
            return None
        return float(system.modified(own).timestamp())
    except NotImplementedError:
        return float("inf")
    except OSError:
        return None


def predict_files(
    executor: Executor, paths: list[str], targets: list[str], wanted: Wanted
) -> tuple[list[Done], int]:
    """What was done of each, and how many were finished before. A LomtreeError is that of the first
    file that has one; what others have written stays."""
    todo = [
        (path, target)
        for path, target in zip(paths, targets, strict=True)
        if not is_finished(path, target, wanted.model)
    ]
    promised = [
        executor.submit("predict", (n,), predict_file, path, target, wanted)
        for n, (path, target) in enumerate(todo)
    ]
    return [executor.result(one) for one in promised], len(paths) - len(todo)


def predict_file(path: str, target: str, wanted: Wanted) -> Done:
    model = _model(wanted.model, wanted.search is not None)
    manner = Manner(
        wanted.format,
        wanted.on_error,
        _changed(model.reading, wanted.reading),
        model.options.derived,
        labels_required=False,
        trained=model.format,
    )
    chunk, lines, examples = Chunk(path), [], 0
    with local_copy(chunk) as local:
        reader = ChunkReader(chunk, local, **manner._asdict())
        if is_remote(target):
            for predicted in predict_all(model, reader, wanted.search):
                lines.append(wanted.lines_of(model.labels, predicted))
            system, own = filesystem_of(target)
            system.pipe_file(own, b"".join(lines))
        else:
            with open_to_replace(target) as out:
                for predicted in predict_all(model, reader, wanted.search):
                    out.write(wanted.lines_of(model.labels, predicted))
        examples = reader.examples
    return Done(examples, reader.skipped)


def _changed(reading: Reading, given: dict[str, Any]) -> Reading:
    return reading.changed(given)


_held: dict[tuple[Any, ...], Model] = {}
_lock = threading.Lock()


def _model(path: str, ranked: bool) -> Model:
    """A worker reads a model once, and holds the last one."""
    key = (path, ranked, _time_of(path))
    with _lock:
        if key not in _held:
            _held.clear()
            _held[key] = _read(path, Purpose.RANK if ranked else Purpose.PREDICT)
        return _held[key]


def _read(path: str, purpose: Purpose) -> Model:
    if not is_remote(path):
        return read_model(path, purpose)
    with local_copy(Chunk(path)) as local:
        try:
            return read_model(local, purpose)
        except LomtreeError as error:
            raise type(error)(str(error).replace(local, path)) from None


def run_prediction(
    sources: list[str], folder: str, ending: str, place: tuple[Any, ...], wanted: tuple[Any, ...]
) -> str:
    """One run of `lomtree predict --into`; returns what a person should know."""
    model, search, *others = wanted
    if model == "-":
        raise OptionError("workers cannot read the model from standard input")
    what = Wanted(model, search and Search(*search), *others)
    paths = expand(sources)
    targets = targets_of(paths, folder, ending)
    _refuse_overwriting(targets, model, paths)
    cluster = Cluster(*place)
    if not is_remote(folder):
        os.makedirs(folder, exist_ok=True)
    if not cluster.is_given:
        done, before = predict_files(Inline(), paths, targets, what)
    else:
        with connected(cluster) as client:
            executor = OnDask(client)
            try:
                done, before = predict_files(executor, paths, targets, what)
            except (LomtreeError, Stopped):
                executor.cancel()
                raise
    examples, skipped = (sum(column) for column in zip(*done, strict=True)) if done else (0, 0)
    told = f"{len(done)} files with {examples:,} examples predicted, {before} were there before"
    return told + (f", skipped {skipped:,} bad lines" if skipped else "")
