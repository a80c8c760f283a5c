"""Trainings in shards, as scripts start them that measure one or disturb it."""

import gzip
import shutil
from pathlib import Path

from lomtree.cluster.chunks import Manner, find_manner
from lomtree.cluster.executors import Executor
from lomtree.cluster.parsing import Facts
from lomtree.cluster.pipeline import Pipeline
from lomtree.cluster.roles import SAMPLE
from lomtree.cluster.training import finish, train_files
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN
from lomtree.model.model import Model
from scripts.command import MistakeError
from scripts.sets import folder_of

SHARDS = 8


def plain_text(name: str, work: Path) -> str:
    """A set's training data without compression, so that it is cut into chunks; in this folder."""
    folder, text = folder_of(name), work / f"{name}.train"
    if folder is None:
        raise MistakeError(f"there is no set {name}")
    if not text.exists():
        work.mkdir(parents=True, exist_ok=True)
        part = text.with_suffix(".part")
        with gzip.open(next(folder.glob("train.*")), "rb") as packed, part.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
        part.rename(text)
    return str(text)


def train(
    executor: Executor, paths: list[str], passes: int, shards: int = SHARDS, sample: int = SAMPLE
) -> tuple[Model, list[Facts]]:
    """A model that predicts, and what is known of the chunks of its data."""
    options = Options()
    manner = find_manner(paths, Manner("auto", "stop", PLAIN, options.derived))
    pipeline = Pipeline(executor, options, passes, sample, shards)
    trained, facts = train_files(executor, pipeline, paths, manner)
    finish(trained)
    return trained.model, facts
