"""What may be wrong with a cluster, or end a run on one: a sentence, and nothing half-written."""

import signal
import time

import pytest

from tests.cluster.operating import Operator
from tests.generators.processes import SECONDS, reset_sigint

distributed = pytest.importorskip("distributed")


@pytest.fixture
def operator(tmp_path):
    with Operator(tmp_path) as one:
        yield one


@pytest.mark.parametrize(
    ("package", "sentence"),
    [
        ("raise ImportError('not here')", "has no lomtree: install "),
        ("__version__ = '0.0.1'", "has lomtree 0.0.1, but here it is "),
    ],
)
def test_a_worker_that_has_another_lomtree_or_none(
    lomtree, operator, data, tmp_path, package, sentence
):
    (tmp_path / "other" / "lomtree").mkdir(parents=True)
    (tmp_path / "other" / "lomtree" / "__init__.py").write_text(package)
    operator.start_worker(str(tmp_path / "other"))
    model = tmp_path / "model.lom"
    done = lomtree("train", data, "--scheduler-file", operator.file, "-f", model)
    assert done.status == 1
    assert done.err.startswith("lomtree: the worker tcp://127.0.0.1:")
    assert sentence in done.err
    assert len(done.err.splitlines()) == 1
    assert not model.exists()


@pytest.fixture
def endless(operator, process, lines, tmp_path):
    """A training on two workers that would take long, while a task of this kind is under way."""
    operator.start_worker()
    operator.start_worker()
    data = tmp_path / "data.vw"
    data.write_bytes(b"".join(lines) * 100)

    def start(kind):
        passes, sample = (10**7, 10**6) if kind == "top" else (1000, 20)
        training = process(
            "train", data, "-b", 18, "--shards", 2, "--passes", passes, "--sample", sample,
            "--quiet", "--scheduler-file", operator.file, "-f", tmp_path / "model.lom",
            preexec_fn=reset_sigint,
        )  # fmt: skip
        wait_for(lambda: any(f"lomtree-{kind}" in key for key in at_work(operator)))
        return training

    yield start
    assert not list(tmp_path.glob("*model.lom*"))


def at_work(operator) -> list[str]:
    """The tasks that workers are busy with."""

    def names(dask_worker) -> list[str]:
        return [str(task.key) for task in dask_worker.state.executing]

    with distributed.Client(scheduler_file=str(operator.file)) as client:
        return [key for some in client.run(names).values() for key in some]


def wait_for(true) -> None:
    """For as long as it takes: a test that hangs ends the run and says where."""
    while not true():
        time.sleep(0.1)


@pytest.mark.parametrize("kind", ["top", "shard"])
def test_ctrl_c_cancels_the_tasks(endless, operator, kind):
    training = endless(kind)
    training.send_signal(signal.SIGINT)
    status = training.wait(SECONDS)
    assert (training.stderr.read(), status) == (
        b"lomtree: interrupted; no model was written "
        b"(--scratch DIR keeps finished shards to go on from)\n",
        130,
    )
    wait_for(lambda: not at_work(operator))


def test_a_scheduler_that_is_gone_is_one_sentence(endless, operator):
    training = endless("shard")
    operator.scheduler.kill()
    assert training.wait(SECONDS) == 1
    assert training.stderr.read() == (
        b"lomtree: the connection to the scheduler was lost; no model was written "
        b"(--scratch DIR keeps finished shards to go on from)\n"
    )
