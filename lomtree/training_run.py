"""One run of `lomtree train`: from the options given to the model written."""

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from math import log2
from typing import Any

from lomtree import __version__
from lomtree.batch import Batch
from lomtree.cache_file import Cache, CacheWriter, describe, is_cache
from lomtree.calibration import fit_sharpness
from lomtree.errors import DataError, LomtreeError, ModelError, OptionError
from lomtree.meter import Meter, to_stderr
from lomtree.model import Model
from lomtree.model_file import read_model, write_model
from lomtree.options import FIXED_BY_MODEL, OPTION_NAMES, Options, check_meaning
from lomtree.reader import Reader
from lomtree.source import name_of
from lomtree.trainer import Trainer, cached_examples, read_examples, written_to
from lomtree.whole_file import check_writable, is_special, open_to_replace


def choose_options(given: dict[str, Any], model: Model | None) -> Options:
    """The options of a run: those given, else the model's, else the defaults; checked."""
    chosen = {name: given[name] for name in OPTION_NAMES if given.get(name) is not None}
    if "nodes_per_class" in chosen:
        if "max_nodes" in chosen:
            raise OptionError("-T and --nodes-per-class exclude each other")
        chosen["max_nodes"] = 0
    if model is None:
        options = Options(**chosen)
    else:
        for name in FIXED_BY_MODEL:
            before = getattr(model.options, name)
            if chosen.get(name, before) != before:
                option = "--" + name.replace("_", "-")
                raise OptionError(f"{option} is {before} in this model and cannot change")
        if "classes" in chosen:  # what was prepared stays
            chosen["classes"] = max(chosen["classes"], model.options.classes)
        options = replace(model.options, **chosen)
    check_meaning(options.algorithm, chosen)
    options.check()
    return options


def _describe(options: Options) -> str:
    """The algorithm, and what shapes its trees."""
    several = f"{options.trees} trees, " if options.trees > 1 else ""
    if options.algorithm != "lomtree":
        return several + options.algorithm
    nodes = (
        f"{options.max_nodes} internal nodes at most"
        if options.max_nodes
        else f"{options.nodes_per_class:g} nodes a class"
    )
    growth = f"swap resistance {options.swap_resistance:g}, minority {options.minority:g}"
    return f"{several}lomtree, {nodes}, {growth}"


class Run:
    """`given` are the arguments from the command line, `arguments` these and the defaults."""

    def __init__(self, given: dict[str, Any], arguments: dict[str, Any]) -> None:
        self._target = arguments["final_model"]
        self._predict_only = arguments["predict_only"]
        self._passes = arguments["passes"]
        self._cache_path = arguments["cache"]
        self._quiet = arguments["quiet"]
        self._on_error = arguments["on_error"]
        self._format = arguments["format"]
        self._initial = arguments["initial_model"]
        choose_options({} if self._initial else given, None)
        check_writable(self._target)
        if (arguments["save_every"] or arguments["resume"]) and is_special(self._target):
            raise OptionError(f"{self._target} is no file, so it holds no checkpoints")
        self._reader = Reader(
            arguments["sources"], self._format, self._on_error, labels_required=True
        )
        self._model = self._first_model(given, arguments["resume"])
        self._model.learner.threads = arguments["threads"] or os.cpu_count() or 1
        self._model.learner.asked = not self._quiet
        self._save_every = arguments["save_every"] or 0
        self._bar: Any = None
        self._skipped = 0
        self._meter = Meter(
            self._model.labels,
            arguments["progress"],
            self._say,
            has_depth=self._model.learner.largest_depth is not None,
        )

    def _first_model(self, given: dict[str, Any], resume: bool) -> Model:
        """A new one, the one to go on from, or the checkpoint of this run, if there is one."""
        if resume and os.path.exists(self._target):
            self._initial = self._target
            model = read_model(self._target, learning=True)
            if model.unfinished is None:
                raise ModelError(f"{self._target}: no checkpoint to resume: its training has ended")
        elif self._initial:
            model = read_model(self._initial, learning=True)
            model.unfinished = None  # what comes now is new to it
        else:
            model = Model.new(choose_options(given, None))
        if self._initial:
            model.options = model.learner.options = choose_options(given, model)
        model.labels.most = model.options.max_labels
        return model

    def run(self) -> None:
        self._say_settings()
        self._meter.head()
        trainer = Trainer(
            self._model, self._meter, self._after_pass, self._save_every, self._save_checkpoint
        )
        with self._open_bar(), self._open_examples() as examples:
            trainer.run(examples, self._passes)
        if self._model.learner.examples == 0:
            names = ", ".join(name_of(path) for path in self._reader.sources)
            raise DataError(f"{names}: there are no examples to learn from")
        self._fit_probabilities(trainer)
        write_model(self._model, self._target, self._predict_only)
        self._say_summary()

    def _fit_probabilities(self, trainer: Trainer) -> None:
        """To what was held out, if anything was."""
        sharpness = fit_sharpness(self._model.learner, trainer.held_out_batches)
        if sharpness is not None:
            self._model.learner.sharpness = sharpness
            self._say(f"probabilities fitted to held-out examples: sharpness {sharpness:g}\n")

    def _say(self, text: str) -> None:
        if self._quiet:
            return
        if self._bar is not None:
            self._bar.clear()
        self._quiet = not to_stderr(text)

    @contextlib.contextmanager
    def _open_bar(self) -> Iterator[None]:
        """A bar with MB/s where someone sees it and the end is known."""
        size = self._reader.size
        if self._quiet or size is None or not sys.stderr.isatty():
            yield
            return
        from tqdm import tqdm

        with tqdm(total=size, unit="B", unit_scale=True, leave=False, file=sys.stderr) as bar:
            self._bar = bar
            yield
        self._bar = None

    def _move_bar(self, examples: Iterator[tuple[Batch, int]]) -> Iterator[tuple[Batch, int]]:
        for batch, count in examples:
            if self._bar is not None:
                self._bar.update(self._reader.bytes_read - self._bar.n)
            yield batch, count

    @contextlib.contextmanager
    def _open_examples(self) -> Iterator[Iterator[tuple[Batch, int]]]:
        """The examples: read, or from a cache that matches, or read and written to the cache."""
        labels = self._model.labels
        parsed = self._move_bar(read_examples(self._reader, labels))
        if self._cache_path is None:
            yield parsed
            self._skipped = self._reader.skipped
            return
        description = describe(self._reader.sources, self._format, self._on_error, __version__)
        cache = self._find_cache(description)
        if cache is not None:
            yield cached_examples(cache, labels)
            self._skipped = cache.skipped
            return
        with open_to_replace(self._cache_path) as file:
            writer = CacheWriter(file, description)
            yield written_to(writer, parsed)
            writer.finish(labels, self._reader.skipped)
            self._skipped = self._reader.skipped

    def _find_cache(self, description: dict) -> Cache | None:
        """A cache that may be used; otherwise say why it is made anew."""
        check_writable(self._cache_path)
        try:
            if not is_cache(self._cache_path):
                raise LomtreeError(f"{self._cache_path}: exists, but is no cache of this program")
            cache = Cache(self._cache_path, description)
        except FileNotFoundError:
            return None
        except DataError as error:
            self._say(f"{self._cache_path}: not used, {error}; made anew\n")
            return None
        self._say(f"reading the cache {self._cache_path}\n")
        return cache

    def _save_checkpoint(self, model: Model) -> None:
        write_model(model, self._target)

    def _after_pass(self, trainer: Trainer) -> None:
        error = trainer.validation_error()
        if error is not None:
            self._say(f"held-out error after pass {trainer.passes_done}: {error:.4f}\n")

    def _say_settings(self) -> None:
        options = self._model.options
        names = ", ".join(name_of(path) for path in self._reader.sources)
        going_on = f", going on from {self._initial}" if self._initial else ""
        if self._model.unfinished:
            going_on += f" after {self._model.unfinished.done:,} examples"
        self._say(
            f"reading {names}{going_on}\n"
            f"{_describe(options)}, up to 2^{options.bits} weights\n"
            f"{options.loss} loss, {options.update} update, scale {options.scale}"
            f"{', tf-idf' if options.tf_idf else ''}, learning rate "
            f"{options.learning_rate:g}, power {options.power_t:g}, clip {options.clip:g}, "
            f"{self._passes} "
            f"{'pass' if self._passes == 1 else 'passes'}"
            + (f", {options.holdout:g} held out (seed {options.seed})" if options.holdout else "")
            + "\n"
        )

    def _say_summary(self) -> None:
        meter, learner = self._meter, self._model.learner
        rate = meter.examples / meter.seconds
        self._say(
            f"\nexamples           {meter.examples:,}, {rate:,.0f} a second\n"
            f"features           {meter.features:,}\n"
            f"progressive error  {meter.error:.4f}\n"
            f"labels             {len(self._model.labels):,}\n"
        )
        if learner.largest_depth is not None:
            self._say(
                f"depth              mean {meter.depths / max(meter.examples, 1):.1f}, "
                f"largest {learner.largest_depth}, log2(labels) "
                f"{log2(max(len(self._model.labels), 1)):.1f}\n"
            )
        for name, value in learner.summary():
            self._say(f"{name:18} {value}\n")
        self._say(f"model              {self._target}\n")
        if self._skipped:
            self._say(f"skipped            {self._skipped:,} bad lines\n")
