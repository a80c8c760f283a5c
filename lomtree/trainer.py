"""Training: examples through the learner, once or several times, with a share kept apart."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from lomtree.ahead import ahead
from lomtree.batch import Batch, copy, part, pick
from lomtree.cache_file import Cache, CacheWriter
from lomtree.chance import draw_lots
from lomtree.errors import DataError
from lomtree.kept import Kept
from lomtree.labels import NONE, Labels
from lomtree.meter import Meter
from lomtree.model import Model, Unfinished
from lomtree.reader import Reader


def read_examples(reader: Reader, labels: Labels) -> Iterator[tuple[Batch, int]]:
    """The good examples of a reader, their labels numbered; (batch, examples in it).

    The batch is filled anew for the next block.
    """
    for block in ahead(reader):
        batch, count = block.batch, block.count
        wanted, count = count, labels.number(block.text, block.spans, count, batch.labels)
        good = np.flatnonzero(block.spans.problem[:count] == 0)
        if len(good) == count:
            yield batch, count
        elif len(good):
            yield pick(batch, good), len(good)
        if count < wanted:
            begin, end = block.spans.label_begin[count], block.spans.label_end[count]
            line = block.first_line + int(block.spans.line[count])
            sentence = labels.too_many(block.text[begin:end].tobytes())
            raise DataError(f"{block.source}:{line}: {sentence}")


def cached_examples(cache: Cache, labels: Labels) -> Iterator[tuple[Batch, int]]:
    """The examples of a cache file, with its label numbers turned into those of `labels`."""
    numbers = np.full(len(cache.labels), NONE, np.int32)
    for batch in cache:
        # In the order of appearance, as the text would number them: the cache may know labels
        # that are not in this text, from the model that was trained when it was made.
        found, first = np.unique(batch.labels, return_index=True)
        found = found[np.argsort(first)]
        new = found[numbers[found] == NONE]
        try:
            numbers[new] = labels.add(*(cache.labels[label] for label in new))
        except DataError as error:
            raise DataError(f"{cache.path}: {error}") from None
        yield batch._replace(labels=numbers[batch.labels]), len(batch.labels)


def written_to(writer: CacheWriter, examples: Iterable[tuple[Batch, int]]):
    """The same examples; each is written to a cache on its way."""
    for batch, count in examples:
        writer.add(copy(batch, count))
        yield batch, count


def held_out(seed: int, share: float, first: int, count: int) -> np.ndarray:
    """Which of the examples first, first + 1, ... of the stream are kept for validation: a hash of
    seed and number decides, so cutting the stream into batches or runs changes nothing."""
    drawn = np.empty(count, np.bool_)
    draw_lots(seed, first, share, drawn)
    return drawn


class Trainer:
    """With `save_every` it hands a checkpoint to `save` whenever it has gone through so many more
    examples. A model that is such a checkpoint is trained further over the same examples: what it
    has learned of them is gone through, but not learned again."""

    def __init__(
        self,
        model: Model,
        meter: Meter,
        after_pass: Callable[["Trainer"], None],
        save_every: int = 0,
        save: Callable[[Model], None] = lambda _model: None,
    ) -> None:
        self.model = model
        self.meter = meter
        self.passes_done = 0
        self._after_pass = after_pass
        self._save_every = save_every
        self._save = save
        self._first, self._learned = model.unfinished or (model.position, 0)
        self._done = 0  # examples gone through, in all passes
        self._labels = len(model.labels)  # of the examples gone through, and before
        model.position, model.unfinished = self._first, None
        self._validation = Kept()
        self._answers = np.empty(0, np.int32)
        self._depths = np.empty(0, np.int32)

    def run(self, examples: Iterable[tuple[Batch, int]], passes: int) -> None:
        """Learn from the examples as they come, and from what was kept of them in later passes."""
        kept = Kept()
        for batch, count in self._steps(examples):
            self._see_labels(batch, count)
            rest, left = self._set_aside(batch, count)
            self._learn(rest, left)
            if passes > 1:
                kept.add(copy(rest, left))
            self._end_step(count)
        self._end_pass()
        for _ in range(1, passes):
            for batch, count in self._steps((batch, len(batch.labels)) for batch in kept):
                self._learn(batch, count)
                self._end_step(count)
            self._end_pass()
        if self._going_through:
            raise DataError(
                f"the checkpoint has seen {self._learned:,} examples, but there are only "
                f"{self._done:,}: is this the data it was trained on, with as many passes?"
            )

    @property
    def _going_through(self) -> bool:
        """Whether what comes has been learned before the checkpoint."""
        return self._done < self._learned

    def _steps(self, examples: Iterable[tuple[Batch, int]]) -> Iterator[tuple[Batch, int]]:
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
        labels = int(batch.labels[:count].max(initial=NONE)) + 1
        if self._going_through and labels > self._labels:
            raise DataError("the checkpoint was not trained on this data: it lacks labels")
        self._labels = max(self._labels, labels)

    def _end_step(self, count: int) -> None:
        before, self._done = self._going_through, self._done + count
        if not before and self._save_every and self._done % self._save_every == 0:
            unfinished = Unfinished(self._first, self._done)
            labels = self.model.labels.first(self._labels)
            self._save(replace(self.model, labels=labels, unfinished=unfinished))

    def validation_error(self) -> float | None:
        """The error of the model as it is now on the held-out examples; None if there are none."""
        weight = wrong = 0.0
        for batch in self._validation:
            count = len(batch.labels)
            answers, depths = self._room(count)
            self.model.learner.predict(batch, count, answers, depths)
            weight += float(batch.weights.sum(dtype=np.float64))
            mistaken = answers[:count] != batch.labels
            wrong += float((batch.weights * mistaken).sum(dtype=np.float64))
        return wrong / weight if weight else None

    @property
    def held_out_batches(self) -> Iterable[Batch]:
        return self._validation

    def _set_aside(self, batch: Batch, count: int) -> tuple[Batch, int]:
        """Take the held-out examples out of a batch."""
        first = self.model.position
        self.model.position += count
        options = self.model.options
        if options.holdout == 0:
            return batch, count
        aside = held_out(options.seed, options.holdout, first, count)
        self._validation.add(pick(batch, np.flatnonzero(aside)))
        rest = pick(batch, np.flatnonzero(~aside))
        return rest, len(rest.labels)

    def _learn(self, batch: Batch, count: int) -> None:
        if self._going_through:
            return
        answers, depths = self._room(count)
        self.model.learner.learn(batch, count, answers, depths)
        self.meter.add(batch, count, answers, depths)

    def _room(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        if count > len(self._answers):
            self._answers = np.empty(2 * count, np.int32)
            self._depths = np.empty(2 * count, np.int32)
        return self._answers, self._depths

    def _end_pass(self) -> None:
        self.passes_done += 1
        if not self._going_through:
            self._after_pass(self)
