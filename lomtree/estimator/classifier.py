"""The LOMtree and its rivals as a classifier of scikit-learn."""

import logging
import os
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lomtree.arrays.frames import is_stream
from lomtree.core.constants import BEAM
from lomtree.core.errors import PredictOnlyError
from lomtree.core.options import Options
from lomtree.estimator.checks import (
    Input,
    columns_kept,
    is_empty,
    read_labels,
    targets_of,
    training_set_of,
)
from lomtree.estimator.engine import Engine, TrainingSet
from lomtree.estimator.explaining import explain_row
from lomtree.estimator.one_row import OneRow
from lomtree.estimator.parameters import beam_of, options_of, passes_of, seed_of, threads_of
from lomtree.estimator.probabilities import all_probabilities, best_of, check_size
from lomtree.estimator.scikit import (
    BaseEstimator,
    ClassifierMixin,
    available_if,
    check_is_fitted,
)
from lomtree.jit.kernel import announce_compilation
from lomtree.model.model_file import read_model
from lomtree.ranking.ranking import FROM_EACH
from lomtree.storage.purposes import Purpose
from lomtree.system.progress_bar import counting_bar

announce_compilation(logging.getLogger("lomtree").warning)

NAMED = 2 * FROM_EACH  # labels of an example that have a probability of their own


def _ranks(estimator: "LomTreeClassifier") -> bool:
    """A walk has no probabilities."""
    if estimator.walk:
        raise AttributeError("there are no probabilities with walk=True")
    return True


class LomTreeClassifier(ClassifierMixin, BaseEstimator):
    """A classifier for very many classes, by trees of logarithmic depth: the LOMtree of Choromanska
    and Langford (2015), with a ranker over what it finds. docs/python.md has examples.

    X may be an array, a sparse matrix, a DataFrame, dicts of features, or lines of VW or libsvm
    text; y has labels of any hashable type, which they keep. New classes may come at any time.

    Parameters
    ----------
    algorithm, trees, shards, bits, loss, update, scale, ranker, paper, quadratic, cubic, \
interactions, ngram, skips, char_ngrams, char_marks, chars_only, keep, ignore, ignore_linear, \
noconstant, learning_rate, power_t, clip, max_nodes, nodes_per_class, classes, swap_resistance, \
min_impurity, max_statistics, max_labels, holdout
        The options of `lomtree train`, where `--help` explains them. `classes` is the expected
        number of labels; there may be more or fewer. Those that may be given several times are
        lists of strings, or one string: quadratic="::".
    passes : int
        How often fit() and fit_stream() go through the examples.
    shuffle : bool
        Whether fit() takes its examples for a set: the order in which they lie does not count, and
        an example of weight 3 counts as three. Without it they are learned in their order, weights
        are importances, and the model is that of the command line, to the byte.
    random_state : int, RandomState instance or None
        The seed: of the order of fit(), of what is held out, and of the differences between trees.
    n_jobs : int or None
        How many cores are used: None is 1, -1 all of them. The result does not depend on it.
    beam : int
        Leaves of each tree that predictions search.
    walk : bool
        Predict as the paper does, by one walk down the tree: faster, with more errors, and without
        probabilities.
    verbose : int
        Above 0, fit_stream() shows a progress bar on stderr.

    Attributes
    ----------
    classes_ : array of the labels so far, in order
    n_features_in_ : number of columns, where X has columns
    feature_names_in_ : their names, where X is a DataFrame whose column names are strings
    """

    def __init__(
        self,
        *,
        algorithm: str = "lomtree",
        trees: int = 1,
        shards: int = 1,
        bits: int = 26,
        loss: str = "logistic",
        update: str = "adaptive",
        scale: str = "auto",
        ranker: bool = True,
        paper: bool = False,
        quadratic: Any = (),
        cubic: Any = (),
        interactions: Any = (),
        ngram: Any = (),
        skips: Any = (),
        char_ngrams: Any = (),
        char_marks: str = "^$",
        chars_only: bool = False,
        keep: Any = (),
        ignore: Any = (),
        ignore_linear: Any = (),
        noconstant: bool = False,
        learning_rate: float | None = None,
        power_t: float = 0.5,
        clip: float | None = None,
        max_nodes: int = 0,
        nodes_per_class: float = 4.0,
        classes: int = 0,
        swap_resistance: float = 4.0,
        min_impurity: float = 0.1,
        max_statistics: int = 2**26,
        max_labels: int = 2**22,
        holdout: float = 0.0,
        passes: int = 1,
        shuffle: bool = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
        beam: int = BEAM,
        walk: bool = False,
        verbose: int = 0,
    ) -> None:
        given = locals()
        for name in LomTreeClassifier._get_param_names():  # each is one line above, and no other
            setattr(self, name, given[name])
        self.walk: bool
        self.passes: int

    # Learning.

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "LomTreeClassifier":
        """Learn from all of X and y, forgetting what was learned before. Lines of text may have
        their labels in them; then there is no y. Where X is a DataFrame, y may be the name of the
        column that has the labels. Without `shuffle` a RecordBatchReader is learned as it comes."""
        if isinstance(y, str) and sample_weight is None and not self.shuffle and is_stream(X):
            return self.fit_stream(X, y=y)
        engine = self._new_engine()
        derived = engine.model.options.derived
        with columns_kept(self):
            training_set = training_set_of(self, X, y, sample_weight, engine.names, True, derived)
            engine.check_room(training_set.labels.different)
            passes = passes_of(self.passes)
            if self.shuffle:
                engine.learn_set(training_set, passes, engine.model.options.seed)
            else:
                engine.learn_sequence(training_set, passes)
        self._engine = engine
        return self

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> "LomTreeClassifier":
        """Learn on from some more examples, in their order. New classes may come at any time, so
        `classes` need not be given; if it is, these are in classes_ from the beginning. Everything
        is checked before anything is learned."""
        before = getattr(self, "_engine", None)
        engine = self._new_engine() if before is None else before
        derived = engine.model.options.derived
        with columns_kept(self):
            training_set = training_set_of(
                self, X, y, sample_weight, engine.names, before is None, derived
            )
            declared = [] if classes is None else read_labels(classes).different
            engine.check_room([*training_set.labels.different, *declared])
            if engine.model.predict_only:
                raise ValueError("This model was saved for prediction alone: it cannot learn on.")
            if before is not None:
                threads, options = threads_of(self.n_jobs), engine.model.options
                seed = seed_of(self.random_state, options.seed)
                engine.model.reconfigure(options_of(self, seed, options))
                engine.use(threads)
        engine.declare(declared)
        engine.learn_sequence(training_set)
        self._engine = engine
        return self

    def fit_stream(
        self, batches: Iterable[Any], total: int | None = None, y: str | None = None
    ) -> "LomTreeClassifier":
        """Learn from batches as they come, each (X, y) or (X, y, sample_weight), in bounded memory:
        for further passes, examples are kept in memory up to 1 GB, then in a temporary file. With
        `y` each is a DataFrame, or a RecordBatch of Arrow's, that has the labels in the column of
        that name. A batch may be empty. With verbose=1 a bar counts the examples; `total` is how
        many there will be, if that is known."""
        engine = self._new_engine()
        shown = bool(self.verbose)
        with columns_kept(self), counting_bar(total, "examples", shown=shown) as bar:

            def training_sets() -> Iterator[TrainingSet]:
                first = True
                names, derived = engine.names, engine.model.options.derived
                for batch in batches:
                    given = targets_of(batch, y)
                    if is_empty(given[0]):
                        continue
                    training_set = training_set_of(self, *given, names, first, derived)
                    first = False
                    yield training_set
                    bar.move_by(training_set.rows.count)

            engine.learn_stream(training_sets(), passes_of(self.passes))
            if len(engine.classes) == 0:
                raise ValueError("the stream had no samples: a minimum of 1 is required.")
        self._engine = engine
        return self

    # Predicting.

    def predict(self, X: Any) -> NDArray[Any]:
        """The best label of every example."""
        engine = self._fitted()
        own = self.__dict__
        if type(X) in OneRow.TYPES and "feature_names_in_" not in own:
            beam = None if self.walk else beam_of(self.beam)
            label = engine.name_one(X, own.get("n_features_in_"), beam)
            if label is not None:
                return label
        rows = self._rows(X)
        numbers = (
            engine.walk(rows) if self.walk else engine.rank(rows, beam_of(self.beam), 1)[0][:, 0]
        )
        return engine.named(numbers)

    @available_if(_ranks)
    def predict_top_k(self, X: Any, k: int = 5) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The k best labels of every example, best first, and their probabilities: two arrays with
        a row for each example. There are fewer columns if there are fewer labels."""
        engine = self._fitted()
        if not isinstance(k, int | np.integer) or k < 1:
            raise ValueError(f"k must be a whole number from 1 on, not {k!r}.")
        with engine.lock:  # no thread learns new labels meanwhile
            total = len(engine.classes)
            top = min(max(int(k), NAMED), total)
            one = self._rank_one(X, top)
            numbers, named = one or engine.rank(self._rows(X), beam_of(self.beam), top)
            classes = len(engine.columns.classes)
        numbers, probabilities = best_of(numbers, named, classes, min(int(k), total))
        return engine.named(numbers), probabilities

    @available_if(_ranks)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of every class for every example, in the order of classes_. What the
        ranking leaves to labels that it does not name is spread over these. ValueError where the
        result would not fit into memory: predict_top_k() is for many classes."""
        engine = self._fitted()
        with engine.lock:
            columns, top = engine.columns, min(NAMED, len(engine.classes))
            found = self._rank_one(X, top)
            if found is None:
                rows = self._rows(X)
                check_size(rows.count, len(columns.classes))
                found = engine.rank(rows, beam_of(self.beam), top)
        return all_probabilities(*found, columns.of_number, len(columns.classes))

    def explain(self, X: Any, top: int = 10) -> dict[str, Any]:
        """Why one example has its label: its way down each tree with the features that decided, and
        how its labels were ranked. X is one row, dict or line, or a list of one."""
        return explain_row(
            self._fitted(), self._rows, X, top, getattr(self, "feature_names_in_", None)
        )

    # Attributes, and files.

    @property
    def classes_(self) -> NDArray[Any]:
        if "_engine" not in self.__dict__:
            raise AttributeError("classes_ is there after fit()")
        classes: NDArray[Any] = self._engine.columns.classes
        return classes

    def save(self, path: str | os.PathLike[str], predict_only: bool = False) -> None:
        """Write the model file that `lomtree predict -i` and lomtree.load() read. ValueError if a
        label is nothing that a file keeps."""
        self._fitted().save(os.fspath(path), predict_only)

    def __sklearn_is_fitted__(self) -> bool:
        return "_engine" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.dict = True
        return tags

    def _rank_one(self, X: Any, top: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Of one plain row, past the checks that take longer than its ranking; else None."""
        own = self.__dict__
        if type(X) not in OneRow.TYPES or "feature_names_in_" in own:
            return None
        return self._fitted().rank_one(X, own.get("n_features_in_"), beam_of(self.beam), top)

    # What parameters say.

    def _fitted(self) -> Engine:
        if "_engine" not in self.__dict__:
            check_is_fitted(self)  # which says what is missing
        engine: Engine = self._engine
        return engine

    def _new_engine(self) -> Engine:
        options = options_of(self, seed_of(self.random_state))
        if options.shards > 1:
            raise ValueError("shards must be 1 here: DaskLomTreeClassifier trains several.")
        engine = Engine.new(options)
        engine.use(threads_of(self.n_jobs))
        return engine

    def _rows(self, X: Any) -> Any:
        engine: Engine = self._engine
        engine.use(threads_of(self.n_jobs))
        return Input(self, X, engine.names, False, engine.model.options.derived).rows


def load(path: str | os.PathLike[str]) -> LomTreeClassifier:
    """The estimator of a model file, from the command line or from save(): it predicts, and learns
    on with partial_fit(), unless the file was saved for prediction alone."""
    name = os.fspath(path)
    try:
        model = read_model(name, Purpose.LEARN)
    except PredictOnlyError:
        model = read_model(name, Purpose.COUNT)
    model.labels.most = model.options.max_labels
    model.unfinished = None
    options = {one.name: getattr(model.options, one.name) for one in fields(Options)}
    estimator = LomTreeClassifier(random_state=options.pop("seed"), **options)
    estimator._engine = Engine(model)
    return estimator
