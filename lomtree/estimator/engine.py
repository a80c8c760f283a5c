"""A model with labels of Python: learns rows, and ranks labels for them."""

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from lomtree.arrays.classes import Classes, Labels, label_array, sorted_labels
from lomtree.arrays.names import FeatureNames
from lomtree.arrays.rows import Rows
from lomtree.arrays.visits import visits
from lomtree.core.execution import Execution
from lomtree.core.options import Options
from lomtree.estimator.one_row import OneRow
from lomtree.examples.batch import Batch
from lomtree.examples.label_index import LabelIndex
from lomtree.model.model import Model, from_state_dict, to_state_dict
from lomtree.model.model_file import write_model
from lomtree.storage.container import at_once
from lomtree.storage.state_dict import StateDict
from lomtree.system.pipeline import ahead, beside
from lomtree.training.calibration import fit_inverse_temperature
from lomtree.training.sources import Numbered
from lomtree.training.trainer import Trainer


class TrainingSet(NamedTuple):
    """Rows to be learned, checked: nothing about them can fail any more."""

    rows: Rows
    labels: Labels
    weights: np.ndarray | None  # float32[], or 1 for all
    format: str | None  # of the text that has such features


class Columns(NamedTuple):
    """The labels in the order of classes_, as predictions are told."""

    classes: np.ndarray
    of_number: np.ndarray  # int64[labels]: the place of each label of the model among them


class Engine:
    """One thread at a time learns or predicts with it; the others wait, without Python's lock."""

    def __init__(self, model: Model, classes: Classes | None = None) -> None:
        self.model = model
        self.classes = classes or Classes(model.labels)
        self.names = FeatureNames()
        self._declared: dict[Hashable, None] = {}  # labels that may come, or had no weight
        self._columns: Columns | None = None
        self.lock = threading.RLock()
        self._one = OneRow(model, self.names)

    @classmethod
    def new(cls, options: Options) -> "Engine":
        return cls(Model.new(options))

    def use(self, threads: int) -> None:
        with self.lock:
            self.model.learner.use(Execution(threads, progressive=False))

    # Learning.

    def check_room(self, labels: Sequence[Hashable]) -> None:
        """ValueError if these are more labels than there may be."""
        most = self.model.labels.most
        if len(self.classes) + len(labels) <= most:
            return
        if len(self.classes) + len(self.classes.new(labels)) > most:
            raise ValueError(f"y has more labels than the {most:,} that max_labels allows.")

    def declare(self, labels: Iterable[Hashable]) -> None:
        """These are classes, too, whether or not there will be examples of them."""
        self._declared.update(dict.fromkeys(labels))
        self._columns = None

    def learn_set(self, training_set: TrainingSet, passes: int, seed: int) -> None:
        """Learn from rows that have no order: see arrays/visits."""
        rows, labels, weights, _format = training_set
        threads = self.model.learner.execution.threads
        order, weights = visits(rows, labels, weights, seed, threads)
        self._learn(training_set, weights, order, passes)

    def learn_sequence(self, training_set: TrainingSet, passes: int = 1) -> None:
        """Learn from rows in their order, as the command line learns from lines."""
        self._learn(training_set, training_set.weights, None, passes)

    def _learn(
        self,
        training_set: TrainingSet,
        weights: np.ndarray | None,
        order: np.ndarray | None,
        passes: int,
    ) -> None:
        def again() -> Iterator[Numbered]:
            batches = training_set.rows.batches(numbers, weights, order)
            if self.model.learner.execution.threads > 1:
                batches = ahead(batches)
            for batch in batches:
                yield batch, len(batch.labels)

        with self.lock:
            if order is not None and weights is not None:
                self.declare(training_set.labels.different)
            labels = training_set.labels.in_order(order)
            self._note(training_set.format)
            if len(self.classes) == 0:  # then the labels' places are their numbers
                numbers = labels.places
                with beside(lambda: self.classes.add(labels.different)):
                    self._run(again(), passes, again)
            else:
                numbers = self._numbers(labels)
                self._run(again(), passes, again)

    def learn_stream(self, training_sets: Iterable[TrainingSet], passes: int) -> None:
        """Learn from what comes; for further passes it is kept as the command line keeps it."""

        def numbered() -> Iterator[Numbered]:
            for training_set in training_sets:
                self.check_room(training_set.labels.different)
                numbers = self._numbers(training_set.labels)
                self._note(training_set.format)
                for batch in training_set.rows.batches(numbers, training_set.weights):
                    yield batch, len(batch.labels)

        with self.lock:
            self._run(numbered(), passes, None)

    def _numbers(self, labels: Labels) -> np.ndarray:
        """int32[]: of all of these, new ones and others."""
        self.classes.add(self.classes.new(labels.different))
        numbers: np.ndarray = self.classes.numbers(labels.different)[labels.places]
        return numbers

    def _note(self, format: str | None) -> None:
        self.model.format = self.model.format or format

    def _run(
        self,
        examples: Iterable[Numbered],
        passes: int,
        again: Callable[[], Iterable[Numbered]] | None,
    ) -> None:
        self._columns = None
        self._one.forget()
        trainer = Trainer(self.model)
        trainer.run(examples, passes, again)
        power = fit_inverse_temperature(self.model.learner, trainer.held_out_batches)
        if power is not None:
            self.model.learner.inverse_temperature = power

    # Predicting.

    @property
    def columns(self) -> Columns:
        with self.lock:
            if self._columns is None:
                labels = self.classes.labels
                in_order = sorted_labels(dict.fromkeys([*labels, *self._declared]))
                place = {label: number for number, label in enumerate(in_order)}
                of_number = np.array([place[label] for label in labels], np.int64)
                self._columns = Columns(label_array(in_order), of_number)
            return self._columns

    def rank(self, rows: Rows, beam: int, top: int) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the best labels, best first (int32[rows, top]), and their probabilities
        (float32): NO_LABEL and 0 where there are fewer."""
        labels = np.empty((rows.count, top), np.int32)
        probabilities = np.empty((rows.count, top), np.float32)
        with self.lock:
            for begin, batch in _from(rows.batches()):
                ranking = self.model.learner.rank(batch, len(batch.labels), beam, top)
                labels[begin : begin + len(batch.labels)] = ranking.labels
                probabilities[begin : begin + len(batch.labels)] = ranking.probabilities
        return labels, probabilities

    def walk(self, rows: Rows) -> np.ndarray:
        """int32[rows]: what the paper's walk predicts."""
        labels, depths = np.empty((2, rows.count), np.int32)
        with self.lock:
            for begin, batch in _from(rows.batches()):
                end = begin + len(batch.labels)
                self.model.learner.predict(batch, end - begin, labels[begin:end], depths[begin:end])
        return labels

    def rank_one(
        self, X: Any, width: int | None, beam: int, top: int
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """As rank(), of one plain row; None if X is something else."""
        with self.lock:
            ranking = self._one.rank(X, width, beam, top)
            return (
                None if ranking is None else (ranking.labels.copy(), ranking.probabilities.copy())
            )

    def name_one(self, X: Any, width: int | None, beam: int | None) -> np.ndarray | None:
        """The label of one plain row, in an array, by a walk if there is no beam; None if X is
        something else."""
        with self.lock:
            if beam is None:
                labels = self._one.walk(X, width)
            else:
                ranking = self._one.rank(X, width, beam, 1)
                labels = None if ranking is None else ranking.labels[0]
            if labels is None:
                return None
            columns = self.columns
            place = columns.of_number.item(max(labels.item(0), 0))
            return columns.classes[place : place + 1].copy()

    def named(self, numbers: np.ndarray) -> np.ndarray:
        """The labels of these numbers. Where nothing was found, it is the first label ever seen."""
        columns = self.columns
        found: np.ndarray = columns.classes[columns.of_number[np.maximum(numbers, 0)]]
        return found

    # To a file, and into a pickle.

    def save(self, path: str, predict_only: bool = False) -> None:
        self.classes.refuse_objects()
        with self.lock:
            write_model(self.model, path, predict_only or self.model.options.shards > 1)

    def __getstate__(self) -> dict[str, Any]:
        with self.lock:
            held = to_state_dict(self.model, self.model.predict_only)
            arrays = {name: at_once(array) for name, array in held.arrays.items()}
        return {
            "header": held.header,
            "arrays": arrays,
            "classes": self.classes,
            "declared": list(self._declared),
            "most": self.model.labels.most,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Checked as a file is, though whoever unpickles has trusted it already."""
        classes: Classes = state["classes"]
        arrays = {
            name: np.array(array) for name, array in state["arrays"].items()
        }  # joblib's: maps
        plain = LabelIndex()
        plain.add(*(b"%d" % number for number in range(len(classes))))
        held = StateDict(
            state["header"], arrays | {"labels.text": plain.text, "labels.ends": plain.ends}
        )
        model = from_state_dict(held, learning=not state["header"]["predict_only"])
        model.labels = classes.index
        model.labels.most = state["most"]
        self.__init__(model, classes)  # type: ignore[misc]
        self.declare(state["declared"])


def _from(batches: Iterable[Batch]) -> Iterator[tuple[int, Batch]]:
    """Each batch with the number of its first row."""
    begin = 0
    for batch in batches:
        yield begin, batch
        begin += len(batch.labels)
