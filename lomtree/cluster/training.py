"""One run of `lomtree train` on workers: from the options given to the model written."""

from typing import Any

import numpy as np

from lomtree.cluster.chunks import (
    Chunk,
    Manner,
    chunk_bytes_for,
    chunks_of,
    expand,
    find_manner,
    size_of,
)
from lomtree.cluster.connection import Cluster, connected
from lomtree.cluster.executors import LOST, Executor, OnDask
from lomtree.cluster.parsing import Facts, parse
from lomtree.cluster.pieces import Piece, numbered
from lomtree.cluster.pipeline import Pipeline, Trained
from lomtree.cluster.progress import Bar
from lomtree.cluster.roles import SAMPLE
from lomtree.cluster.scratch import Scratch, data_of, run_of
from lomtree.core.constants import BEAM
from lomtree.core.errors import DataError, LomtreeError, OptionError, Stopped
from lomtree.core.options import Options, choose_options, option_name
from lomtree.core.reading import PLAIN
from lomtree.learners.base import Learner
from lomtree.learners.tree.combination_fit import fit_combination
from lomtree.model.model import Model
from lomtree.model.model_file import write_model
from lomtree.system.atomic_file import check_writable
from lomtree.system.overwriting import refuse_overwriting
from lomtree.training.calibration import fit_inverse_temperature
from lomtree.training.description import describe_settings
from lomtree.training.progress import to_stderr

# What one process can do that many cannot.
_ALONE = ("initial_model", "resume", "save_every", "cache", "predictions")


def refuse_alone(given: dict[str, Any]) -> None:
    """OptionError if something is asked for that one process alone can do."""
    for name in _ALONE:
        if given.get(name):
            raise OptionError(f"{option_name(name)} and workers exclude each other")


class ClusterSession:
    """`given` are the arguments from the command line, `arguments` these and the defaults."""

    def __init__(self, given: dict[str, Any], arguments: dict[str, Any]) -> None:
        refuse_alone(given)
        self._cluster = Cluster(*(arguments[name] for name in Cluster._fields))
        self._cluster.check()
        self._options = choose_options({**given, "shards": None})
        self._shards = given.get("shards") or 0
        _check_shards(self._options, self._shards)
        self._passes, self._target = arguments["passes"], arguments["final_model"]
        self._sample = arguments["sample"] or SAMPLE
        self._quiet = arguments["quiet"]
        self._folder = arguments["scratch"]
        self._paths = expand(arguments["sources"])
        refuse_overwriting([("-f", self._target)], [("the data", one) for one in self._paths])
        check_writable(self._target)
        self._manner = Manner(
            arguments["format"],
            arguments["on_error"],
            PLAIN.changed(arguments["reading"]),
            self._options.derived,
        )
        self._bar = Bar()
        self.summary: dict[str, Any] = {}

    def run(self) -> None:
        self._manner = find_manner(self._paths, self._manner)
        with connected(self._cluster) as client, self._bar.shown(not self._quiet):
            self._say(f"{len(self._paths)} files, {_place(client)}\n")
            executor = OnDask(client, self._bar.move)
            try:
                model = self._train(executor)
            except Stopped as stopped:
                executor.cancel()
                stopped.advice = f"; {self._advice()}"
                raise
            except LomtreeError as error:
                executor.cancel()
                if str(error) == LOST:
                    raise LomtreeError(f"{LOST}; {self._advice()}") from None
                raise
        write_model(model, self._target, predict_only=True)
        self._say(f"model              {self._target}\n")

    def _advice(self) -> str:
        if self._folder:
            return f"finished shards are in {self._folder}, and the same command goes on from them"
        return "no model was written (--scratch DIR keeps finished shards to go on from)"

    def _train(self, executor: Executor) -> Model:
        scratch = None
        if self._folder:
            said = [data_of(self._paths), self._manner._asdict()]
            run = run_of(self._options, self._passes, self._sample, self._shards, said)
            scratch = Scratch(self._folder, run)
        pipeline = Pipeline(
            executor, self._options, self._passes, self._sample, self._shards, scratch,
            self._bar.expect,
        )  # fmt: skip
        self._say(describe_settings(self._options, self._passes))
        trained, facts = train_files(executor, pipeline, self._paths, self._manner)
        return self._finish(trained, sum(one.skipped for one in facts))

    def _finish(self, trained: Trained, skipped: int) -> Model:
        model, (ranked, held_out) = trained.model, finish(trained)
        self._say(f"examples           {model.position:,}\n")
        if held_out is not None:
            self._say(f"held-out error     {held_out:.4f}\n")
        if ranked is not None:
            self._say(f"ranked error       {ranked:.4f} on examples that no tree has learned\n")
        self._say(f"labels             {len(model.labels):,}\n")
        for name, value in model.learner.summary():
            self._say(f"{name:18} {value}\n")
        if skipped:
            self._say(f"skipped            {skipped:,} bad lines\n")
        self.summary = {
            "model": self._target,
            "examples": model.position,
            "labels": len(model.labels),
            "shards": model.options.shards,
            "ranked_error": ranked,
            "skipped": skipped,
        }
        return model

    def _say(self, text: str) -> None:
        if not self._quiet:
            self._bar.clear()
            self._quiet = not to_stderr(text)


def _check_shards(options: Options, shards: int) -> None:
    """OptionError if this algorithm's tree cannot be trained in shards."""
    choose_options({"algorithm": options.algorithm, "shards": shards or 2})


def _place(client: Any) -> str:
    workers = len(client.scheduler_info(n_workers=-1)["workers"])
    dashboard = client.dashboard_link
    return f"{workers} workers" + (f", {dashboard}" if dashboard else "")


def train_files(
    executor: Executor, pipeline: Pipeline, paths: list[str], manner: Manner
) -> tuple[Trained, list[Facts]]:
    """A model of what is in these files, and what is known of their chunks."""
    size = chunk_bytes_for(sum(map(size_of, paths)))
    chunks = [chunk for path in paths for chunk in chunks_of(path, manner.format, size)]
    parsed = [executor.submit("parse", (n,), parse, one, manner) for n, one in enumerate(chunks)]
    facts = _read_facts(executor, pipeline, parsed, chunks, manner)
    _check_facts(facts, ", ".join(paths), manner.format)
    return pipeline.train(parsed, facts, manner.format, manner.reading), facts


def _check_facts(facts: list[Facts], names: str, format: str) -> None:
    examples = sum(one.examples for one in facts)
    if examples == 0:
        raise DataError(f"{names}: there are no examples to learn from")
    if not any(one.has_features for one in facts):
        raise DataError(
            f"{names}: none of the {examples:,} examples has a feature, so there is nothing to "
            f"learn from: is the text in the {format} format?"
        )


def _read_facts(
    executor: Executor, pipeline: Pipeline, parsed: list[Any], chunks: list[Chunk], manner: Manner
) -> list[Facts]:
    """DataError about the first bad line of the stream, with its number in its file."""
    facts: list[Facts] = []
    for chunk, found in zip(chunks, pipeline.facts(parsed), strict=True):
        if found.problem:
            before = zip(chunks, facts, strict=False)
            lines = sum(one.lines for other, one in before if other.path == chunk.path)
            again = executor.submit("blame", (0,), parse, chunk, manner, lines + 1)
            raise DataError(executor.result(again).facts.problem)
        facts.append(found)
    return facts


def finish(trained: Trained) -> tuple[float | None, float | None]:
    """Let a model learn from what no tree has learned; returns the errors on what was set aside
    for ranking, and on what was held out, where there is such."""
    model = trained.model
    ranked = learn_to_rank(model, trained.aside)
    held_out = [batch for batch, _ in numbered(trained.held_out, model.labels)]
    power = fit_inverse_temperature(model.learner, held_out)
    model.learner.inverse_temperature = power or 1.0
    return ranked, _error_of(model.learner, held_out)


def learn_to_rank(model: Model, aside: list[Piece]) -> float | None:
    """Let the combination of signs learn from examples that no tree has learned; returns the share
    of them that were ranked wrong, if there are any."""
    for batch, count in numbered(aside, model.labels):
        fit_combination(model.learner, batch, count)
    probe = model.learner.probe
    return probe.error if probe.examples else None


def _error_of(learner: Learner, held_out: list[Any]) -> float | None:
    weight = wrong = 0.0
    for batch in held_out:
        best = learner.rank(batch, len(batch.labels), BEAM, 1).labels[:, 0]
        weight += float(batch.weights.sum(dtype=np.float64))
        wrong += float(batch.weights[best != batch.labels].sum(dtype=np.float64))
    return wrong / weight if weight else None
