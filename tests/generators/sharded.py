"""Small models in shards, trained in this process."""

from dataclasses import replace

from lomtree.cluster.chunks import Manner
from lomtree.cluster.executors import Inline
from lomtree.cluster.pipeline import Pipeline
from lomtree.cluster.training import finish, train_files
from lomtree.core.options import Options
from lomtree.core.reading import PLAIN
from lomtree.model.model import Model

OPTIONS = Options(bits=18)


def sharded(path: str, options: Options = OPTIONS, shards: int = 4, passes: int = 2) -> Model:
    """A model of the VW text in a file."""
    executor = Inline()
    pipeline = Pipeline(executor, replace(options, shards=1), passes, 1 << 17, shards)
    manner = Manner("vw", "stop", PLAIN, options.derived)
    trained, _facts = train_files(executor, pipeline, [path], manner)
    finish(trained)
    return trained.model
