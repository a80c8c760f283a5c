"""Training: examples through the learner, once or several times, with a share kept apart."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from lomtree.core.constants import BEAM, NO_LABEL
from lomtree.core.errors import DataError
from lomtree.examples.batch import Batch, copy, part, pick
from lomtree.examples.examples import Examples
from lomtree.examples.replay import ReplayBuffer
from lomtree.hashing.counter_rng import draw_lots
from lomtree.model.model import Model, Unfinished
from lomtree.ranking.probe import draw_reserved, probing_pass
from lomtree.training.data_sum import DataSum
from lomtree.training.progress import Meter
from lomtree.training.sources import Numbered, number_examples


def held_out(seed: int, share: float, first: int, count: int) -> np.ndarray:
    """Which of the examples first, first + 1, ... of the stream are kept for validation: a hash of
    seed and number decides, so cutting the stream into batches or runs changes nothing."""
    drawn = np.empty(count, np.bool_)
    draw_lots(seed, first, share, drawn)
    return drawn


class Trainer:
    """A meter, if there is one, counts what was predicted before each example was learned;
    `after_pass` is called after each pass.

    With `save_every` it hands a checkpoint to `save` whenever it has gone through so many more
    examples. A model that is such a checkpoint is trained further over the same examples: what it
    has learned of them is gone through, but not learned again. `origin` tells which model the run
    goes on from. Without `probes` no example is ranked before it is learned.
    """

    def __init__(
        self,
        model: Model,
        meter: Meter | None = None,
        after_pass: Callable[["Trainer"], None] = lambda _trainer: None,
        save_every: int = 0,
        save: Callable[[Model], None] = lambda _model: None,
        origin: str = "",
        probes: bool = True,
    ) -> None:
        self.model = model
        self.passes_done = 0
        self.features = 0  # of the examples of the first pass
        self.tell: Callable[[np.ndarray], None] | None = None  # the first pass's predictions
        self._meter = meter
        self._after_pass = after_pass
        self._save_every = save_every
        self._save = save
        self._resumed = model.unfinished or Unfinished(model.position, 0)
        self._first, self._learned = self._resumed.first, self._resumed.done
        self._passes = 1
        self._origin = origin
        self._probes = probes
        self._data_sum = DataSum() if save_every or model.unfinished else None
        self._done = 0  # examples gone through, in all passes
        self._labels = len(model.labels)  # of the examples gone through, and before
        model.position, model.unfinished = self._first, None
        self._validation = ReplayBuffer()
        self._reserves = False  # whether some examples wait for the probing pass
        self._probing_pass = 1
        self._index = 0  # of the next example in this pass, held-out ones not counted
        self._predictions = np.empty(0, np.int32)
        self._depths = np.empty(0, np.int32)

    def learn(self, source: Iterable[Examples], passes: int = 1) -> None:
        """Learn from any source of examples: a Reader, or anything that yields them."""
        self.run(number_examples(self._noted(source), self.model.labels), passes)

    def _noted(self, source: Iterable[Examples]) -> Iterator[Examples]:
        """The same examples; the model learns what format their text has."""
        for examples in source:
            self.model.check(examples)
            self.model.format = self.model.format or examples.format
            self.model.reading = getattr(source, "reading", self.model.reading)
            yield examples

    def run(
        self,
        examples: Iterable[Numbered],
        passes: int = 1,
        again: Callable[[], Iterable[Numbered]] | None = None,
    ) -> None:
        """Learn from the examples as they come, and from what was kept of them in later passes;
        nothing is kept if `again` can give the same ones once more."""
        replay, first = ReplayBuffer(), self.model.position
        self._passes = passes
        self._probing_pass = probing_pass(passes)
        self._reserves = self._probes and passes > 1 and self.model.learner.ranker is not None
        for batch, count in self._steps(examples):
            self._see_labels(batch, count)
            self._see_data(batch, count)
            self.features += int(batch.starts[count])
            rest, left = self._set_aside(batch, count)
            self._learn(rest, left)
            if passes > 1 and again is None:
                replay.add(copy(rest, left))
            self._end_step(count)
        if self._going_through and passes > 1:
            self._check_data()
        self._end_pass()
        for number in range(2, passes + 1):
            probing = number == self._probing_pass and self._reserves
            if probing and not self._going_through:
                self.model.learner.begin_probing_pass()
            kept = ((batch, len(batch.labels)) for batch in replay)
            for batch, count in self._steps(self._left_in(again(), first) if again else kept):
                self._learn(batch, count)
                self._end_step(count)
            self._end_pass()
        if self._going_through:
            raise DataError(
                f"the checkpoint has seen {self._learned:,} examples, but there are only "
                f"{self._done:,}: is this the data it was trained on, with as many passes?"
            )

    @property
    def examples_read(self) -> int:
        """In the first pass of this run, held-out ones included."""
        return self.model.position - self._first

    @property
    def _going_through(self) -> bool:
        """Whether what comes has been learned before the checkpoint."""
        return self._done < self._learned

    def _steps(self, examples: Iterable[Numbered]) -> Iterator[Numbered]:
        """The same examples, cut where a checkpoint was or will be."""
        for batch, count in examples:
            begin = 0
            while begin < count:
                end = count
                if self._going_through:
                    end = min(count, begin + self._learned - self._done)
                elif self._save_every:
                    end = min(count, begin + self._save_every - self._done % self._save_every)
                whole = end - begin == count
                yield (batch, count) if whole else (part(batch, begin, end), end - begin)
                begin = end

    def _see_labels(self, batch: Batch, count: int) -> None:
        """Whole blocks have their labels numbered in advance: a checkpoint has only those that it
        has seen."""
        labels = int(batch.labels[:count].max(initial=NO_LABEL)) + 1
        if self._going_through and labels > self._labels:
            raise DataError("the checkpoint was not trained on this data: it lacks labels")
        self._labels = max(self._labels, labels)

    def _see_data(self, batch: Batch, count: int) -> None:
        """Before anything is learned, what a checkpoint has learned must have come again."""
        if self._data_sum is None:
            return
        self._data_sum.add(batch, count)
        if self._going_through and self._done + count == self._learned:
            self._check_data()

    def _check_data(self) -> None:
        if self._data_sum is not None and self._data_sum.text != self._resumed.data:
            raise DataError(
                "the checkpoint was not trained on this data: its first examples are others (-i "
                "goes on with other data)"
            )

    def _end_step(self, count: int) -> None:
        before, self._done = self._going_through, self._done + count
        if not before and self._save_every and self._done % self._save_every == 0:
            data = self._data_sum.text if self._data_sum is not None else ""
            unfinished = Unfinished(self._first, self._done, self._passes, data, self._origin)
            labels = self.model.labels.first(self._labels)
            self._save(replace(self.model, labels=labels, unfinished=unfinished))

    def validation_error(self) -> float | None:
        """The error of the model as it is now on the held-out examples; None if there are none."""
        weight = wrong = 0.0
        for batch in self._validation:
            count = len(batch.labels)
            predictions = self.model.learner.rank(batch, count, BEAM, 1).labels[:, 0]
            weight += float(batch.weights.sum(dtype=np.float64))
            mistaken = predictions != batch.labels
            wrong += float((batch.weights * mistaken).sum(dtype=np.float64))
        return wrong / weight if weight else None

    @property
    def held_out_batches(self) -> Iterable[Batch]:
        return self._validation

    def _set_aside(self, batch: Batch, count: int) -> Numbered:
        """Take the held-out examples out of a batch."""
        first = self.model.position
        self.model.position += count
        if self.model.options.holdout > 0:
            self._validation.add(pick(batch, np.flatnonzero(self._aside(first, count))))
        return self._rest(batch, count, first)

    def _left_in(self, examples: Iterable[Numbered], first: int) -> Iterator[Numbered]:
        """The same examples, which began at this position, without those that are held out."""
        for batch, count in examples:
            yield self._rest(batch, count, first)
            first += count

    def _rest(self, batch: Batch, count: int, first: int) -> Numbered:
        if self.model.options.holdout == 0:
            return batch, count
        rest = pick(batch, np.flatnonzero(~self._aside(first, count)))
        return rest, len(rest.labels)

    def _aside(self, first: int, count: int) -> np.ndarray:
        options = self.model.options
        return held_out(options.seed, options.holdout, first, count)

    def _learn(self, batch: Batch, count: int) -> None:
        first, self._index = self._index, self._index + count
        if self._going_through:
            return
        predictions, depths = self._room(count)
        learned, probed = self._choose_probes(batch, count, first)
        reserved = self._reserves and self.passes_done + 1 == self._probing_pass
        are_new = self.passes_done == 0
        self.model.learner.learn(learned, count, predictions, depths, probed, reserved, are_new)
        if self._meter is not None:
            self._meter.add(batch, count, predictions, depths)
        if self.tell is not None and self.passes_done == 0:
            self.tell(predictions[:count])

    def _choose_probes(self, batch: Batch, count: int, first: int) -> tuple[Batch, Sequence[int]]:
        """The batch as it is to be learned in this pass, and the examples to be probed."""
        learner = self.model.learner
        now = self.passes_done + 1
        if not self._probes:
            return batch, ()
        if not self._reserves:
            return batch, learner.drawn_probes(batch, count) if now == 1 else ()
        if now > self._probing_pass:
            return batch, ()
        reserved = np.empty(count, np.bool_)
        draw_reserved(first, reserved)
        if now == self._probing_pass:
            learnable = (batch.labels[:count] >= 0) & (batch.weights[:count] > 0)
            return batch, np.flatnonzero(reserved & learnable).tolist()
        weights = np.where(reserved, np.float32(0), batch.weights[:count])
        rest = batch._replace(weights=weights)
        return rest, learner.drawn_probes(rest, count) if now == 1 else ()

    def _room(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        if count > len(self._predictions):
            self._predictions = np.empty(2 * count, np.int32)
            self._depths = np.empty(2 * count, np.int32)
        return self._predictions, self._depths

    def _end_pass(self) -> None:
        self.passes_done += 1
        self._index = 0
        if not self._going_through:
            self._after_pass(self)
