"""The estimator on collections of Dask, by the conventions of lightgbm.dask and xgboost.dask."""

from dataclasses import replace
from typing import Any

import numpy as np

from lomtree.arrays.source import FORMATS, FRAME, MATRIX, examples_of
from lomtree.cluster.executors import OnDask
from lomtree.cluster.parsing import Facts, Parsed
from lomtree.cluster.pieces import piece_of
from lomtree.cluster.pipeline import Pipeline, Trained
from lomtree.cluster.roles import SAMPLE
from lomtree.cluster.training import finish
from lomtree.core.derivations import Derivations
from lomtree.core.options import Options
from lomtree.estimator.classifier import LomTreeClassifier
from lomtree.estimator.engine import Engine
from lomtree.estimator.parameters import options_of, passes_of, seed_of


class DaskLomTreeClassifier(LomTreeClassifier):
    """A LomTreeClassifier whose fit() and predict() take dask.array (of numpy or CSR blocks) and
    dask.dataframe, and work where their parts are. docs/distributed.md has an example.

    Parameters
    ----------
    client : distributed.Client or None
        Where the work is done; None is the current one. It is no part of a pickle.
    sample : int
        How many examples the top of the tree is trained on.
    **parameters
        Those of LomTreeClassifier. `shards` 1 is a number that fits the data. Examples are learned
        in their order, whatever `shuffle` says. The model predicts, and cannot learn on.
    """

    def __init__(self, *, client: Any = None, sample: int = SAMPLE, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.client = client
        self.sample = sample

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*LomTreeClassifier._get_param_names(), "client", "sample"])

    @property
    def client_(self) -> Any:
        """The client that is used."""
        if self.client is not None:
            return self.client
        from distributed import default_client

        return default_client()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "DaskLomTreeClassifier":
        options = options_of(self, seed_of(self.random_state))
        client = self.client_
        executor = OnDask(client)
        columns = [client.compute(_parts(one)) for one in (X, y, sample_weight) if one is not None]
        if len({len(column) for column in columns}) > 1:
            raise ValueError("X, y and sample_weight have different numbers of parts.")
        try:
            trained = self._train(executor, options, columns, _format_of(X))
        except BaseException:  # Ctrl-C, too
            executor.cancel()
            raise
        finish(trained)
        self.__dict__.pop("feature_names_in_", None)
        self.n_features_in_ = int(X.shape[1])
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.asarray(list(X.columns), object)
        self._engine = Engine(trained.model)
        return self

    def _train(
        self, executor: OnDask, options: Options, columns: list[Any], format: str
    ) -> Trained:
        parsed: list[Any] = [
            executor.submit("parse", (n,), _parse_part, options.derived, *parts)
            for n, parts in enumerate(zip(*columns, strict=True))
        ]
        shards = options.shards if options.shards > 1 else 0
        plain = replace(options, shards=1)
        pipeline = Pipeline(executor, plain, passes_of(self.passes), int(self.sample), shards)
        return pipeline.train(parsed, list(pipeline.facts(parsed)), format)

    def predict(self, X: Any) -> Any:
        """Lazy where X is."""
        if not hasattr(X, "dask"):
            return super().predict(X)
        local = self.to_local()
        if hasattr(X, "columns"):
            return X.map_partitions(local.predict, meta=local.classes_[:0])
        rows = X.rechunk({1: -1})
        return rows.map_blocks(local.predict, drop_axis=1, dtype=local.classes_.dtype)

    def predict_proba(self, X: Any) -> Any:
        """Lazy where X is; a column a class."""
        if not hasattr(X, "dask"):
            return super().predict_proba(X)
        local = self.to_local()
        classes = len(local.classes_)
        if hasattr(X, "columns"):
            return X.map_partitions(local.predict_proba, meta=np.empty((0, classes)))
        rows = X.rechunk({1: -1})
        return rows.map_blocks(
            local.predict_proba, chunks=(rows.chunks[0], (classes,)), dtype=float
        )

    def to_local(self) -> LomTreeClassifier:
        """The same as an estimator of this process alone."""
        given = {name: getattr(self, name) for name in LomTreeClassifier._get_param_names()}
        local = LomTreeClassifier(**given)
        for name in ("_engine", "n_features_in_", "feature_names_in_"):
            if name in self.__dict__:
                setattr(local, name, self.__dict__[name])
        return local

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "client": None}


def _parts(collection: Any) -> list[Any]:
    """The parts of a collection of rows, as they are computed apart."""
    if not hasattr(collection, "to_delayed"):
        raise ValueError("X, y and sample_weight must be collections of Dask.")
    if getattr(collection, "ndim", 1) == 2 and hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})
    return list(np.asarray(collection.to_delayed(), object).ravel())


def _format_of(X: Any) -> str:
    """Of the text that has such features."""
    return FORMATS[FRAME if hasattr(X, "columns") else MATRIX]


def _parse_part(derived: Derivations, X: Any, y: Any, weight: Any = None) -> Parsed:
    y = y if isinstance(y, np.ndarray | list) else np.asarray(y)
    weight = None if weight is None else np.asarray(weight)
    piece = piece_of(examples_of(X, y, weight, derived=derived))
    features, examples = len(piece.batch.features), piece.examples
    facts = Facts(examples, features, piece.nbytes, examples, 0, features > examples)
    return Parsed(piece, facts)
