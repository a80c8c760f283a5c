"""Training: examples are read once, learned in every pass, or kept apart and never learned."""

import re
from itertools import pairwise

import numpy as np
import pytest

from lomtree.core.constants import BEAM
from lomtree.core.execution import Execution
from lomtree.core.options import Options
from lomtree.examples import replay
from lomtree.examples.batch import Batch
from lomtree.examples.cache import Cache, CacheWriter, describe
from lomtree.examples.label_index import LabelIndex
from lomtree.formats.reader import Reader
from lomtree.model.model import Model
from lomtree.model.model_file import write_model
from lomtree.ranking.probe import draw_reserved
from lomtree.training.progress import Meter
from lomtree.training.sources import cached_examples, number_examples, written_to
from lomtree.training.trainer import Trainer, held_out
from tests.generators.strange_files import sections
from tests.generators.streams import batch_of, random_stream

STREAM = [
    example._replace(label=abs(example.label))
    for example in random_stream(np.random.default_rng(2), 200, 5, weighted=True)
]


def batches(stream, cuts=()):
    """The stream as a reader gives it: in arrays that are filled anew for the next batch."""
    longest = batch_of(stream)
    shared = Batch(*(np.zeros(len(array) + 9, array.dtype) for array in longest))
    for begin, end in pairwise([0, *cuts, len(stream)]):
        batch = batch_of(stream[begin:end])
        for array, values in zip(shared, batch, strict=True):
            array[:] = 0
            array[: len(values)] = values
        yield shared, end - begin


class Run:
    def __init__(self, stream=STREAM, cuts=(), passes=1, model=None, **options) -> None:
        self.model = model or Model.new(Options(bits=18, **options))
        for number in range(5):
            self.model.labels.add(b"%d" % number)
        self.errors: list = []
        self.meter = Meter(self.model.labels, 2.0, lambda _text: None)
        trainer = Trainer(
            self.model, self.meter, lambda trainer: self.errors.append(trainer.validation_error())
        )
        trainer.run(batches(stream, cuts), passes)
        self.passes = trainer.passes_done

    def file(self, folder) -> bytes:
        write_model(self.model, str(folder / "model"))
        return (folder / "model").read_bytes()


@pytest.mark.parametrize("cuts", [(), (1, 2, 90), range(20, 200, 20)])
@pytest.mark.parametrize("passes", [1, 4])
@pytest.mark.parametrize("holdout", [0.0, 0.2])
def test_batches_that_are_scaled_ahead_are_learned_as_others_are(tmp_path, cuts, passes, holdout):
    files, told = [], []
    for threads in (1, 2):
        model = Model.new(Options(bits=18, holdout=holdout), Execution(threads))
        run = Run(cuts=cuts, passes=passes, model=model)
        files.append(run.file(tmp_path))
        told.append((run.errors, run.meter.examples, run.meter.error, run.passes))
    assert files[0] == files[1]
    assert told[0] == told[1]


def test_a_trainer_does_what_a_learner_does(tmp_path):
    run = Run()
    model = Model.new(Options(bits=18))
    for number in range(5):
        model.labels.add(b"%d" % number)
    batch, (predictions, depths) = batch_of(STREAM), np.empty((2, 200), np.int32)
    probed = model.learner.drawn_probes(batch, 200)
    assert 20 < len(probed) < 80
    model.learner.learn(batch, 200, predictions, depths, probed)
    model.position = 200
    write_model(model, str(tmp_path / "expected"))
    assert run.file(tmp_path) == (tmp_path / "expected").read_bytes()
    assert run.meter.examples == 200


@pytest.mark.parametrize("options", [{}, {"holdout": 0.3}])
@pytest.mark.parametrize("passes", [1, 3])
def test_cuts_between_batches_change_nothing(passes, options, tmp_path):
    whole = Run(passes=passes, **options)
    for cuts in ([1, 2, 3], [100], range(10, 200, 10)):
        run = Run(cuts=cuts, passes=passes, **options)
        assert run.file(tmp_path) == whole.file(tmp_path)
        assert run.errors == pytest.approx(whole.errors) if options else run.errors == whole.errors


@pytest.mark.parametrize(("passes", "probing"), [(2, 2), (3, 3), (5, 4), (8, 6)])
def test_further_passes_learn_from_what_was_kept(tmp_path, passes, probing):
    """And what is reserved waits for the last quarter of them."""
    run = Run(cuts=[70, 140], passes=passes)  # the batches are an iterator: they come once
    assert run.passes == passes
    assert run.meter.examples == passes * 200
    again = Run([])
    for number in range(5):
        again.model.labels.add(b"%d" % number)
    learner, predictions, depths = again.model.learner, *np.empty((2, 200), np.int32)
    reserved = np.empty(200, np.bool_)
    draw_reserved(0, reserved)
    assert 0 < reserved.sum() < 20
    batch = batch_of(STREAM)
    rest = batch._replace(weights=np.where(reserved, np.float32(0), batch.weights))
    learner.learn(rest, 200, predictions, depths, learner.drawn_probes(rest, 200))
    for _ in range(2, probing):
        learner.learn(rest, 200, predictions, depths, are_new=False)
    learner.begin_probing_pass()
    probed = np.flatnonzero(reserved & (batch.labels >= 0) & (batch.weights > 0))
    probes = (probed.tolist(), True)
    learner.learn(batch, 200, predictions, depths, *probes, are_new=False)
    for _ in range(probing, passes):
        learner.learn(batch, 200, predictions, depths, are_new=False)
    again.model.position = 200
    assert run.file(tmp_path) == again.file(tmp_path)


def test_passes_from_a_temporary_file_are_the_same(tmp_path, monkeypatch):
    expected = Run(cuts=[70, 140], passes=3, holdout=0.2).file(tmp_path)
    monkeypatch.setattr(replay.ReplayBuffer.__init__, "__defaults__", (100,))
    assert Run(cuts=[70, 140], passes=3, holdout=0.2).file(tmp_path) == expected


def test_stopping_and_going_on_is_one_run(tmp_path):
    expected = Run(holdout=0.3, seed=7).file(tmp_path)
    first = Run(STREAM[:90], holdout=0.3, seed=7)
    assert Run(STREAM[90:], model=first.model).file(tmp_path) == expected


def test_held_out_examples_are_never_learned(tmp_path):
    options = {"holdout": 0.4, "seed": 3}
    aside = held_out(3, 0.4, 0, 200)
    run = Run(passes=2, cuts=[33], **options)
    learned = [example for example, out in zip(STREAM, aside, strict=True) if not out]
    assert run.meter.examples == 2 * len(learned)
    only = Run(learned, passes=2)
    assert np.array_equal(
        run.model.learner.state.weights.table, only.model.learner.state.weights.table
    )


def test_the_held_out_error_is_weighted_and_of_the_model_after_the_pass():
    run = Run(holdout=0.4, seed=3)
    aside = [e for e, out in zip(STREAM, held_out(3, 0.4, 0, 200), strict=True) if out]
    predictions = run.model.learner.rank(batch_of(aside), len(aside), BEAM, 1).labels[:, 0]
    wrong = sum(
        e.weight for e, prediction in zip(aside, predictions, strict=True) if prediction != e.label
    )
    assert run.errors == [pytest.approx(wrong / sum(e.weight for e in aside))]
    assert run.errors[0] > 0


def test_nothing_held_out_no_error():
    assert Run(passes=2).errors == [None, None]
    assert Run(STREAM[:1], holdout=1e-9).errors == [None]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_the_share_held_out_is_about_the_one_wanted(share):
    assert held_out(0, share, 0, 100_000).mean() == pytest.approx(share, abs=0.01)


def test_who_is_held_out_depends_on_seed_and_number_alone():
    whole = held_out(5, 0.3, 0, 1000)
    assert np.array_equal(np.concatenate([held_out(5, 0.3, n, 1) for n in range(1000)]), whole)
    assert np.array_equal(held_out(5, 0.3, 600, 400), whole[600:])
    assert not np.array_equal(held_out(6, 0.3, 0, 1000), whole)
    assert len(held_out(2**63 - 1, 0.3, 2**40, 5)) == 5


def test_bad_lines_are_left_out_and_their_labels_too(tmp_path):
    (tmp_path / "data.vw").write_bytes(b"a |f x\nb |f x:y\nc |f z:2\n")
    labels = LabelIndex()
    reader = Reader([str(tmp_path / "data.vw")], on_error="skip", labels_required=True)
    [(batch, count)] = number_examples(reader, labels)
    assert (count, batch.labels.tolist(), list(labels)) == (2, [0, 1], [b"a", b"c"])
    assert batch.starts.tolist() == [0, 2, 4]


def cache_of(text: bytes, labels: LabelIndex, folder) -> Cache:
    (folder / "data.vw").write_bytes(text)
    source = str(folder / "data.vw")
    description = describe([source], "auto", "stop", "1")
    with open(folder / "cache", "wb") as file:
        writer = CacheWriter(file, description)
        for _batch in written_to(writer, number_examples(Reader([source]), labels)):
            pass
        writer.finish(labels, 0, "vw")
    return Cache(str(folder / "cache"), description)


def labels_of(cache: Cache, labels: LabelIndex) -> list[bytes]:
    batches = cached_examples(cache, labels)
    return [labels[number] for batch, count in batches for number in batch.labels[:count]]


def test_cached_examples_keep_their_labels_whatever_numbers_they_had(tmp_path):
    cache = cache_of(b"a |f x\nb |f y\na |f z\n", LabelIndex(), tmp_path)
    labels = LabelIndex()
    labels.add(b"b")
    assert labels_of(cache, labels) == [b"a", b"b", b"a"]
    assert list(labels) == [b"b", b"a"]


def test_cached_examples_number_labels_as_their_text_would(tmp_path):
    """Even if the cache was made while a model with other labels was trained further."""
    labels = LabelIndex()
    for label in (b"other", b"b"):
        labels.add(label)
    cache = cache_of(b"a |f x\nb |f y\na |f z\n", labels, tmp_path)
    labels = LabelIndex()
    assert labels_of(cache, labels) == [b"a", b"b", b"a"]
    assert list(labels) == [b"a", b"b"]


def train(lomtree, model, *arguments, stdin=b"") -> str:
    result = lomtree("train", "-b", 18, "-f", model, *arguments, stdin=stdin)
    assert (result.status, result.out) == (0, b"")
    return result.err


def test_several_passes_over_standard_input(lomtree, data, lines, tmp_path):
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    train(lomtree, file, data, "--passes", 4)
    said = train(lomtree, pipe, "--passes", 4, stdin=b"".join(lines))
    assert "examples           1,200," in said
    assert pipe.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("options", [(), ("--holdout", 0.2, "--seed", 5), ("-T", 9, "-R", 1)])
@pytest.mark.parametrize("stop", [1, 150, 299])
def test_going_on_gives_the_file_of_one_run(lomtree, data, model, lines, tmp_path, options, stop):
    whole, half = tmp_path / "whole", tmp_path / "half"
    train(lomtree, whole, data, *options)
    if stop == 1 and "--holdout" in options:
        stop = 2  # of which at least one is learned
    train(lomtree, half, *options, stdin=b"".join(lines[:stop]))
    train(lomtree, half, "-i", half, stdin=b"".join(lines[stop:]))
    assert without_fit(half) == without_fit(whole)


def without_fit(model):
    """A file without its checksums and what was fitted to the examples its own run held out."""
    learned = b"".join(sections(model.read_bytes()))
    return re.sub(rb'"inverse_temperature":[0-9.]{3}', b"", learned)


def test_the_held_out_error_is_shown_after_every_pass(lomtree, data, tmp_path):
    said = train(lomtree, tmp_path / "m", data, "--passes", 3, "--holdout", 0.25, "--seed", 1)
    assert ", 3 passes, 0.25 held out (seed 1)\n" in said
    shown = re.findall(r"^held-out error after pass (\d): (0\.\d{4})$", said, re.MULTILINE)
    assert [number for number, _error in shown] == ["1", "2", "3"]
    learned = 3 * np.count_nonzero(~held_out(1, 0.25, 0, 300))
    assert f"examples           {learned:,}," in said


def test_another_seed_holds_out_others(lomtree, data, tmp_path):
    for seed in (1, 2):
        train(lomtree, tmp_path / str(seed), data, "--holdout", 0.25, "--seed", seed)
    models = [(tmp_path / str(seed)).read_bytes() for seed in (1, 2)]
    assert models[0] != models[1]


def test_what_a_person_sees(lomtree, data, tmp_path):
    said = train(lomtree, tmp_path / "m", data)
    assert said.startswith(f"reading {data}\nlomtree, 4 nodes a class, swap resistance 4, ")
    numbers = [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert all(re.search(rf" {number} +class-\d+ +(class-\d+|-) ", said) for number in numbers)
    for name in ("examples", "progressive error", "labels", "internal nodes", "depth", "model"):
        assert re.search(rf"^{name} +\S", said, re.MULTILINE)
    assert train(lomtree, tmp_path / "m", data, "--quiet") == ""


def test_a_quiet_run_learns_the_same(lomtree, data, tmp_path):
    for name, options in (("said", ()), ("quiet", ("--quiet",))):
        command = ["train", "-b", 18, "--passes", 2, *options, "-f", tmp_path / name, data]
        assert lomtree(*command).status == 0
    assert (tmp_path / "quiet").read_bytes() == (tmp_path / "said").read_bytes()
