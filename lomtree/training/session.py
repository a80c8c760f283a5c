"""One run of `lomtree train`: from the options given to the model written."""

import contextlib
import os
from collections.abc import Iterator
from math import log2
from typing import Any

from lomtree import __version__
from lomtree.core.algorithms import ALGORITHMS
from lomtree.core.errors import DataError, OptionError, PredictOnlyError, Stopped
from lomtree.core.execution import Execution, threads_for
from lomtree.core.options import (
    Options,
    choose_options,
    derivation_words,
)
from lomtree.examples.cache import CacheWriter, describe
from lomtree.formats.reader import Reader
from lomtree.formats.registry import format_warning, same_features
from lomtree.formats.source import name_of
from lomtree.model.model import Model
from lomtree.model.model_file import origin_of, read_model, write_model
from lomtree.ranking.probe import probing_pass
from lomtree.storage.purposes import Purpose
from lomtree.system.atomic_file import check_writable, is_special, open_to_replace
from lomtree.system.overwriting import refuse_overwriting
from lomtree.system.progress_bar import ProgressBar, progress_bar
from lomtree.training.caching import find_cache
from lomtree.training.calibration import fit_inverse_temperature
from lomtree.training.description import describe_paper, describe_settings
from lomtree.training.predictions import ProgressivePredictions
from lomtree.training.progress import Meter, to_stderr
from lomtree.training.resuming import refuse_other_run
from lomtree.training.sources import Numbered, cached_examples, number_examples, written_to
from lomtree.training.summary import summary_of
from lomtree.training.trainer import Trainer


class _ChangedError(Exception):
    """The data is not what it was when it was opened."""


class Session:
    """`given` are the arguments from the command line, `arguments` these and the defaults;
    `options` those of a new model, if they are known already."""

    def __init__(
        self, given: dict[str, Any], arguments: dict[str, Any], options: Options | None = None
    ) -> None:
        self._target = arguments["final_model"]
        self._predict_only = arguments["predict_only"]
        self._passes = arguments["passes"]
        self._cache_path = arguments["cache"]
        self._quiet = arguments["quiet"]
        self._on_error = arguments["on_error"]
        self._format = arguments["format"]
        self._save_every = arguments["save_every"] or 0
        self._predictions_path = arguments["predictions"]
        self._predictions: ProgressivePredictions | None = None
        self._saved = 0  # examples gone through at the last checkpoint
        self._skipped = 0
        self._warned = False  # of another format than the model's
        self._bar = ProgressBar()
        self._check_paths(arguments)
        self._execution = Execution(
            threads_for(arguments["threads"]),
            progressive=not self._quiet or bool(self._predictions_path),
        )
        self._resumes = arguments["resume"] and os.path.exists(self._target)
        given_model = arguments["initial_model"]
        self._initial = self._target if self._resumes else given_model
        # What -i names is to be trained on, whether or not it is a checkpoint.
        self._replaces = bool(given_model and self._resumes) and os.path.samefile(
            given_model, self._target
        )
        self._origin = origin_of(given_model, self._target)
        self._has_ended = False
        self._model = self._first_model(given, options)
        self._begun_with = self._model.reading.changed(arguments["reading"])
        self._reader = Reader(
            arguments["sources"],
            self._format,
            self._on_error,
            labels_required=True,
            reading=self._begun_with,
            trained=self._model.format,
            derived=self._model.options.derived,
        )
        self._meter = Meter(
            self._model.labels,
            arguments["progress"],
            self._say,
            has_depth=ALGORITHMS[self._model.options.algorithm].has_tree,
        )

    def _check_paths(self, arguments: dict[str, Any]) -> None:
        """What can be known to go wrong before any work."""
        data = [("the data", path) for path in arguments["sources"]]
        initial = ("the initial model", arguments["initial_model"])
        written = [("--cache", self._cache_path), ("-p", self._predictions_path)]
        refuse_overwriting([("-f", self._target), *written], data)
        refuse_overwriting(written, [initial])
        check_writable(self._target)
        if self._predictions_path:
            check_writable(self._predictions_path)
        if (self._save_every or arguments["resume"]) and is_special(self._target):
            raise OptionError(f"-f {self._target} is not a file, so it holds no checkpoints")
        if arguments["initial_model"] == "-" and "-" in arguments["sources"]:
            raise OptionError("standard input cannot be both the model (-i -) and the data")

    def _first_model(self, given: dict[str, Any], options: Options | None) -> Model:
        """A new one, the one to go on from, or the checkpoint of this run, if there is one."""
        if not self._initial:
            return Model.new(options or choose_options(given), self._execution)
        try:
            model = read_model(self._initial, Purpose.LEARN, self._execution)
        except PredictOnlyError:
            if not self._resumes:
                raise
            self._has_ended = True
            return read_model(self._initial)
        if self._resumes and model.unfinished is not None:
            refuse_other_run(self._target, given, model.options, model.unfinished, self._origin)
            self._passes, self._origin = model.unfinished.passes, model.unfinished.origin
            self._saved = model.unfinished.done
        elif self._resumes and not self._replaces:
            self._has_ended = True
        model.reconfigure(choose_options(given, model.options))
        if not self._resumes:
            model.unfinished = None  # what comes now is new to it
        return model

    def run(self) -> None:
        if self._has_ended:
            self._say(f"{self._target}: nothing to resume, its training has ended\n")
            return
        with self._open_predictions():
            self._train()

    @property
    def summary(self) -> dict[str, Any]:
        """What the run has come to, for scripts."""
        return summary_of(self._model, self._meter, self._skipped, self._target)

    @contextlib.contextmanager
    def _open_predictions(self) -> Iterator[None]:
        """The file of -p has all predictions or is as it was."""
        if not self._predictions_path:
            yield
            return
        with open_to_replace(self._predictions_path) as file:
            self._predictions = ProgressivePredictions(file, self._model.labels)
            yield

    def _train(self) -> None:
        self._say_settings()
        self._meter.head()
        trainer = Trainer(
            self._model,
            self._meter,
            self._after_pass,
            self._save_every,
            self._save_checkpoint,
            self._origin,
        )
        if self._predictions:
            trainer.tell = self._predictions.write
        try:
            with self._open_bar(), self._open_examples() as examples:
                trainer.run(examples, self._passes)
        except Stopped as stopped:
            stopped.advice = self._advice()
            raise
        if self._model.learner.examples == 0:
            raise DataError(f"{self._names}: there are no examples to learn from")
        self._calibrate(trainer)
        write_model(self._model, self._target, self._predict_only)
        self._say_summary()

    @property
    def _names(self) -> str:
        return ", ".join(name_of(path) for path in self._reader.sources)

    def _advice(self) -> str:
        """What someone who stops a run should know."""
        if self._saved:
            return (
                f"; {self._target} holds the checkpoint after {self._saved:,} examples, and the "
                "same command with --resume goes on from there"
            )
        return "; no model was written (--save-every N writes checkpoints to go on from)"

    def _calibrate(self, trainer: Trainer) -> None:
        """Fit probabilities to what was held out, if anything was."""
        power = fit_inverse_temperature(self._model.learner, trainer.held_out_batches)
        if power is not None:
            self._model.learner.inverse_temperature = power
            self._say(
                f"probabilities calibrated on held-out examples: temperature {1 / power:.2g}\n"
            )

    def _say(self, text: str) -> None:
        if self._quiet:
            return
        self._bar.clear()
        self._quiet = not to_stderr(text)

    @contextlib.contextmanager
    def _open_bar(self) -> Iterator[None]:
        with progress_bar(self._reader.size, shown=not self._quiet) as self._bar:
            yield
        self._bar = ProgressBar()

    @contextlib.contextmanager
    def _open_examples(self) -> Iterator[Iterator[Numbered]]:
        """The examples: read, or from a cache that matches, or read and written to the cache."""
        labels = self._model.labels
        source = self._predictions.noting(self._reader) if self._predictions else self._reader
        parsed = self._watched(number_examples(source, labels))
        if self._cache_path is None:
            yield parsed
            self._skipped = self._reader.skipped
            return
        description = self._describe()
        cache = find_cache(self._cache_path, description, self._say)
        if cache is not None:
            self._see_format(cache.format)
            self._model.reading = cache.reading
            yield cached_examples(cache, labels)
            self._skipped = cache.skipped
            return
        try:
            with open_to_replace(self._cache_path) as file:
                writer = CacheWriter(file, description)
                yield written_to(writer, parsed)
                reader = self._reader
                self._skipped = reader.skipped
                if self._describe() != description:
                    raise _ChangedError
                writer.finish(labels, reader.skipped, reader.format, reader.reading)
        except _ChangedError:
            self._say(f"{self._cache_path}: not written, since the data changed meanwhile\n")

    def _describe(self) -> dict:
        read = (self._reader.sources, self._format, self._on_error)
        derived = self._model.options.derivations
        return describe(*read, __version__, self._begun_with, derived)

    def _watched(self, examples: Iterator[Numbered]) -> Iterator[Numbered]:
        """The same examples of the reader; the bar moves, and the model learns their format."""
        for batch, count in examples:
            self._bar.move_to(self._reader.bytes_read)
            self._see_format(self._reader.format)
            self._model.reading = self._reader.reading
            yield batch, count

    def _see_format(self, found: str) -> None:
        """The model learns the format of its text, or is warned of another one."""
        if self._model.format is None:
            self._model.format = found
        elif not same_features(self._model.format, found) and not self._warned:
            self._warned = True
            self._say(format_warning(self._model.format, found) + "\n")

    def _save_checkpoint(self, model: Model) -> None:
        write_model(model, self._target)
        if model.unfinished is not None:
            self._saved = model.unfinished.done

    def _after_pass(self, trainer: Trainer) -> None:
        read = trainer.examples_read
        constants = read * int(self._model.options.derived.constant)
        if trainer.passes_done == 1 and trainer.features == constants and read > 0:
            raise DataError(
                f"{self._names}: none of the {read:,} examples has a feature, so there is nothing "
                f"to learn from: is the text in the {self._model.format} format?"
            )
        error = trainer.validation_error()
        if error is not None:
            self._say(f"held-out error after pass {trainer.passes_done}: {error:.4f}\n")

    def _say_settings(self) -> None:
        options = self._model.options
        going_on = f", going on from {self._initial}" if self._initial else ""
        if self._model.unfinished:
            going_on += f" after {self._model.unfinished.done:,} examples"
        self._say(f"reading {self._names}{going_on}\n{describe_settings(options, self._passes)}")
        if words := derivation_words(options.derivations):
            self._say(f"derived features: {words}\n")
        if options.paper:
            self._say(describe_paper(options))
        if len(self._model.labels.typed):
            self._say(
                "warning: the model has labels that are no strings, as from Python; labels of text "
                "are strings, so those of this data are other ones, even if they look the same\n"
            )
        self._say(f"predictions below: {self._shown}, before the example is learned\n")

    @property
    def _shown(self) -> str:
        """Which prediction is the progressive one."""
        options = self._model.options
        if not ALGORITHMS[options.algorithm].has_tree:
            return "the label with the largest score"
        return "of one walk down the tree" if options.trees == 1 else "of one walk down each tree"

    def _say_summary(self) -> None:
        meter, learner = self._meter, self._model.learner
        labels = len(self._model.labels)
        rate = f"{meter.examples / meter.seconds:,.0f} a second"
        self._say(
            f"\nexamples           {meter.examples:,}, {rate}\n"
            f"features           {meter.features:,}\n"
            f"progressive error  {meter.error:.4f}, {self._shown}\n"
            f"{self._probed()}"
            f"labels             {labels:,}\n"
        )
        depths = learner.depths()
        if depths is not None:
            self._say(
                f"depth              mean {depths.mean:.2f} over the {depths.mean_over}, "
                f"largest {depths.largest}, log2(labels) {log2(max(labels, 1)):.2f}\n"
            )
        for name, value in learner.summary():
            self._say(f"{name:18} {value}\n")
        self._say(f"model              {self._target}\n")
        if self._skipped:
            self._say(f"skipped            {self._skipped:,} bad lines\n")

    def _probed(self) -> str:
        """How well labels were ranked before they were learned; nothing where the progressive error
        tells that, or where no example was new."""
        learner = self._model.learner
        probe, ranked = learner.probe, learner.ranker is not None
        if not probe.examples or not ALGORITHMS[self._model.options.algorithm].has_tree:
            return ""
        name, done = ("ranked error", "ranked") if ranked else ("search error", "searched for")
        many = f"{probe.examples:,} example{'s' if probe.examples > 1 else ''}"
        were = "they were" if probe.examples > 1 else "it was"
        when = ""
        if self._passes > 1:
            when = f", in pass {probing_pass(self._passes) if ranked else 1}"
        return f"{name:18} {probe.error:.4f} on {many}, {done} before {were} learned{when}\n"
